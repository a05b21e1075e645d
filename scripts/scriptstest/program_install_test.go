//go:build linux || darwin

package scriptstest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// installed are what install.sh installs, and what is in them with the program of
// [fakeProgram].
var installed = map[string]string{
	"bin/stacksnap":                                  fakeProgram,
	"share/man/man1/stacksnap.1":                     ".TH STACKSNAP 1 \"\"\n",
	"share/man/man1/stacksnap-top.1":                 ".TH STACKSNAP\\-TOP 1 \"\"\n",
	"share/man/man5/stacksnap-formats.5":             ".TH STACKSNAP\\-FORMATS 5 \"\"\n",
	"share/bash-completion/completions/stacksnap":    "this is bash\n",
	"share/zsh/site-functions/_stacksnap":            "this is zsh\n",
	"share/fish/vendor_completions.d/stacksnap.fish": "this is fish\n",
}

// fakeProgram has a manual of three pages.
const fakeProgram = `#!/bin/sh
case $1$2 in
--helpman) echo '.TH STACKSNAP 1 ""' ;;
--helpman-top) printf '%s\n' '.TH STACKSNAP\-TOP 1 ""' ;;
--helpman-formats) printf '%s\n' '.TH STACKSNAP\-FORMATS 5 ""' ;;
--help*) echo "this is $2" ;;
esac
`

// installs runs install.sh in a folder that has a program.
func installs(t *testing.T, shell []string, dir string, args, env []string) result {
	needUserland(t)
	t.Helper()
	args = append(append(shell[1:len(shell):len(shell)], script("install.sh")), args...)
	cmd := exec.Command(shell[0], args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), append([]string{"PREFIX=", "DESTDIR="}, env...)...)
	return ended(t, cmd)
}

