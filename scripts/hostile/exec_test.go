//go:build hostile && linux

package hostile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tellHook writes what a hook is told to a file.
const tellHook = `printf '%s\0' "$STACKSNAP_NAME" "$STACKSNAP_FILE" "$STACKSNAP_RECORDING" >"$TOLD"`

// oddBytes are all that a name may have, so many at a time.
func oddBytes(at int, but string) (all []string) {
	var piece []byte
	for b := 1; b < 256; b++ {
		if strings.IndexByte(but, byte(b)) >= 0 {
			continue
		}
		if piece = append(piece, byte(b)); len(piece) == at {
			all, piece = append(all, string(piece)), nil
		}
	}
	if len(piece) > 0 {
		all = append(all, string(piece))
	}
	return all
}

// named starts a target that is called so, and returns its pid.
func named(t *testing.T, name string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", `printf %s "$NAME" >/proc/$$/comm; echo; read line`)
	cmd.Env = append(os.Environ(), "NAME="+name)
	return started(t, cmd)
}

// TestHookIsTold: what the shell gets as the target's name is that byte for byte, and the
// paths lead to the files, whatever is in them.
func TestHookIsTold(t *testing.T) {
	const maxComm, maxFileName = 15, 255
	folder := oddBytes(maxFileName, "/")[0]
	for _, name := range append(oddBytes(maxComm, ""), "$(touch it)", "`touch it`", "'; touch it #", "\n-n\\0\\\\", "-e \\n", "\n\n") {
		dir := filepath.Join(t.TempDir(), folder)
		told, here := filepath.Join(t.TempDir(), "told"), t.TempDir()
		cmd := exec.Command(stacksnap, "-p", named(t, name), "--every", "1ms", "-n", "1", "--dir", dir, "--exec", tellHook)
		cmd.Env, cmd.Dir = append(os.Environ(), "TOLD="+told), here
		r := finish(t, limit, cmd)
		r.check(t)
		text, err := os.ReadFile(told)
		words := strings.Split(string(text), "\x00")
		if err != nil || len(words) != 4 || words[0] != name {
			t.Errorf("%q was told as %q, %v: %s", name, text, err, r.err)
			continue
		}
		for _, path := range words[1:3] {
			if _, err := os.Stat(path); err != nil || filepath.Dir(path) != dir {
				t.Errorf("of %q: %v", name, err)
			}
		}
		if strings.Count(r.err, "\n") != strings.Count(r.err, "stacksnap: ") {
			t.Errorf("of %q it has lines of others:\n%s", name, r.err)
		}
		if left, _ := os.ReadDir(here); len(left) > 0 {
			t.Errorf("%q was run by a shell: %v", name, left)
		}
	}
}
