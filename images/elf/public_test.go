package elf

import (
	"debug/elf"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stacksnap/images/object"
)

// TestPublicName tells which of the names at one address people know.
func TestPublicName(t *testing.T) {
	const global, weak, local, label = 0, 1, 2, 4
	type named struct {
		name string
		rank uint8
		size uint64
	}
	for _, tt := range []struct {
		about   string
		aliases []named // of which the first is preferred
		want    string
	}{
		{"weak public name", []named{{"__poll", global, 9}, {"poll", weak, 9}}, "poll"},
		{"versions", []named{{"__poll@@GLIBC_2.2.5", global, 9}, {"poll@@GLIBC_2.2.5", weak, 9}}, "poll@@GLIBC_2.2.5"},
		{"the shorter of equals", []named{{"__open64", weak, 9}, {"open64", weak, 9}, {"open", weak, 9}}, "open"},
		{"the better bound", []named{{"__strchr", global, 9}, {"strchr", global, 9}, {"index", weak, 9}}, "strchr"},
		{"outdated", []named{{"__libc_free", global, 9}, {"cfree@GLIBC_2.2.5", global, 9}, {"deallocate", weak, 9}}, "deallocate"},
		{"outdated alone", []named{{"__sysctl@GLIBC_2.2.5", global, 9}, {"sysctl@GLIBC_2.2.5", weak, 9}}, "sysctl@GLIBC_2.2.5"},
		{"all reserved", []named{{"_exit", global, 9}, {"_Exit", weak, 9}}, ""},
		{"known already", []named{{"alias", global, 9}, {"other", weak, 9}}, ""},
		{"of the file only", []named{{"__write", global, 9}, {"do_write", local, 9}}, ""},
		{"a label", []named{{"__write", global, 9}, {"begin", label, 0}}, ""},
		{"both without a size", []named{{"__write", label, 0}, {"write", label + 1, 0}}, ""},
		{"another extent", []named{{"__write", global, 9}, {"write_begins", global, 4}}, ""},
		{"mangled", []named{{"_ZN1a1bEv", global, 9}, {"c", weak, 9}}, ""},
		{"mangled and public", []named{{"__c", global, 9}, {"_ZN1a1bEv", weak, 9}}, "_ZN1a1bEv"},
		{"Rust", []named{{"_RNvC1a1b", global, 9}, {"c", weak, 9}}, ""},
	} {
		var entries []object.Entry
		for i, a := range tt.aliases {
			entries = append(entries, object.Entry{VMAddr: 0x100, Size: a.size, Rank: a.rank, Name: uint32(i)})
		}
		entries = append(entries, object.Entry{VMAddr: 0xf0, Size: 0x10, Name: uint32(len(tt.aliases))},
			object.Entry{VMAddr: 0x110, Size: 0x10, Name: uint32(len(tt.aliases))},
			object.Entry{VMAddr: 0x100, Size: 9, Section: 1, Name: uint32(len(tt.aliases))})
		table := object.NewTable(entries, func(i uint32) string {
			if int(i) == len(tt.aliases) {
				return "neighbour"
			}
			return tt.aliases[i].name
		})
		s := object.Symbol{Name: tt.aliases[0].name, VMAddr: 0x100, Size: tt.aliases[0].size}
		if got := publicName(&s, table.At(0x100, 0)); got != tt.want {
			t.Errorf("%s: %q is known as %q, want %q", tt.about, s.Name, got, tt.want)
		}
	}
}

// TestPublicNamesOfLibc asks the system's libc for functions that its manual
// names, and for all it exports, with the symbols of its debug file and without.
func TestPublicNamesOfLibc(t *testing.T) {
	path := systemFile(t, "/lib/*/libc.so.6", "/lib64/libc.so.6", "/lib/ld-musl-*.so.1")
	exported := exportedAt(t, path)
	t.Run("with debug file", func(t *testing.T) { wantPublicNames(t, openFile(t, path), exported) })
	t.Run("alone", func(t *testing.T) {
		alone := filepath.Join(t.TempDir(), "libc.so")
		run(t, tool(t, "strip"), "-o", alone, path)
		f := openFile(t, alone)
		f.findDebug = nil
		wantPublicNames(t, f, exported)
	})
}

// exportedAt reads the names that a file exports, by address, with Go's own reader.
func exportedAt(t *testing.T, path string) map[uint64][]string {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	names := map[uint64][]string{}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			names[s.Value] = append(names[s.Value], s.Name)
		}
	}
	return names
}

func wantPublicNames(t *testing.T, f *File, exported map[uint64][]string) {
	known := []string{"poll", "read", "write", "select", "nanosleep", "puts", "malloc", "free", "accept", "recv", "ioctl", "fork", "waitpid", "open"}
	found := 0
	for at, names := range exported {
		s, ok := f.Symbol(at)
		if !ok {
			continue
		}
		name := base(s.Name)
		if s.Public != "" {
			if name = base(s.Public); !slices.Contains(names, name) {
				t.Errorf("%s at %#x is told as %s, which is not among %q", s.Name, at, s.Public, names)
			}
		}
		for _, n := range names {
			if n[0] != '_' && isReserved(name) {
				t.Errorf("%s at %#x is told as %s", n, at, name)
			}
			if slices.Contains(known, n) {
				found++
				if name != n {
					t.Errorf("%s at %#x is told as %s", n, at, name)
				}
			}
		}
	}
	if found < len(known)-2 {
		t.Errorf("only %d of %q were found", found, known)
	}
}

// base is a name without its version.
func base(name string) string {
	name, _, _ = strings.Cut(name, "@")
	return name
}
