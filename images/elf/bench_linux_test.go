package elf

import (
	"os"
	"testing"
)

// BenchmarkOpen opens libc and names one address: what an image on a stack
// costs, with the separate debug file where it is installed and without.
func BenchmarkOpen(b *testing.B) {
	path := systemFile(b, "/lib/*/libc.so.6", "/lib64/libc.so.6")
	b.Run("libc,headers", func(b *testing.B) { benchmarkOpen(b, path, false, false) })
	b.Run("libc,dynsym", func(b *testing.B) { benchmarkOpen(b, path, true, false) })
	b.Run("libc,debug", func(b *testing.B) { benchmarkOpen(b, path, true, true) })
	b.Run("go", func(b *testing.B) { benchmarkOpen(b, "/proc/self/exe", true, false) })
}

// BenchmarkOpenLarge does so for node, if it is installed: some 90 MB.
func BenchmarkOpenLarge(b *testing.B) {
	path := systemFile(b, "/usr/bin/node", "/usr/local/bin/node", "/opt/*/bin/node")
	b.Run("headers", func(b *testing.B) { benchmarkOpen(b, path, false, false) })
	b.Run("symbol", func(b *testing.B) { benchmarkOpen(b, path, true, false) })
}

func benchmarkOpen(b *testing.B, path string, symbol, debug bool) {
	l := Loader{Roots: []string{"/"}}
	b.ReportAllocs()
	for b.Loop() {
		c, err := openCandidate(path)
		if err != nil {
			b.Fatal(err)
		}
		f, err := NewFile(c.file, c.size)
		if err != nil {
			b.Fatal(err)
		}
		if debug {
			f.findDebug = func(f *File) *File { return l.findDebug(f, path) }
		}
		if symbol {
			largest := f.areas[0]
			for _, a := range f.areas {
				if a.end-a.start > largest.end-largest.start {
					largest = a
				}
			}
			if _, ok := f.Symbol((largest.start + largest.end) / 2); !ok && debug {
				b.Fatal("no symbol")
			}
		}
		f.Close()
	}
}

// BenchmarkLoad finds the images of this test itself.
func BenchmarkLoad(b *testing.B) {
	p := openLive(b, os.Getpid())
	b.ReportAllocs()
	for b.Loop() {
		placed, _ := Load(p)
		for i := range placed {
			placed[i].File.Close()
		}
	}
}
