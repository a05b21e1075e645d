// Package cachetest makes shared caches of libraries for tests, in each layout that
// dyld's cache builders have used.
package cachetest

import (
	"os"
	"path/filepath"
	"testing"
)

// Image is a thin 64-bit library, and its vmaddr in the cache.
type Image struct {
	File   []byte
	VMAddr uint64
	Path   string
}

// Layout describes the files of a cache.
type Layout struct {
	Name     string   // of the main file
	Header   uint32   // size of the header in bytes, which determines its fields
	Suffixes []string // of the files with data and __LINKEDIT: one, two, or none if all is in the main file
	Symbols  string   // name of the file with local symbols; "": the main file
	Redact   bool     // local symbols are removed from the images
}

// Layouts are those of macOS 11, 12, 13 and later, of a development cache, and of
// iOS.
var Layouts = map[string]Layout{
	"11":          {Name: "dyld_shared_cache_arm64e", Header: 0x140},
	"iOS 14":      {Name: "dyld_shared_cache_arm64e", Header: 0x140, Redact: true},
	"12":          {Name: "dyld_shared_cache_arm64e", Header: 0x1c8, Suffixes: []string{".1"}},
	"iOS 15":      {Name: "dyld_shared_cache_arm64e", Header: 0x1c8, Suffixes: []string{".1", ".2"}, Redact: true, Symbols: "dyld_shared_cache_arm64e.symbols"},
	"26":          {Name: "dyld_shared_cache_x86_64h", Header: 0x228, Suffixes: []string{".01", ".02.dyldlinkedit"}},
	"iOS 26":      {Name: "dyld_shared_cache_arm64e", Header: 0x228, Suffixes: []string{".25.dylddata", ".26.dyldlinkedit"}, Redact: true, Symbols: "dyld_shared_cache_arm64e.symbols"},
	"development": {Name: "dyld_shared_cache_arm64e.development", Header: 0x1f8, Suffixes: []string{".01.development"}, Redact: true, Symbols: "dyld_shared_cache_arm64e.symbols"},
}

// Start is the vmaddr of every cache made here.
const Start = 0x1_8000_0000

// UUID is that of the main file.
var UUID = [16]byte{0xca, 0xc4, 0xe0}

const page = 0x4000

// mapping is a dyld_cache_mapping_info.
type mapping struct {
	vmaddr, size, offset uint64
	prot                 uint32
}

// file is a file under construction.
type file struct {
	name     string
	uuid     [16]byte
	b        []byte
	mappings []mapping
}

// Make writes a cache of images, sorted by vmaddr, to a directory, and returns the
// path of its main file.
func Make(t testing.TB, dir string, l Layout, images []Image) string {
	t.Helper()
	m := &maker{layout: l}
	for _, im := range images {
		m.images = append(m.images, open(t, im))
	}
	m.placeAll()
	m.symbols()
	for _, f := range append(m.files, m.locals()...) {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, l.Name)
}

type maker struct {
	layout   Layout
	images   []*image
	files    []*file
	names    []byte // of local symbols
	linkedit mapping
}

func up(v uint64) uint64 { return (v + page - 1) &^ (page - 1) }

// placeAll assigns addresses: code, then data, then __LINKEDIT.
func (m *maker) placeAll() {
	last := m.images[len(m.images)-1]
	end := up(last.VMAddr + uint64(len(last.textBytes())))
	code := mapping{Start, end - Start, 0, 5}
	data := end + page // a page for the head of another file
	at := data
	for _, im := range m.images {
		im.place(func(size uint64) uint64 { at += up(size); return at - up(size) })
		if m.layout.Redact {
			m.names = im.redact(m.names)
		}
		im.growStrings()
		im.moveSymbols()
	}
	size := uint64(0)
	for _, im := range m.images {
		size += up(uint64(len(im.linkedit)))
	}
	m.linkedit = mapping{up(at) + page, size, 0, 1}
	m.file(m.layout.Name, UUID, code)
	dataFile := m.part(0)
	dataFile.add(mapping{data, up(at) - data, 0, 3})
	m.part(1).add(m.linkedit)
	m.linkedit = m.part(1).mappings[len(m.part(1).mappings)-1]
	m.fill()
}

// file starts a file with a mapping that contains its header.
func (m *maker) file(name string, uuid [16]byte, first mapping) *file {
	f := &file{name: name, uuid: uuid}
	f.add(first)
	m.files = append(m.files, f)
	return f
}

// part returns the file with data (0) or __LINKEDIT (1).
func (m *maker) part(n int) *file {
	n = min(n, len(m.layout.Suffixes)-1)
	if n < 0 {
		return m.files[0]
	}
	for len(m.files) <= n+1 {
		i := len(m.files)
		head := mapping{Start + 1<<33 + uint64(i)*page, page, 0, 1}
		m.file(basePath(m.layout)+m.layout.Suffixes[i-1], [16]byte{0xca, 0xc4, 0xe0, byte(i)}, head)
	}
	return m.files[n+1]
}

func basePath(l Layout) string {
	if filepath.Ext(l.Name) == ".development" {
		return l.Name[:len(l.Name)-len(".development")]
	}
	return l.Name
}

