package cpython

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

// TestLayoutsAreThoseOfTheHeaders compiles testdata/offsets.c with the headers of each
// installed version.
func TestLayoutsAreThoseOfTheHeaders(t *testing.T) {
	needs.Tool(t, "gcc")
	home, _ := os.UserHomeDir()
	for minor := 8; minor <= 12; minor++ {
		t.Run(fmt.Sprintf("3.%d", minor), func(t *testing.T) {
			dirs, _ := filepath.Glob(filepath.Join(home, fmt.Sprintf(".pyenv/versions/3.%d.*/include/python3.%d", minor, minor)))
			system := fmt.Sprintf("/usr/include/python3.%d", minor)
			if _, err := os.Stat(system); err == nil {
				dirs = append(dirs, system)
			}
			if len(dirs) == 0 {
				needs.Skip(t, fmt.Sprintf("headers of Python 3.%d", minor), "")
			}
			l, _ := layoutOf(minor)
			for _, dir := range dirs {
				compareLayout(t, l.fields(), printedOffsets(t, dir))
			}
		})
	}
}

func printedOffsets(t *testing.T, dir string) map[string]int {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "offsets")
	gcc := exec.Command("gcc", "-w", "-I", dir, "-I", dir+"/internal", "-o", bin, "testdata/offsets.c")
	if out, err := gcc.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", gcc.Args, err, out)
	}
	out, err := exec.Command(bin).Output()
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string]int{}
	for line := range strings.Lines(string(out)) {
		var name string
		var offset int
		if _, err := fmt.Sscan(line, &name, &offset); err != nil {
			t.Fatal(err)
		}
		printed[name] = offset
	}
	return printed
}

// fields returns the offsets by name. Those that a version does not have are 0.
func (l *layout) fields() map[string]int {
	return map[string]int{
		"head": l.head, "interp.next": l.interp.next, "interp.threads": l.interp.threads,
		"thread.next": l.thread.next, "thread.interp": l.thread.interp, "thread.handle": l.thread.handle,
		"thread.native": l.thread.native, "thread.frame": l.thread.frame, "cframe.next": l.cframe.next,
		"frame.code": l.frame.code, "frame.previous": l.frame.previous, "frame.instr": l.frame.instr,
		"frame.isEntry": l.frame.isEntry, "frame.owner": l.frame.owner,
		"code.size": l.code.size, "code.name": l.code.name, "code.qualname": l.code.qualname,
		"code.filename": l.code.filename, "code.firstLine": l.code.firstLine, "code.lines": l.code.lines,
		"code.firstTraceable": l.code.firstTraceable, "code.bytecode": l.code.bytecode,
		"bytes.size": l.bytes.size, "bytes.data": l.bytes.data,
		"unicode.length": l.unicode.length, "unicode.state": l.unicode.state,
		"unicode.ascii": l.unicode.ascii, "unicode.compact": l.unicode.compact,
		"exceptions.raised": l.exceptions.raised, "exceptions.handled": l.exceptions.handled,
		"exceptions.value": l.exceptions.value, "exceptions.next": l.exceptions.next,
		"collection.runtime": l.collection.runtime, "collection.interp": l.collection.interp,
		"object.kind": l.object.kind, "object.typeName": l.object.typeName, "object.typeSize": l.object.typeSize,
	}
}

func compareLayout(t *testing.T, got, want map[string]int) {
	t.Helper()
	for name := range want {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is not compared", name)
		}
	}
	for name, offset := range got {
		if offset != want[name] {
			t.Errorf("%s is at %d, in the headers at %d", name, offset, want[name])
		}
	}
}
