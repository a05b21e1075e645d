// A main thread in its event loop, and a worker that waits twenty calls deep.
const { Worker, isMainThread, parentPort } = require('worker_threads');

if (isMainThread) {
  new Worker(__filename).on('message', () => console.log('ready'));
  process.stdin.on('data', () => {}).on('end', () => process.exit(0));
} else {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const deep = (n) => {
    if (n > 0) return deep(n - 1) + 1;
    parentPort.postMessage('here');
    Atomics.wait(cell, 0, 0);
    return 0;
  };
  deep(20);
}
