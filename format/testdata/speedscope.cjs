// Reads files as speedscope does, with the program that its npm package has, and
// prints the weights of functions:
//
//   node speedscope.cjs PACKAGE/dist/release FILE...
//
// The package is made for a browser. What reads files in it is a module that is
// loaded when it is needed; it is found here by the name of one of its functions.
'use strict'
const fs = require('fs')
const path = require('path')
const vm = require('vm')

function importers(folder) {
  const name = fs.readdirSync(folder).find(f => /^speedscope-.*\.js$/.test(f))
  let source = fs.readFileSync(path.join(folder, name), 'utf8')
  const module = /var (\w+)=\{\};([\w$]+\(\1,\{importFromFileSystemDirectoryEntry)/
  const exported = source.match(module)[1]
  const load = source.match(new RegExp(`\\(([\\w$]+)\\(\\),${exported}\\)`))[1]
  source = source.replace(module, `var ${exported}={};globalThis.speedscopeImporters=()=>(${load}(),${exported});$2`)
  const window = { addEventListener() {}, location: { hash: '', protocol: 'file:' } }
  const sandbox = { window, TextDecoder, TextEncoder, Uint8Array, ArrayBuffer, console: { log() {}, warn() {}, error() {} } }
  sandbox.self = sandbox
  vm.createContext(sandbox)
  try {
    vm.runInContext(source, sandbox)
  } catch (e) {
    if (!sandbox.speedscopeImporters) throw e // the rest is for a page
  }
  return sandbox.speedscopeImporters()
}

async function main([folder, ...files]) {
  const read = importers(folder)
  const all = {}
  for (const file of files) {
    let bytes = fs.readFileSync(file)
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = require('zlib').gunzipSync(bytes)
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
    const group = await read.importProfilesFromArrayBuffer(path.basename(file), buffer)
    if (!group) throw new Error(`${file} is nothing that speedscope reads`)
    all[path.basename(file)] = group.profiles.map(p => {
      const frames = {}
      p.forEachFrame(f => {
        const before = frames[f.name] || [0, 0]
        frames[f.name] = [before[0] + f.getSelfWeight(), before[1] + f.getTotalWeight()]
      })
      return { name: p.getName(), unit: p.getWeightUnit(), total: p.getTotalWeight(), frames }
    })
  }
  process.stdout.write(JSON.stringify(all))
}

main(process.argv.slice(2)).catch(e => {
  console.error(e)
  process.exit(1)
})
