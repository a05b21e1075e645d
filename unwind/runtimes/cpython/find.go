package cpython

import (
	"fmt"
	"strings"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
)

// Instance is the CPython of an image in one process. It is for one goroutine at a time.
type Instance struct {
	version version
	layout  layout
	runtime task.Addr // of _PyRuntime

	states   map[task.ThreadID]threadState // as Chains found them
	codes    codeCache
	fresh    map[task.Addr]freshCode // code objects that need not be read again yet
	uses     int                     // of fresh
	work     int                     // of maxWork
	codeType task.Addr               // of code objects; 0: not seen yet
	none     task.Addr               // None; 0: not seen yet
	seen     map[task.Addr]bool      // frames of the chain that is read
	keys     keyCache
	pages    *pages // of the last reading
}

// Version returns the version of the language and its implementation: "3.12.1", or "3.9"
// where only that is known.
func (p *Instance) Version() string { return p.version.String() }

func (p *Instance) minor() int { return p.version.minor() }

// Find returns the CPython in an image, nil if there is none. The error says why it
// cannot be read, in one line.
func Find(im *images.Image, m task.Memory) (*Instance, error) {
	at, ok := runtimeState(im)
	if !ok {
		return nil, nil
	}
	if arch := im.File.Arch(); arch != task.AMD64 && arch != task.ARM64 {
		return nil, fmt.Errorf("CPython on %v: %w", arch, errLayout)
	}
	v, hasTable, err := findVersion(im, m, at)
	if err != nil {
		return nil, fmt.Errorf("CPython: %w", err)
	}
	l, err := layoutFor(v, hasTable, m, at)
	if err != nil {
		return nil, fmt.Errorf("CPython %v: %w", v, err)
	}
	return &Instance{version: v, layout: l, runtime: at, seen: map[task.Addr]bool{}}, nil
}

// layoutFor returns the layout of a version, from the table of offsets at the start of the
// runtime's state if it has one.
func layoutFor(v version, hasTable bool, m task.Memory, at task.Addr) (layout, error) {
	if err := v.check(); err != nil {
		return layout{}, err
	}
	if hasTable {
		return readOffsets(m, at, v)
	}
	l, ok := layoutOf(v.minor())
	if !ok {
		return l, errLayout
	}
	return l, nil
}

// sectionOf returns the range of one of CPython's own sections, by its name without what
// ELF and Mach-O put before it.
func sectionOf(f object.DataFinder, name string) (vmaddr, size uint64, ok bool) {
	if vmaddr, size, ok = f.SectionRange("." + name); ok {
		return vmaddr, size, true
	}
	return f.SectionRange("__DATA," + name)
}

// runtimeState returns the address of _PyRuntime, which has a section of its own from 3.10
// on. Its symbol is looked up only in the program and in images that are named after Python.
func runtimeState(im *images.Image) (task.Addr, bool) {
	f, ok := im.File.(object.DataFinder)
	if !ok {
		return 0, false
	}
	if at, _, ok := sectionOf(f, "PyRuntime"); ok {
		return im.Addr(at), true
	}
	if !strings.Contains(im.Name(), "python") && !im.Main {
		return 0, false
	}
	at, ok := f.Exported("_PyRuntime")
	return im.Addr(at), ok
}

// IsLoop reports whether a function of the image runs Python frames: the interpreter's
// loop, a part that a compiler split off it, or, in builds with tail calls, the function of
// an instruction.
func (p *Instance) IsLoop(symbol string) bool {
	const loop = "_PyEval_EvalFrameDefault"
	rest, ok := strings.CutPrefix(symbol, loop)
	return ok && (rest == "" || rest[0] == '.') || strings.HasPrefix(symbol, "_TAIL_CALL_")
}
