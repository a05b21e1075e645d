//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

var (
	repository, _ = filepath.Abs(filepath.Join("..", ".."))

	// built is what the tests run.
	built struct {
		dir       string
		stacksnap string // for Darwin
		linux     string // for Linux, where this is that
		zig       string
		targets   sync.Map // of func() (string, error), by name
	}
)

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	if why := missing(); why != "" {
		fmt.Println("darwinlive: skipped:", why)
		return 0
	}
	dir, err := os.MkdirTemp("", "darwinlive")
	if err == nil { // a Mac's is below /var, and dyld tells of /private/var
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(dir)
	built.dir = dir
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, new(syscall.Rlimit)) // the space dumps core here when it ends
	if err := buildAll(); err != nil {
		fmt.Println(err)
		return 1
	}
	events := watchUserEvents()
	code := m.Run()
	fmt.Printf("darwinlive: %d repeats for the sake of the Darwin user space, in which %d reads of a user event had to be ended\n", repeats, events.end())
	return code
}

func buildAll() error {
	built.stacksnap = filepath.Join(built.dir, "stacksnap")
	if runtime.GOOS == "darwin" {
		return errors.Join(
			run(repository, nil, "go", "build", "-trimpath", "-o", built.stacksnap, "."),
			run(repository, nil, "scripts/sign.sh", built.stacksnap),
		)
	}
	built.linux = filepath.Join(built.dir, "stacksnap-linux")
	if err := run(repository, nil, "go", "build", "-o", built.linux, "."); err != nil {
		return err
	}
	if err := run(repository, []string{"OUT=" + built.dir}, "scripts/build-darwin.sh", "build", "amd64"); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(built.dir, "stacksnap-darwin-amd64"), built.stacksnap); err != nil {
		return err
	}
	return findZig()
}

// findZig finds the one that build-darwin.sh uses.
func findZig() error {
	built.zig = os.Getenv("ZIG")
	if built.zig == "" {
		built.zig, _ = exec.LookPath("zig")
	}
	if built.zig == "" {
		built.zig = filepath.Join(repository, "build", "_zig", "node_modules", ".bin", "zig")
	}
	_, err := os.Stat(built.zig)
	return err
}

// run runs a command of a build.
func run(dir string, env []string, args ...string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// compile builds testdata/FILE, of C or C++, with the flags given, once, and
// returns the program.
func compile(t testing.TB, file string, flags ...string) string {
	t.Helper()
	return once(t, file+" "+strings.Join(flags, " "), func(out string) error {
		with := slices.Concat(compiler(filepath.Ext(file) == ".cc"), flags)
		return run("testdata", nil, append(with, "-o", out, file)...)
	})
}

func compiler(plusplus bool) []string {
	name := "cc"
	if plusplus {
		name = "c++"
	}
	if runtime.GOOS == "darwin" {
		return []string{name}
	}
	return []string{built.zig, name, "-target", "x86_64-macos"}
}

// compileGo builds testdata/NAME, with cgo or without.
func compileGo(t testing.TB, name string, cgo bool) string {
	t.Helper()
	return once(t, fmt.Sprint(name, cgo), func(out string) error {
		build := []string{"go", "build", "-trimpath", "-o", out, "./scripts/darwinlive/testdata/" + name}
		switch {
		case cgo && runtime.GOOS == "darwin":
			return run(repository, []string{"CGO_ENABLED=1"}, build...)
		case cgo: // without -w Go calls dsymutil, which is a Mac's
			with := append([]string{"scripts/build-darwin.sh", "run", "amd64", "go", "build", "-ldflags=-w"}, build[2:]...)
			return run(repository, nil, with...)
		case runtime.GOOS == "darwin":
			return run(repository, []string{"CGO_ENABLED=0"}, build...)
		}
		return run(repository, []string{"CGO_ENABLED=0", "GOOS=darwin", "GOARCH=amd64"}, build...)
	})
}

// once builds a program the first time that it is asked for.
func once(t testing.TB, name string, build func(out string) error) string {
	t.Helper()
	file := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" ./=", r) {
			return '_'
		}
		return r
	}, name)
	out := filepath.Join(built.dir, file)
	do, _ := built.targets.LoadOrStore(name, sync.OnceValue(func() error { return build(out) }))
	if err := do.(func() error)(); err != nil {
		t.Fatal(err)
	}
	return out
}
