package elf

import (
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// splitTarget builds a program into a root, without its symbols; those are in a file
// beside the root.
func splitTarget(t *testing.T, root string, flags ...string) (debug string) {
	t.Helper()
	objcopy := tool(t, "objcopy")
	path := buildTarget(t, filepath.Join(root, "target"), append(flags, "-static")...)
	debug = filepath.Join(t.TempDir(), "target.debug")
	run(t, objcopy, "--only-keep-debug", path, debug)
	run(t, objcopy, "--strip-all", "--add-gnu-debuglink="+debug, path)
	return debug
}

// TestDebugFileInOtherRoot: of a process in a container the debug file in that is found,
// in the folder of build-ids and by the name in .gnu_debuglink.
func TestDebugFileInOtherRoot(t *testing.T) {
	for name, flag := range map[string]string{"build-id": "-Wl,--build-id=sha1", "link": "-Wl,--build-id=none"} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			debug := splitTarget(t, root, flag)
			f := openFile(t, debug)
			at := filepath.Join(root, "usr/lib/debug/target.debug")
			if id := hex.EncodeToString(f.ID()); id != "" {
				at = filepath.Join(root, "usr/lib/debug/.build-id", id[:2], id[2:]+".debug")
			}
			copyFile(t, debug, at)
			p := start(t, inRoot(t, root, &exec.Cmd{Path: "/target", Args: []string{"/target"}}))
			placed, errs := LiveLoader(p.info.PID).Load(insideProcess{p, root})
			if errs != nil {
				t.Error(errs)
			}
			wantFunction(t, imageAt(t, placed, p.facts["main"][0]), p.facts["main"][0], "marker")
		})
	}
}

// TestLinkedDebugFileWithoutBuildID is proved by its checksum; one with another build-id
// is none, whatever its checksum.
func TestLinkedDebugFileWithoutBuildID(t *testing.T) {
	objcopy, root := tool(t, "objcopy"), t.TempDir()
	path := buildTarget(t, filepath.Join(root, "target"), "-static", "-Wl,--build-id=sha1")
	for name, without := range map[string]bool{"without": true, "another": false} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			debug, stripped := filepath.Join(dir, "target.debug"), filepath.Join(dir, "target")
			if without {
				run(t, objcopy, "--only-keep-debug", "--remove-section=.note.gnu.build-id", path, debug)
			} else {
				other := buildTarget(t, filepath.Join(t.TempDir(), "target"), "-static", "-O0", "-Wl,--build-id=sha1")
				run(t, objcopy, "--only-keep-debug", other, debug)
			}
			run(t, objcopy, "--strip-all", "--add-gnu-debuglink="+debug, path, stripped)
			f := openFile(t, stripped)
			if f.HasSymbols() != without {
				t.Errorf("symbols: %v", f.HasSymbols())
			}
		})
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, b, 0o644); err != nil {
		t.Fatal(err)
	}
}
