// Package debugsymbols finds dSYMs by UUID where macOS's debuggers do, in the order
// of Apple's DebugSymbols.framework by lldb's documentation ("Symbols on macOS"):
// directories of links named by UUID, Spotlight, and commands that the user has set.
package debugsymbols

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"stacksnap/images/debugfile/binaries"
	"stacksnap/images/dyld"
)

// Limits of one run.
const (
	maxSpotlight = 2 * time.Second // for all Spotlight queries together
	maxCommands  = 2 * time.Minute // for all commands together
	maxOutput    = 1 << 20         // bytes of a program's output
	maxPaths     = 16              // paths examined in one program's output
	maxWarnings  = 3
)

// domain is the preferences domain of DebugSymbols.framework.
const domain = "com.apple.DebugSymbols"

// Finder queries this system. It is safe for concurrent use.
type Finder struct {
	getenv func(string) string
	tell   func(line string)

	mu                  sync.Mutex // one query at a time
	asked               bool       // the preferences have been read
	preferences         value
	spotlight, commands time.Duration // time left
	errs                []string
}

// New returns a Finder that has queried nothing yet. tell is called with a line of
// progress, which replaces the line before, and with "" at the end; it may be nil.
func New(getenv func(string) string, tell func(line string)) *Finder {
	return &Finder{getenv: getenv, tell: tell, spotlight: maxSpotlight, commands: maxCommands}
}

// Find implements [binaries.Finder]. It does not search for dSYMs of Apple's own
// images, because there are none.
func (f *Finder) Find(id []byte, image string) (path string, ok bool) {
	const uuidSize = 16
	if len(id) != uuidSize || dyld.IsApples(image) {
		return "", false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.prefer()
	for _, source := range []func(string) iter.Seq[string]{f.mapped, f.bySpotlight, f.byCommands} {
		for candidate := range source(uuidText(id)) {
			if path, ok := inside(candidate, id); ok {
				return path, true
			}
		}
	}
	return "", false
}

// Warnings implements [binaries.Finder].
func (f *Finder) Warnings() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.errs)
}

// warn records an error, up to a limit.
func (f *Finder) warn(format string, args ...any) {
	if line := fmt.Sprintf(format, args...); len(f.errs) < maxWarnings && !slices.Contains(f.errs, line) {
		f.errs = append(f.errs, line)
	}
}

// uuidText formats a UUID as macOS does: 8-4-4-4-12 upper-case hex digits.
func uuidText(id []byte) string {
	return fmt.Sprintf("%X-%X-%X-%X-%X", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// inside returns the symbol file in candidate, which may be a bundle, or an archive
// of bundles.
func inside(candidate string, id []byte) (path string, ok bool) {
	x, err := binaries.NewIndex(binaries.Places{Symbols: []string{candidate}})
	if err != nil {
		return "", false
	}
	for _, path := range x.SymbolPaths(id) {
		return path, true
	}
	return "", false
}

// mapped yields the links in the directories of DBGFileMappedPaths, such as
// 2351/6BE4/29BE/350C/91C9/F36E7999F0F1.
func (f *Finder) mapped(uuid string) iter.Seq[string] {
	digits := strings.ReplaceAll(uuid, "-", "")
	var parts []string
	for at := 0; at < 20; at += 4 {
		parts = append(parts, digits[at:at+4])
	}
	name := filepath.Join(append(parts, digits[20:])...)
	return func(yield func(string) bool) {
		for _, folder := range f.preferences.dict["DBGFileMappedPaths"].strings() {
			if !yield(filepath.Join(folder, name)) {
				return
			}
		}
	}
}

// bySpotlight yields what Spotlight knows to have a dSYM for the UUID. If preferences
// are set, it searches only the directories that they name for it.
func (f *Finder) bySpotlight(uuid string) iter.Seq[string] {
	questions := [][]string{nil}
	if len(f.preferences.dict) > 0 {
		questions = nil
		for _, folder := range f.preferences.dict["DBGSpotlightPaths"].strings() {
			questions = append(questions, []string{"-onlyin", folder})
		}
	}
	return func(yield func(string) bool) {
		for _, where := range questions {
			out, err := f.run(&f.spotlight, "mdfind", append(where, "com_apple_xcode_dsym_uuids == "+uuid)...)
			if err != nil {
				return // Spotlight is off, or does not exist
			}
			for _, path := range lines(out) {
				if !yield(path) {
					return
				}
			}
		}
	}
}

// lines returns the first paths in a program's output.
func lines(out []byte) (list []string) {
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSuffix(line, "\n"); filepath.IsAbs(line) && len(list) < maxPaths {
			list = append(list, line)
		}
	}
	return list
}

// run runs a program in the time that is left.
func (f *Finder) run(left *time.Duration, name string, args ...string) ([]byte, error) {
	if *left <= 0 {
		return nil, context.DeadlineExceeded
	}
	began := time.Now()
	defer func() { *left -= time.Since(began) }()
	ctx, cancel := context.WithTimeout(context.Background(), *left)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second // in case a child holds the pipe
	out := &limited{}
	cmd.Stdout = out
	if err := cmd.Run(); err != nil {
		return nil, errors.Join(ctx.Err(), err)
	}
	return out.said.Bytes(), nil
}

// limited keeps the start of a program's output, and ends a program that writes more.
type limited struct{ said bytes.Buffer }

var errTooLong = errors.New("it says more than is read")

func (l *limited) Write(p []byte) (int, error) {
	if l.said.Len()+len(p) > maxOutput {
		return 0, errTooLong
	}
	return l.said.Write(p)
}

// prefer reads the preferences by running defaults(1), because the file may be
// outdated. The file must belong to the current user, because the preferences name
// programs to run.
func (f *Finder) prefer() {
	if f.asked {
		return
	}
	f.asked = true
	file := filepath.Join(f.getenv("HOME"), "Library", "Preferences", domain+".plist")
	info, err := os.Stat(file)
	if err != nil {
		return
	}
	if !isOwn(info) {
		f.warn("%s belongs to another user, and is left aside", file)
		return
	}
	out, err := f.run(&f.commands, "defaults", "export", domain, "-")
	if err == nil {
		f.preferences, err = parse(out)
	}
	if err != nil {
		f.warn("the preferences of %s cannot be read: %v", domain, err)
	}
}