// add appends a mapping to a file.
func (f *file) add(m mapping) {
	m.offset = uint64(len(f.b))
	f.b = append(f.b, make([]byte, m.size)...)
	f.mappings = append(f.mappings, m)
}

// fill writes the images to their places.
func (m *maker) fill() {
	distance := uint64(0)
	for _, im := range m.images {
		im.placeLinkEdit(m.linkedit, distance)
		copy(m.files[0].b[im.VMAddr-Start:], im.textBytes())
		for i, b := range im.data {
			m.put(m.part(0), im.dataAt[i], b)
		}
		m.put(m.part(1), m.linkedit.vmaddr+distance, im.linkedit)
		distance += up(uint64(len(im.linkedit)))
	}
}

func (m *maker) put(f *file, vmaddr uint64, b []byte) {
	for _, at := range f.mappings {
		if vmaddr-at.vmaddr < at.size {
			copy(f.b[at.offset+vmaddr-at.vmaddr:], b)
		}
	}
}

// symbols writes the headers of the files.
func (m *maker) symbols() {
	for i, f := range m.files {
		head := f.head(m.layout.Header)
		if i == 0 {
			head = m.mainHead(head)
		}
		copy(f.b, head)
	}
}

// head returns the header of a file, followed by its mappings.
func (f *file) head(size uint32) []byte {
	b := make([]byte, size)
	copy(b, "dyld_v1  arm64e")
	le.PutUint32(b[0x10:], size)
	le.PutUint32(b[0x14:], uint32(len(f.mappings)))
	copy(b[0x58:], f.uuid[:])
	le.PutUint64(b[0xe0:], Start)
	for _, m := range f.mappings {
		b = le.AppendUint64(le.AppendUint64(le.AppendUint64(b, m.vmaddr), m.size), m.offset)
		b = le.AppendUint32(le.AppendUint32(b, m.prot), m.prot)
	}
	return b
}

// mainHead adds the subcaches and the images.
func (m *maker) mainHead(b []byte) []byte {
	if len(m.layout.Suffixes) > 0 {
		le.PutUint32(b[0x188:], uint32(len(b)))
		le.PutUint32(b[0x18c:], uint32(len(m.layout.Suffixes)))
		for i, suffix := range m.layout.Suffixes {
			f := m.files[i+1]
			b = le.AppendUint64(append(b, f.uuid[:]...), f.mappings[0].vmaddr-Start)
			if m.layout.Header > 0x1c8 {
				b = append(b, append([]byte(suffix), make([]byte, 32-len(suffix))...)...)
			}
		}
	}
	if m.layout.Symbols != "" {
		b[0x190] = 0x5f
	}
	le.PutUint64(b[0x88:], uint64(len(b)))
	le.PutUint64(b[0x90:], uint64(len(m.images)))
	path := len(b) + 32*len(m.images)
	for _, im := range m.images {
		b = le.AppendUint64(append(b, im.uuid...), im.VMAddr)
		b = le.AppendUint32(le.AppendUint32(b, uint32(len(im.textBytes()))), uint32(path))
		path += len(im.Path) + 1
	}
	for _, im := range m.images {
		b = append(append(b, im.Path...), 0)
	}
	return b
}

// locals writes the local symbols at the end of the main file, or to their own.
func (m *maker) locals() []*file {
	if !m.layout.Redact {
		return nil
	}
	f := m.files[0]
	var own []*file
	if m.layout.Symbols != "" {
		f = &file{name: m.layout.Symbols, uuid: [16]byte{0x5f}}
		f.b = make([]byte, page)
		copy(f.b, f.head(m.layout.Header))
		own = []*file{f}
	}
	var nlists, entries []byte
	for _, im := range m.images {
		distance := im.VMAddr - Start
		first, count := uint32(len(nlists)/nlistSize), uint32(len(im.nlists)/nlistSize)
		if m.layout.Header >= 0x190 {
			entries = le.AppendUint64(entries, distance)
		} else {
			entries = le.AppendUint32(entries, uint32(distance)) // also the offset in the file
		}
		entries = le.AppendUint32(le.AppendUint32(entries, first), count)
		nlists = append(nlists, im.localNlists()...)
	}
	chunk := make([]byte, 24)
	put := func(field, count int, b []byte) {
		le.PutUint32(chunk[field:], uint32(len(chunk)))
		le.PutUint32(chunk[field+4:], uint32(count))
		chunk = append(chunk, b...)
	}
	put(0, len(nlists)/nlistSize, nlists)
	put(8, len(m.names), m.names)
	put(16, len(m.images), entries)
	le.PutUint64(f.b[0x48:], uint64(len(f.b)))
	le.PutUint64(f.b[0x50:], uint64(len(chunk)))
	f.b = append(f.b, chunk...)
	return own
}

// localNlists returns the removed symbols, at the addresses where their sections are
// now.
func (im *image) localNlists() []byte {
	for b := im.nlists; len(b) > 0; b = b[nlistSize:] {
		if n := b[5]; n > 0 && int(n) <= len(im.sections) {
			le.PutUint64(b[8:], le.Uint64(b[8:])+im.sections[n-1])
		}
	}
	return im.nlists
}
