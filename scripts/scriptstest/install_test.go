//go:build linux || darwin

package scriptstest

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

// install writes the files for a system, and returns them by name.
func install(t *testing.T, b *bench, args ...string) map[string]string {
	t.Helper()
	into := filepath.Join(t.TempDir(), "made")
	r := b.run("install-capture.sh", append([]string{"install", "--into", into}, args...)...)
	if r.code != 0 || r.err != "" {
		t.Fatalf("exit %d\n%s%s", r.code, r.out, r.err)
	}
	entries, err := os.ReadDir(into)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		text, _ := os.ReadFile(filepath.Join(into, e.Name()))
		files[e.Name()] = string(text)
		if strings.Contains(string(text), "@") && !strings.Contains(string(text), "between @ signs") {
			t.Errorf("%s has something to fill in:\n%s", e.Name(), text)
		}
	}
	return files
}

// lines checks that a file has these lines.
func lines(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, line := range want {
		if !strings.Contains("\n"+text, "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
}

func TestSystemdUnits(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	args := []string{"--for", "systemd", "-p", "my.server", "--every", "300", "--dir", "/var/lib/stacksnap", "-d", "5s", "--keep", "9"}
	files := install(t, b, args...)
	service, timer := files["stacksnap-capture-my.server.service"], files["stacksnap-capture-my.server.timer"]
	lines(t, service, "Type=oneshot", "ReadWritePaths=/var/lib/stacksnap", "SuccessExitStatus=3 5",
		"ExecStart="+script("capture.sh")+" -p my.server -d 5s --dir /var/lib/stacksnap --keep 9 --min-free 500 --stacksnap "+b.fake)
	lines(t, timer, "OnUnitActiveSec=300s", "WantedBy=timers.target")

	own := install(t, b, append(args, "--user")...)["stacksnap-capture-my.server.service"]
	if strings.Contains(own, "ProtectSystem") || strings.Contains(own, "Capability") || !strings.Contains(own, "ExecStart=") {
		t.Errorf("a login's unit is\n%s", own)
	}
	verify(t, files)
}

// verify asks systemd for its opinion.
func verify(t *testing.T, files map[string]string) {
	t.Helper()
	needs.Tool(t, "systemd-analyze")
	dir := t.TempDir()
	var paths []string
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	out, err := exec.Command("systemd-analyze", append([]string{"verify", "--recursive-errors=no", "--man=no"}, paths...)...).CombinedOutput()
	if err != nil || strings.Contains(string(out), "stacksnap") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

func TestLaunchdJob(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	files := install(t, b, "--for=launchd", "-p", "Server", "--every=60", "--dir", "/var/db/stacksnap")
	text := files["org.stacksnap.capture.Server.plist"]
	got, err := plist(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	want := map[string]string{
		"Label": "org.stacksnap.capture.Server",
		"ProgramArguments": fmt.Sprint([]string{script("capture.sh"), "-p", "Server", "-d", "10s", "--dir", "/var/db/stacksnap",
			"--keep", "144", "--min-free", "500", "--stacksnap", b.fake}),
		"StartInterval": "60", "ProcessType": "Standard", "LowPriorityIO": "true",
		"StandardErrorPath": "/var/db/stacksnap/capture.log", "Umask": "63",
	}
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%s is %q, want %q", key, got[key], value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("keys: %v", got)
	}
}

// node is an element of a property list.
type node struct {
	XMLName xml.Name
	Text    string `xml:",chardata"`
	Nodes   []node `xml:",any"`
}

func (n node) value() string {
	switch n.XMLName.Local {
	case "array":
		var all []string
		for _, e := range n.Nodes {
			all = append(all, e.value())
		}
		return fmt.Sprint(all)
	case "true", "false":
		return n.XMLName.Local
	}
	return strings.TrimSpace(n.Text)
}

// plist reads the dictionary of a property list.
func plist(text string) (map[string]string, error) {
	d := xml.NewDecoder(strings.NewReader(text))
	var root node
	if err := d.Decode(&root); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err == nil || !errors.Is(err, io.EOF) {
		if rest := strings.TrimSpace(text[d.InputOffset():]); rest != "" {
			return nil, fmt.Errorf("%q follows", rest)
		}
	}
	if root.XMLName.Local != "plist" || len(root.Nodes) != 1 || root.Nodes[0].XMLName.Local != "dict" {
		return nil, fmt.Errorf("not a dictionary: %v", root)
	}
	entries := root.Nodes[0].Nodes
	out := map[string]string{}
	for i := 0; i+1 < len(entries); i += 2 {
		if entries[i].XMLName.Local != "key" {
			return nil, fmt.Errorf("%v where a key is due", entries[i].XMLName.Local)
		}
		out[entries[i].value()] = entries[i+1].value()
	}
	return out, nil
}

func TestInstallRefusesWhatWouldNeedQuotes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	into := t.TempDir()
	for _, args := range [][]string{
		{"-p", "a b"}, {"-p", "x;reboot"}, {"-p", "$(id)"}, {"-p", "<x>"}, {"-p", "50%"}, {"-p", "a|b"}, {"-p", "/usr/bin/x"},
		{"-p", "x\ny"}, {"-p", "x", "--dir", "/a b"}, {"-p", "x", "-d", "1 s"}, {"-p", "-x"},
	} {
		r := b.run("install-capture.sh", append([]string{"install", "--into", into}, args...)...)
		if left, _ := os.ReadDir(into); r.code != 2 || len(left) != 0 {
			t.Errorf("%q: exit %d, wrote %v\n%s", args, r.code, left, r.err)
		}
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	into := t.TempDir()
	for _, system := range []string{"systemd", "launchd"} {
		for _, action := range []string{"install", "remove"} {
			r := b.run("install-capture.sh", action, "--for", system, "-p", "server", "--into", into)
			left, _ := os.ReadDir(into)
			if r.code != 0 || (len(left) > 0) != (action == "install") {
				t.Errorf("%s %s: exit %d, %v\n%s", system, action, r.code, left, r.err)
			}
		}
	}
}

// TestFailedInstall leaves nothing: the system would find the files at its next
// start. An older job stays.
func TestFailedInstall(t *testing.T) {
	t.Parallel()
	for _, system := range []struct{ name, tool, place, undone string }{
		{"systemd", "systemctl", ".config/systemd/user", "enable --now x.timer; disable --now x.timer; daemon-reload; "},
		{"launchd", "launchctl", "Library/LaunchAgents", "bootstrap gui; bootout gui; "},
	} {
		t.Run(system.name, func(t *testing.T) {
			b := newBench(t)
			home := t.TempDir()
			refusing(t, b, home, system.tool)
			place := filepath.Join(home, system.place)
			args := []string{"install", "--user", "--for", system.name, "-p", "x", "--dir", filepath.Join(home, "captures")}
			r := b.run("install-capture.sh", args...)
			if r.code != 1 || !strings.Contains(r.out, "wrote "+place) || !strings.Contains(r.err, "did not succeed") {
				t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
			}
			if left, err := os.ReadDir(place); err != nil || len(left) != 0 {
				t.Errorf("left are %v, %v", left, err)
			}
			if asked := b.asked(home); !strings.HasSuffix(asked, system.undone) {
				t.Errorf("asked for %q", asked)
			}

			b.run("install-capture.sh", append(args, "--into", place)...)
			older, _ := os.ReadDir(place)
			b.run("install-capture.sh", args...)
			if left, _ := os.ReadDir(place); len(older) == 0 || len(left) != len(older) {
				t.Errorf("of an older job's files %v only %v are left", older, left)
			}
		})
	}
}

// refusing has a tool of the system refuse to start anything, and note in home
// what it was asked for.
func refusing(t *testing.T, b *bench, home, tool string) {
	t.Helper()
	tools := t.TempDir()
	text := "#!/bin/sh\necho \"$*\" >>'" + filepath.Join(home, "asked") + "'\ncase $* in *enable*|bootstrap*|print*) exit 1 ;; esac\n"
	if err := writeProgram(filepath.Join(tools, tool), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	b.env = append(b.env, "HOME="+home, "XDG_CONFIG_HOME=", "PATH="+tools+":"+os.Getenv("PATH"))
}

// TestInstallWaitsForTheOlderJob: launchd takes a job only when the older one of its name
// has ended, which one that runs does some time after it was told to.
func TestInstallWaitsForTheOlderJob(t *testing.T) {
	t.Parallel()
	for ending, want := range map[string]string{
		"3":    "bootout gui; print gui; print gui; print gui; bootstrap gui; ",
		"1000": "bootout gui; print gui; ",
	} {
		b := newBench(t)
		home, tools := t.TempDir(), t.TempDir()
		asked := filepath.Join(home, "asked")
		for name, text := range map[string]string{
			"sleep":     "",
			"launchctl": "echo \"$*\" >>'" + asked + "'\ncase $* in print*) [ \"$(grep -c print '" + asked + "')\" -lt " + ending + " ] ;; esac\n",
		} {
			if err := writeProgram(filepath.Join(tools, name), []byte("#!/bin/sh\n"+text), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		b.env = append(b.env, "HOME="+home, "PATH="+tools+":"+os.Getenv("PATH"))
		r := b.run("install-capture.sh", "install", "--user", "--for", "launchd", "-p", "x", "--dir", filepath.Join(home, "captures"))
		got := b.asked(home)
		if ended := ending == "3"; ended && got != want || !ended && (!strings.HasPrefix(got, want) || strings.Contains(got, "bootstrap")) || (r.code == 0) != ended {
			t.Errorf("exit %d, asked for %q\n%s", r.code, got, r.err)
		}
		if ending != "3" && !strings.Contains(r.err, "does not end") {
			t.Errorf("it says %q", r.err)
		}
	}
}

// asked is what the refusing tool was asked for, without names and places.
func (b *bench) asked(home string) string {
	text, _ := os.ReadFile(filepath.Join(home, "asked"))
	short := strings.NewReplacer("--user ", "", "stacksnap-capture-", "", "\n", "; ").Replace(string(text))
	return regexp.MustCompile(`gui/[^;]*`).ReplaceAllString(short, "gui")
}
