//go:build unix

package debuginfod

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// only requires that a client says one thing.
func only(t *testing.T, c *Client, parts ...string) {
	t.Helper()
	lines := c.Warnings()
	if len(lines) != 1 {
		t.Fatalf("%q", lines)
	}
	for _, part := range parts {
		if !strings.Contains(lines[0], part) {
			t.Errorf("%q lacks %q", lines[0], part)
		}
	}
}

// TestACacheOfOthers is not used, which is said once, and no server asked.
func TestACacheOfOthers(t *testing.T) {
	address, asked := serve(t, sending(debugFile(buildID)))
	for name, spoil := range map[string]func(cache string) error{
		"another user's": func(cache string) error { return os.Chown(cache, 4242, -1) },
		"for all":        func(cache string) error { return os.Chmod(cache, fs.ModeSticky|0o777) },
		"in another's":   func(cache string) error { return os.Chown(filepath.Dir(cache), 4242, -1) },
		"one build-id's": func(cache string) error {
			dir := filepath.Join(cache, "abcdef010203")
			return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o777))
		},
	} {
		t.Run(name, func(t *testing.T) {
			cache := filepath.Join(t.TempDir(), "his", "cache")
			if err := os.MkdirAll(cache, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := spoil(cache); errors.Is(err, fs.ErrPermission) {
				t.Skip("needs root: it gives files away")
			} else if err != nil {
				t.Fatal(err)
			}
			c := client(t, cache, address)
			for range 2 {
				if path, ok := c.Find(buildID, ""); ok {
					t.Error("found at", path)
				}
			}
			only(t, c, cache, "nothing is asked for", "DEBUGINFOD_CACHE_PATH")
		})
	}
	if asked.Load() > 0 {
		t.Error("it was asked")
	}
}

// TestWhatIsNoFile in the cache is neither waited for nor followed nor replaced.
func TestWhatIsNoFile(t *testing.T) {
	address, asked := serve(t, sending(debugFile(buildID)))
	victim := filepath.Join(t.TempDir(), "victim")
	for name, plant := range map[string]func(path string) error{
		"pipe":          func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"dangling link": func(path string) error { return os.Symlink(victim, path) },
		"directory":     func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			cache := t.TempDir()
			path := filepath.Join(cache, "abcdef010203", fileName)
			if err := errors.Join(os.Chmod(cache, 0o700), os.Mkdir(filepath.Dir(path), 0o700), plant(path)); err != nil {
				t.Fatal(err)
			}
			c := client(t, cache, address)
			if path, ok := c.Find(buildID, ""); ok {
				t.Error("found at", path)
			}
			only(t, c, path, "is not a regular file")
			if _, err := os.Lstat(path); err != nil {
				t.Error(err)
			}
		})
	}
	if _, err := os.Lstat(victim); err == nil || asked.Load() > 0 {
		t.Error("a link was followed, or the server asked")
	}
}

// TestSecrets of an address are neither on curl's command line nor in what is said.
func TestSecrets(t *testing.T) {
	var lines []string
	address, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "ann" || password != "s3cret" {
			t.Errorf("%s, %s", user, password)
		}
		all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, path := range all {
			if b, err := os.ReadFile(path); err == nil && strings.HasPrefix(string(b), "curl\x00") {
				lines = append(lines, string(b))
			}
		}
		w.WriteHeader(http.StatusInternalServerError)
	})
	c := client(t, t.TempDir(), strings.Replace(address, "http://", "http://ann:s3cret@", 1))
	if _, ok := c.Find(buildID, ""); ok {
		t.Error("found")
	}
	only(t, c, "debuginfod: "+address+": it answered 500")
	if strings.Contains(strings.Join(append(lines, c.Warnings()...), "\n"), "s3cret") {
		t.Errorf("%q, %q", lines, c.Warnings())
	}
	if _, err := os.Stat("/proc/self/cmdline"); err == nil && len(lines) == 0 {
		t.Error("no curl was seen")
	}
	if got := redacted("https://ann:pw@h:1/x?token=t#f"); got != "https://h:1/x" {
		t.Error(got)
	}
}