func withProgram(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := writeProgram(filepath.Join(dir, "a program"), []byte(fakeProgram), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestInstallUnderEveryShell(t *testing.T) {
	t.Parallel()
	for _, shell := range shells() {
		for name, c := range map[string]struct {
			args, env []string
			to        string
		}{
			"prefix":  {[]string{"--prefix", "my own"}, nil, "my own"},
			"DESTDIR": {[]string{"--prefix", "/usr"}, []string{"DESTDIR=stage"}, "stage/usr"},
			"PREFIX":  {nil, []string{"PREFIX=other"}, "other"},
		} {
			t.Run(shell[0]+"/"+name, func(t *testing.T) {
				dir := withProgram(t)
				r := installs(t, shell, dir, append(c.args, "--binary", "a program"), c.env)
				if r.code != 0 || r.err != "" {
					t.Fatalf("exit %d\n%s%s", r.code, r.out, r.err)
				}
				for file, want := range installed {
					path := filepath.Join(dir, c.to, file)
					b, err := os.ReadFile(path)
					if err != nil || string(b) != want {
						t.Errorf("%s: %q, %v", file, b, err)
					}
					if info, err := os.Stat(path); err != nil || (info.Mode() == 0o755) != (file == "bin/stacksnap") || info.Mode()&0o444 != 0o444 {
						t.Errorf("%s: %v, %v", file, info.Mode(), err)
					}
				}
				r = installs(t, shell, dir, append(c.args, "--remove"), c.env)
				if r.code != 0 || r.err != "" || strings.Count("\n"+r.out, "\nremoved ") != len(installed) {
					t.Fatalf("exit %d\n%s%s", r.code, r.out, r.err)
				}
				if left := filesIn(t, filepath.Join(dir, c.to)); len(left) > 0 {
					t.Errorf("left: %v", left)
				}
			})
		}
	}
}

func filesIn(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestInstallShowsItsSteps in the order in which it takes them.
func TestInstallShowsItsSteps(t *testing.T) {
	t.Parallel()
	dir := withProgram(t)
	to := filepath.Join(dir, "there")
	r := installs(t, []string{"sh"}, dir, []string{"--prefix", to, "--binary", "a program"}, []string{"PATH=" + os.Getenv("PATH") + ":" + to + "/bin"})
	want := "writing its manual and completions for bash, zsh and fish\ninstalling to " + to + "\ninstalled " + to + "/bin/stacksnap, its manual and completions\n"
	if r.code != 0 || r.err != "" || r.out != want {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
}

// TestRemoveSaysWhatItRemoved: what is there, and nothing else.
func TestRemoveSaysWhatItRemoved(t *testing.T) {
	t.Parallel()
	dir := withProgram(t)
	to := filepath.Join(dir, "there")
	page := filepath.Join(to, "share/man/man1/stacksnap.1")
	other := filepath.Join(to, "share/man/man1/stacksnap-other.1")
	if err := os.MkdirAll(filepath.Dir(page), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{page, other} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if r := installs(t, []string{"sh"}, dir, []string{"--prefix", to, "--remove"}, nil); r.code != 0 || r.err != "" || r.out != "removed "+page+"\n" {
		t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	if r := installs(t, []string{"sh"}, dir, []string{"--prefix", to, "--remove"}, nil); r.code != 1 || r.out != "" || !strings.Contains(r.err, "nothing of stacksnap is installed in "+to) {
		t.Errorf("nothing is left: exit %d\n%s%s", r.code, r.out, r.err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Error("the page of another program:", err)
	}
}

// TestInstallRefuses in one line, and leaves nothing half done.
func TestInstallRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--no-such"}, 2, "--help"},
		{[]string{"--prefix"}, 2, "needs a path"},
		{[]string{"--binary", "absent"}, 1, "absent cannot be read"},
		{[]string{"--binary", "broken"}, 1, "does not run here"},
		{[]string{"--binary", "pageless"}, 1, "--help man is no page"},
		{[]string{"--binary", "a program", "--prefix", "taken"}, 1, "cannot be written"},
	} {
		dir := withProgram(t)
		for name, text := range map[string]string{"broken": "#!/bin/sh\nexit 1\n", "pageless": "#!/bin/sh\n", "taken": ""} {
			if err := writeProgram(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		args := append([]string{"--prefix", "there"}, c.args...)
		r := installs(t, []string{"sh"}, dir, args, nil)
		last := r.err[strings.LastIndex(strings.TrimSpace(r.err), "\n")+1:]
		if r.code != c.code || !strings.HasPrefix(last, "install.sh: ") || !strings.Contains(last, c.says) {
			t.Errorf("%q: exit %d: %s%s", c.args, r.code, r.out, r.err)
		}
		if left, _ := os.ReadDir(dir); len(left) != 4 {
			t.Errorf("%q: left: %v", c.args, left)
		}
	}
}

// TestInstallNamesQuarantine, in which macOS has what a browser has loaded.
func TestInstallNamesQuarantine(t *testing.T) {
	t.Parallel()
	for quarantined, want := range map[bool]string{true: `xattr -d com.apple.quarantine "broken"`, false: "for this system"} {
		dir, tools := withProgram(t), t.TempDir()
		exit := map[bool]string{true: "0", false: "1"}[quarantined]
		for path, text := range map[string]string{
			filepath.Join(dir, "broken"):  "exit 137",
			filepath.Join(tools, "uname"): "echo Darwin",
			filepath.Join(tools, "xattr"): "exit " + exit,
		} {
			if err := writeProgram(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		r := installs(t, []string{"sh"}, dir, []string{"--prefix", "there", "--binary", "broken"}, []string{"PATH=" + tools + ":" + os.Getenv("PATH")})
		if r.code != 1 || !strings.Contains(r.err, want) {
			t.Errorf("quarantined %v: exit %d: %s", quarantined, r.code, r.err)
		}
	}
}

// TestInstallNamesThePath in a line that a shell takes as it stands, where the program
// would not be found by its name, and nowhere else.
func TestInstallNamesThePath(t *testing.T) {
	for _, c := range []struct {
		name, prefix, path, destdir string
		says                        bool
	}{
		{name: "absent", prefix: "plain", says: true},
		{name: "quoted", prefix: `a "$HOME" and a \`, says: true},
		{name: "there", prefix: "plain", path: "plain/bin"},
		{name: "there, and last", prefix: "plain", path: "other:plain/bin"},
		{name: "a longer one", prefix: "plain", path: "plain/bin/more", says: true},
		{name: "for a package", prefix: "plain", destdir: "stage"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := withProgram(t)
			path := os.Getenv("PATH")
			for _, folder := range filepath.SplitList(c.path) {
				path += ":" + filepath.Join(dir, folder)
			}
			env := []string{"PATH=" + path}
			if c.destdir != "" {
				env = append(env, "DESTDIR="+filepath.Join(dir, c.destdir))
			}
			r := installs(t, []string{"sh"}, dir, []string{"--prefix", filepath.Join(dir, c.prefix), "--binary", "a program"}, env)
			if r.code != 0 || r.err != "" {
				t.Fatalf("exit %d\n%s%s", r.code, r.out, r.err)
			}
			at := strings.Index(r.out, "export PATH=")
			if (at >= 0) != c.says || strings.Contains(r.out, "not in your PATH: ") != c.says {
				t.Fatalf("says:\n%s", r.out)
			}
			if c.says {
				findsItWith(t, r.out[at:], filepath.Join(dir, c.prefix, "bin/stacksnap"))
			}
		})
	}
}

// findsItWith fails when a shell that has run a line does not find the program.
func findsItWith(t *testing.T, line, want string) {
	t.Helper()
	out, err := exec.Command("sh", "-c", line+"command -v stacksnap").Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != want {
		t.Errorf("with %q a shell finds %q, %v; want %q", line, got, err, want)
	}
}

// TestInstallSaysThatItBuilds before it does, with the Go that does: a Go that fails is
// the last to be heard of.
func TestInstallSaysThatItBuilds(t *testing.T) {
	dir, tools := t.TempDir(), t.TempDir()
	for build, code := range map[string]int{`cp "$FAKE" "$4"`: 0, "exit 1": 1} {
		text := "#!/bin/sh\ncase $1 in env) echo go9.9 ;; build) " + build + " ;; esac\n"
		for path, text := range map[string]string{filepath.Join(tools, "go"): text, filepath.Join(dir, "fake"): fakeProgram, filepath.Join(tools, "uname"): "#!/bin/sh\necho Linux\n"} {
			if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		r := installs(t, []string{"sh"}, dir, []string{"--prefix", "there"}, []string{"PATH=" + tools + ":" + os.Getenv("PATH"), "FAKE=" + filepath.Join(dir, "fake")})
		first, _, _ := strings.Cut(r.out, "\n")
		if r.code != code || !strings.HasPrefix(first, "building stacksnap from ") || !strings.Contains(first, "go9.9") {
			t.Errorf("exit %d, want %d: %s%s", r.code, code, r.out, r.err)
		}
	}
}
