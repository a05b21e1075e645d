//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"bytes"
	"debug/macho"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mapped is a program that names the object file which has its debugging information.
type mapped struct {
	program, object string
	named           string // what the program calls the object file, where that is until [room.moveInside]
}

// compileMapped builds a file of C or C++ to an object file and a program. The path that the
// program has of the object file is as long as the one inside the space.
func (r *room) compileMapped(source string, flags ...string) mapped {
	r.Helper()
	dir := r.TempDir()
	long := filepath.Join(dir, strings.Repeat("x", max(0, len(r.files)-1)))
	name := strings.TrimSuffix(filepath.Base(source), filepath.Ext(source))
	m := mapped{filepath.Join(dir, name), filepath.Join(dir, name+".o"), filepath.Join(long, name+".o")}
	source, err := filepath.Abs(source)
	build := compiler(filepath.Ext(source) != ".c")
	if err = errors.Join(err, os.MkdirAll(long, 0o755),
		run(dir, nil, slices.Concat(build, []string{"-g", "-O1"}, flags, []string{"-c", source, "-o", m.named})...),
		run(dir, nil, append(build, m.named, "-o", m.program)...),
	); err != nil {
		r.Fatal(err)
	}
	return m
}

// moveInside has the program name the object file as that is called inside the space, and
// moves it there.
func (r *room) moveInside(m *mapped) {
	r.Helper()
	b, err := os.ReadFile(m.program)
	if err != nil {
		r.Fatal(err)
	}
	inside := r.inside(m.object)
	if !bytes.Contains(b, []byte(m.named)) || len(m.named) != len(inside) {
		r.Fatalf("the program does not name %s, to be %s", m.named, inside)
	}
	b = bytes.ReplaceAll(b, []byte(m.named), []byte(inside))
	if err := errors.Join(padData(b), os.WriteFile(m.program, b, 0o755), os.Rename(m.named, m.object)); err != nil {
		r.Fatal(err)
	}
}

// padData makes the data segment of a program end where a page does, as Apple's linker has it.
// zig's does not, and the Darwin user space leaves out what is on the last page.
func padData(program []byte) error {
	const header, vmsize, page = 32, 32, 0x1000 // <mach-o/loader.h>, mach_header_64 and segment_command_64
	f, err := macho.NewFile(bytes.NewReader(program))
	if err != nil {
		return err
	}
	at := header
	for _, l := range f.Loads {
		if s, ok := l.(*macho.Segment); ok && s.Name == "__DATA" {
			f.ByteOrder.PutUint64(program[at+vmsize:], (s.Memsz+page-1)&^(page-1))
		}
		at += len(l.Raw())
	}
	return nil
}
