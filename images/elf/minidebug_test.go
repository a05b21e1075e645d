package elf

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stacksnap/images/object"
	"stacksnap/task/needs"
)

// TestMiniDebugInfo names local functions of a stripped file by its .gnu_debugdata, and
// exported ones besides, as the unstripped file does; of one block and of several.
func TestMiniDebugInfo(t *testing.T) {
	objcopy, xz := tool(t, "objcopy"), tool(t, "xz")
	if out, _ := exec.Command(xz, "--version").CombinedOutput(); !strings.Contains(string(out), "XZ Utils") {
		needs.Skip(t, "the xz of XZ Utils", "others only decompress")
	}
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.so")
	source := filepath.Join(dir, "s.c")
	code := "static volatile int x;\n__attribute__((noinline)) static void hidden(void) { x++; }\nvoid shown(void) { hidden(); x++; }\n"
	if err := os.WriteFile(source, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, tool(t, "gcc"), "-shared", "-fPIC", "-O1", "-Wl,--build-id=none", "-o", whole, source)
	mini := filepath.Join(dir, "mini")
	// As the manual of GDB has it, but that the dynamic symbols are kept in the list.
	run(t, objcopy, "--only-keep-debug", "--strip-symbol=shown", whole, mini)
	for name, args := range map[string][]string{"one block": {"-k", "-f"}, "blocks": {"-k", "-f", "-T2", "--block-size=4KiB", "--check=sha256"}} {
		t.Run(name, func(t *testing.T) {
			run(t, xz, append(args, mini)...)
			stripped := filepath.Join(t.TempDir(), "stripped.so")
			run(t, objcopy, "--strip-all", "--add-section", ".gnu_debugdata="+mini+".xz", whole, stripped)
			want, f := openFile(t, whole), openFile(t, stripped)
			budget := object.NewBudget(object.MaxKept, object.MaxRead)
			f.Limit(budget)
			for _, name := range []string{"hidden", "shown"} {
				at := addressOf(t, want, name)
				if s, ok := f.Symbol(at + 1); !ok || s.Name != name || s.VMAddr != at {
					t.Errorf("%s: %+v", name, s)
				}
			}
			if budget.Reached() {
				t.Error("the budget was reached")
			}
			small := openFile(t, stripped)
			small.Limit(object.NewBudget(1<<20, object.MaxRead))
			if s, ok := small.Symbol(addressOf(t, want, "hidden")); ok && s.Name == "hidden" {
				t.Error("it cost nothing")
			}
		})
	}
}

// addressOf looks a function up by its name.
func addressOf(t *testing.T, f *File, name string) uint64 {
	t.Helper()
	for e := range f.symbols().All() {
		if s, _ := f.Symbol(e.VMAddr); s.Name == name {
			return e.VMAddr
		}
	}
	t.Fatal("no function ", name)
	return 0
}

// FuzzXZ: whatever the bytes, it ends, and takes no more memory than it may.
func FuzzXZ(f *testing.F) {
	f.Add([]byte("\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x16\x00\x00\x00\x74\x2f\xe5\xa3\x01\x00\x00a\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := newXZ(b)
		if err == nil {
			out, err := object.NewBudget(4<<20, 0).Inflate(x, 1<<20)
			if err == nil && len(out) > 2<<20 {
				t.Errorf("%d bytes", len(out))
			}
		}
	})
}
