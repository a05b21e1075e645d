package macho

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task/damage"
)

// archiveText makes an archive of the members given by their headers' names, dates and
// contents.
func archiveText(members ...[3]string) []byte {
	b := []byte(archiveMagic)
	for _, m := range members {
		b = fmt.Appendf(b, "%-16s%-12s%-6d%-6d%-8o%-10d`\n%s", m[0], m[1], 0, 0, 0o644, len(m[2]), m[2])
		if len(m[2])%2 != 0 {
			b = append(b, '\n')
		}
	}
	return b
}

// TestArchiveNames reads names as each kind of archive has them.
func TestArchiveNames(t *testing.T) {
	for name, b := range map[string][]byte{
		"Apple": archiveText([3]string{"#1/12", "5", "__.SYMDEF\x00\x00\x00table"}, [3]string{"short.o", "6", "one"},
			[3]string{"#1/24", "7", "a name of some length.o\x00two"}),
		"GNU": archiveText([3]string{"/", "0", "table"}, [3]string{"/SYM64/", "0", "table"},
			[3]string{"//", "", "x.o/\na name of some length.o/\n"}, [3]string{"short.o/", "6", "one"}, [3]string{"/5", "7", "two"}),
	} {
		list, err := readArchive(bytes.NewReader(b), int64(len(b)), new(cost))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, want := range []struct {
			name, text string
			modified   uint64
		}{{"short.o", "one", 6}, {"a name of some length.o", "two", 7}} {
			m := list[want.name]
			if len(m) != 1 || m[0].modified != want.modified || string(b[m[0].offset:][:m[0].size]) != want.text {
				t.Errorf("%s: %s: %+v", name, want.name, m)
			}
		}
	}
}

// TestArchiveRefused takes nothing from an archive that is not whole.
func TestArchiveRefused(t *testing.T) {
	good := archiveText([3]string{"#1/8", "5", "name.o\x00\x00text"})
	if list, err := readArchive(bytes.NewReader(good), int64(len(good)), new(cost)); err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	for name, b := range map[string][]byte{
		"cut":                  good[:len(good)-3],
		"no end of the header": bytes.Replace(good, []byte("`"), []byte("'"), 1),
		"a size that is none":  bytes.Replace(good, []byte("12        `"), []byte("-2        `"), 1),
		"a date that is none":  bytes.Replace(good, []byte("5    "), []byte("x    "), 1),
		"a name of its own":    bytes.Replace(good, []byte("#1/8 "), []byte("#1/99"), 1),
		"no long names":        bytes.Replace(good, []byte("#1/8"), []byte("/3  "), 1),
		"a name of gigabytes":  bytes.Replace(good, []byte("#1/8         "), []byte("#1/2147483647"), 1),
	} {
		if bytes.Equal(b, good) {
			t.Fatalf("%s: nothing was changed", name)
		}
		if list, err := readArchive(bytes.NewReader(b), int64(len(b)), new(cost)); err == nil {
			t.Errorf("%s: %v", name, list)
		}
	}
	c := cost{budget: object.NewBudget(memberBytes, 1<<20)}
	if list, err := readArchive(bytes.NewReader(good), int64(len(good)), &c); err == nil {
		t.Errorf("over the budget: %v", list)
	}
}

// TestDamagedArchives reads archives that were good before without a panic, and within
// what they have.
func TestDamagedArchives(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 40_000 {
		wantWithinArchive(t, damage.Copy(r, goodArchives[i%len(goodArchives)]))
	}
}

// goodArchives have names of both kinds.
var goodArchives = [][]byte{
	archiveText([3]string{"#1/24", "7", "a name of some length.o\x00two"}, [3]string{"short.o", "6", "one"}),
	archiveText([3]string{"//", "", "x.o/\na name of some length.o/\n"}, [3]string{"/5", "7", "two"}),
}

// wantWithinArchive reads what may be an archive, and wants its members within it.
func wantWithinArchive(t *testing.T, b []byte) {
	t.Helper()
	list, err := readArchive(bytes.NewReader(b), int64(len(b)), new(cost))
	if err != nil {
		return
	}
	for name, members := range list {
		for _, m := range members {
			if m.offset < 0 || m.size < 0 || m.offset+m.size > int64(len(b)) || len(name) > maxMemberName {
				t.Fatalf("%q: %+v of %d bytes", name, m, len(b))
			}
		}
	}
}

func FuzzArchive(f *testing.F) {
	for _, b := range goodArchives {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { wantWithinArchive(t, b) })
}

// TestArchiveAsLLVM compares with what llvm-ar tells of archives that it makes.
func TestArchiveAsLLVM(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for i, name := range []string{"a.o", "sixteen-letters-", "a-name-of-twenty.o", "a name with blanks (1).o"} {
		files = append(files, filepath.Join(dir, name))
		write(t, files[i], bytes.Repeat([]byte{byte(i)}, 7*i), linkTime.Add(1e9*3))
	}
	for _, format := range []string{"darwin", "bsd", "gnu"} {
		out := filepath.Join(dir, format+".a")
		llvm(t, "", "llvm-ar", slices.Concat([]string{"--format=" + format, "rcsU", out}, files)...)
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		list, err := readArchive(bytes.NewReader(b), int64(len(b)), new(cost))
		if err != nil {
			t.Errorf("%s: %v", format, err)
		}
		for line := range strings.Lines(llvm(t, "", "llvm-ar", "t", out)) {
			name := strings.TrimSuffix(line, "\n")
			want := llvm(t, "", "llvm-ar", "p", out, name) // with what fills it up, as Apple's have
			m := list[name]
			if len(m) != 1 || string(b[m[0].offset:][:m[0].size]) != want || m[0].modified != uint64(linkTime.Unix()+3) {
				t.Errorf("%s: %q: %+v, %q", format, name, m, want)
			}
		}
	}
}
