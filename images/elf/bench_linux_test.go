package elf

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
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

// BenchmarkSymbol names addresses all over the code of a file that is open, each the first
// time and then again.
func BenchmarkSymbol(b *testing.B) {
	path := systemFile(b, "/usr/bin/node", "/usr/local/bin/node", "/opt/*/bin/node", "/lib/*/libc.so.6")
	f := openFile(b, path)
	addrs := codeOf(b, path, 1<<16)
	f.Symbol(addrs[0])
	for i := 0; b.Loop(); i++ {
		f.Symbol(addrs[i%len(addrs)])
	}
}

// BenchmarkLoad finds the images of this test itself.
func BenchmarkLoad(b *testing.B) {
	p := openLive(b, os.Getpid())
	b.ReportAllocs()
	for b.Loop() {
		placed, _ := LiveLoader(os.Getpid()).Load(p)
		for i := range placed {
			placed[i].File.Close()
		}
	}
}

// BenchmarkSource opens a file with debugging information, or with its debug package
// installed, and asks where one address is in the source, and a thousand; beside tools
// that do so. STACKSNAP_ELF names another file, which has its debugging information.
func BenchmarkSource(b *testing.B) {
	path := os.Getenv("STACKSNAP_ELF")
	if path == "" {
		path = systemFile(b, "/usr/bin/python3.11", "/lib/*/libc.so.6")
	}
	for _, n := range []int{1, 1000} {
		addrs := codeOf(b, path, n)
		b.Run(fmt.Sprintf("ours,%d", n), func(b *testing.B) {
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
				(&Loader{Roots: []string{"/"}}).Prepare(f, path)
				for _, a := range addrs {
					f.Source(a)
				}
				_ = f.Close() // it was only read
			}
		})
		for _, peer := range [][]string{{"llvm-symbolizer", "--obj=" + path}, {"addr2line", "-i", "-f", "-e", path}} {
			b.Run(fmt.Sprintf("%s,%d", peer[0], n), func(b *testing.B) { benchmarkPeer(b, peer, addrs) })
		}
	}
}

func benchmarkPeer(b *testing.B, peer []string, addrs []uint64) {
	tool(b, peer[0])
	var in strings.Builder
	for _, a := range addrs {
		fmt.Fprintf(&in, "0x%x\n", a)
	}
	for b.Loop() {
		cmd := exec.Command(peer[0], peer[1:]...)
		cmd.Stdin = strings.NewReader(in.String())
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)/1024, "MB")
	}
}

// codeOf lists n addresses all over the code of a file.
func codeOf(b *testing.B, path string, n int) []uint64 {
	b.Helper()
	f, err := elf.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	text := f.Section(".text")
	var addrs []uint64
	for i := range uint64(n) {
		addrs = append(addrs, text.Addr+text.Size*(2*i+1)/uint64(2*n))
	}
	return addrs
}
