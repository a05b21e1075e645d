package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// laid returns a tree such as release.sh lays out.
func laid(t *testing.T) string {
	t.Helper()
	tree := t.TempDir()
	for name, mode := range map[string]os.FileMode{
		"usr/bin/stacksnap":                         0o700,
		"usr/share/zsh/site-functions/_stacksnap":   0o600,
		"usr/share/licenses/stacksnap/LICENSE":      0o644,
		"usr/share/stacksnap/lib/capture.sh":        0o644,
		"usr/lib/systemd/system/stacksnap@.service": 0o644,
	} {
		path := filepath.Join(tree, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), mode); err != nil {
			t.Fatal(err)
		}
	}
	return tree
}

// TestSameTwice is of two trees that differ in what no package should tell: where they
// lie, and when they were made.
func TestSameTwice(t *testing.T) {
	at := time.Unix(1_700_000_000, 0).UTC()
	for _, kind := range []string{"deb", "rpm"} {
		var packed [2][]byte
		for i := range packed {
			tree := laid(t)
			if err := os.Chtimes(filepath.Join(tree, "usr/bin/stacksnap"), time.Time{}, at.Add(time.Duration(i)*time.Hour)); err != nil {
				t.Fatal(err)
			}
			r := release{version: "0.1", arch: "arm64", tree: tree, time: at}
			path, err := r.write(kind, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"deb": "stacksnap_0.1_arm64.deb", "rpm": "stacksnap-0.1-1.aarch64.rpm"}[kind]
			if filepath.Base(path) != want {
				t.Errorf("%s, want %s", path, want)
			}
			if packed[i], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
		if len(packed[0]) == 0 || !bytes.Equal(packed[0], packed[1]) {
			t.Errorf("%s: not the same twice, or empty", kind)
		}
	}
}

func TestContents(t *testing.T) {
	for kind, want := range map[string][]string{
		"deb": {
			"/usr/bin/stacksnap -rwxr-xr-x", "/usr/lib/systemd/system/stacksnap@.service -rw-r--r--",
			"/usr/share/doc/stacksnap/copyright -rw-r--r--", "/usr/share/stacksnap/lib/capture.sh -rw-r--r--",
			"/usr/share/zsh/vendor-completions/_stacksnap -rw-r--r--",
		},
		"rpm": {
			"/usr/bin/stacksnap -rwxr-xr-x", "/usr/lib/systemd/system/stacksnap@.service -rw-r--r--",
			"/usr/share/licenses/stacksnap -rwxr-xr-x", "/usr/share/licenses/stacksnap/LICENSE -rw-r--r--",
			"/usr/share/stacksnap -rwxr-xr-x",
			"/usr/share/stacksnap/lib -rwxr-xr-x", "/usr/share/stacksnap/lib/capture.sh -rw-r--r--",
			"/usr/share/zsh/site-functions/_stacksnap -rw-r--r--",
		},
	} {
		all, err := contents(laid(t), kind, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range all {
			got = append(got, c.Destination+" "+c.FileInfo.Mode.String())
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}
