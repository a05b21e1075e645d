package golang

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
)

// Runtime is Go's runtime in an image of a process.
type Runtime struct {
	Version string // "go1.26.1"
	Known   bool   // the layout is that of the version; if false, that of an older one

	image   *images.Image
	memory  task.Memory
	arch    task.Arch
	layout  *layout
	length  task.Addr // of runtime.allglen, the number of goroutines
	list    task.Addr // of runtime.allgptr, the pointer to their list
	reasons []string  // wait reasons by number
	allm    task.Addr // of runtime.allm, the pointer to the list of threads

	// semaphoreTables are the address of runtime.semtable. Unproven says that it is one of them, or none.
	semaphoreTables []task.Addr
	unproven        bool

	darwin bool

	threads map[task.ThreadID]runtimeThread // by the last Chains
}

// ErrNone is returned for an image without Go's runtime.
var ErrNone = errors.New("not a Go program")

// The bounds of what Attach reads.
const (
	maxVersion = 256
	maxReasons = 256
	maxReason  = 128 // bytes
)

// symbols are the variables of the runtime that are read.
var symbols = []string{"runtime.allglen", "runtime.allgptr", "runtime.buildVersion", "runtime.waitReasonStrings", "runtime.allm", "runtime.semtable"}

// Attach finds the runtime in an image of a process of a system.
func Attach(im *images.Image, m task.Memory, os task.OS) (*Runtime, error) {
	if im.File == nil {
		return nil, ErrNone
	}
	if _, err := im.File.Section(object.GoPCLnTab); err != nil {
		return nil, ErrNone
	}
	r := &Runtime{image: im, memory: m, arch: im.File.Arch(), darwin: os == task.Darwin}
	if r.arch != task.AMD64 && r.arch != task.ARM64 {
		return nil, fmt.Errorf("goroutines of %v programs are not read", r.arch)
	}
	found := object.SymbolsOf(im.File, symbols...)
	if found == nil {
		return nil, ErrNone // a recording, which has no table of variables
	}
	if i := slices.IndexFunc(found, func(s object.Symbol) bool { return s.Name == "" }); i >= 0 {
		if err := r.search(); err != nil {
			return nil, fmt.Errorf("goroutines are not found: no symbol %s: the program is stripped, or its symbol table is not readable; %w", symbols[i], err)
		}
		return r, nil
	}
	return r, r.use(found)
}

// use takes the variables from their symbols.
func (r *Runtime) use(found []object.Symbol) error {
	at := func(i int) task.Addr { return r.image.Addr(found[i].VMAddr) }
	if err := r.identify(at(2)); err != nil {
		return err
	}
	r.length, r.list, r.allm, r.semaphoreTables = at(0), at(1), at(4), []task.Addr{at(5)}
	r.reasons = r.readReasons(at(3), found[3].Size)
	return nil
}

// identify reads the version.
func (r *Runtime) identify(at task.Addr) error {
	version, err := readString(r.memory, at, maxVersion)
	if err != nil {
		return fmt.Errorf("the version of Go is not readable: %w", err)
	}
	r.Version, _, _ = strings.Cut(version, " ")
	if r.layout, r.Known = layoutOf(version); r.layout == nil {
		return fmt.Errorf("goroutines of %q are not read: Go 1.%d is the oldest version supported", version, layouts[0].minor)
	}
	return nil
}

// Name returns the runtime's name with its version: "Go 1.26.1".
func (r *Runtime) Name() string { return "Go " + strings.TrimPrefix(r.Version, "go") }

// readString reads a string by the address of its header.
func readString(m task.Memory, at task.Addr, limit int) (string, error) {
	var head [16]byte
	if err := task.ReadFull(m, head[:], at); err != nil {
		return "", err
	}
	length := binary.LittleEndian.Uint64(head[8:])
	if length > uint64(limit) {
		return "", fmt.Errorf("a string of %d bytes at %v", length, at)
	}
	text := make([]byte, length)
	err := task.ReadFull(m, text, task.Addr(binary.LittleEndian.Uint64(head[:])))
	return string(text), err
}

// readReasons reads the runtime's table of wait reasons, as far as it is readable.
func (r *Runtime) readReasons(at task.Addr, size uint64) (reasons []string) {
	for i := range min(size/16, maxReasons) {
		text, err := readString(r.memory, at+task.Addr(16*i), maxReason)
		if err != nil {
			return reasons
		}
		reasons = append(reasons, text)
	}
	return reasons
}
