//go:build linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// tmux is a terminal that a test types at and looks at.
type tmux struct {
	*testing.T
	socket string
}

// newTmux starts a shell in a terminal of that size.
func newTmux(t *testing.T, columns, lines int) *tmux {
	t.Helper()
	need(t, "tmux")
	m := &tmux{t, filepath.Join(t.TempDir(), "tmux")}
	t.Setenv("LC_ALL", "C.UTF-8")
	m.do("-f", os.DevNull, "new-session", "-d", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(lines), "env PS1='$ ' TERM=screen sh")
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", m.socket, "kill-server").Run() })
	return m
}

func (m *tmux) do(args ...string) string {
	m.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", m.socket}, args...)...).CombinedOutput()
	if err != nil {
		m.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

// keys types keys, as tmux names them.
func (m *tmux) keys(keys ...string) {
	m.Helper()
	m.do(append([]string{"send-keys"}, keys...)...)
}

// command types a command line.
func (m *tmux) command(line string) {
	m.Helper()
	m.do("send-keys", "-l", line)
	m.keys("Enter")
}

func (m *tmux) screen() string { return m.do("capture-pane", "-p") }

// see waits until the screen matches.
func (m *tmux) see(expression string) (match []string) {
	m.Helper()
	re := regexp.MustCompile("(?m)" + expression)
	for end := time.Now().Add(patience); ; <-time.After(20 * time.Millisecond) {
		last := m.screen()
		if match = re.FindStringSubmatch(last); match != nil {
			return match
		}
		if time.Now().After(end) {
			m.Fatalf("the screen does not show %s:\n%s", expression, last)
		}
	}
}

// settings are those of the terminal, as a shell there sees them.
func (m *tmux) settings(mark string) string {
	m.Helper()
	m.command("clear; echo " + mark + "=$(stty -g)")
	return m.see("^" + mark + `=([0-9a-f:]+)$`)[1]
}

// top starts the view of a process, and waits until it shows a function.
func (m *tmux) top(args, function string) {
	m.Helper()
	m.command("clear; " + stacksnap + " top " + args + "; echo code=$?")
	m.see(regexp.QuoteMeta(function))
	m.see("q quit")
}

// TestTopInATerminal does what a person does: looks, types, makes the terminal smaller,
// and finds it afterwards as it was.
func TestTopInATerminal(t *testing.T) {
	m := newTmux(t, 100, 30)
	target := start(t, compile(t, "shares", "-O1"), "split")
	before := m.settings("before")
	m.top("-p "+pid(target), "seventy (shares)")
	m.see("^shares \\[" + pid(target) + `\] .*CPU .* 1 thread .* samples`)
	m.see("^ +" + pid(target) + " +shares +[0-9.]+ +runnable +in ")
	m.see("^ +0 (seventy|twenty|ten) ")
	m.keys("5")
	m.see("FUNCTION↓")
	m.keys("r")
	m.see("FUNCTION↑")
	m.keys("i")
	m.see("outermost first")
	m.keys("/", "s", "e", "v", "Enter")
	m.see("/sev  CPU time")
	if screen := m.screen(); strings.Contains(screen, "twenty (shares)\n   ") {
		t.Errorf("the filter leaves in\n%s", screen)
	}
	m.keys("Escape")
	m.see("twenty ")
	m.keys("w")
	m.see("all time, last")
	m.keys("?")
	m.see("Ctrl-L, Ctrl-Z")
	m.keys("q") // closes the help alone
	m.see("all time, last")
	m.keys("f")
	m.see("FROZEN *$")
	m.keys("f")
	m.do("resize-window", "-x", "40", "-y", "12")
	m.see("^q quit  \\? help  Tab pane  / filter$")
	for line := range strings.Lines(m.screen()) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 40 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	m.do("resize-window", "-x", "100", "-y", "30")
	m.see("f freeze  s save  w waiting")
	m.keys("q")
	m.see("^stacksnap: sampled " + pid(target) + ` "?shares"? [0-9]+ times in [0-9.]+ s`)
	m.see("^code=0$")
	if after := m.settings("after"); after != before {
		t.Errorf("the terminal is left as %s, was %s", after, before)
	}
}

// TestTopEnds: whatever ends the view, the terminal is as it was before, and the target
// runs on.
func TestTopEnds(t *testing.T) {
	m := newTmux(t, 120, 24)
	program := compile(t, "shares", "-O1")
	target := start(t, program, "split")
	before := m.settings("before")
	for i, signal := range []string{"TERM", "INT", "HUP"} {
		m.top("-p "+pid(target), "main (shares)")
		signalTop(t, m, signal)
		m.see("^code=0$")
		if after := m.settings(fmt.Sprint("after", i)); after != before {
			t.Errorf("SIG%s leaves the terminal as %s, was %s", signal, after, before)
		}
	}
	m.top("-p "+pid(target), "main (shares)")
	m.see(`s  seventy \(shares\)`) // in the list: the first stack has no time yet
	if err := target.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	m.see("ENDED *$")
	m.see(`^the target \(pid ` + pid(target) + `\) exited meanwhile.*  q quit  `)
	m.see(`s  seventy \(shares\)`)
	m.keys("s")
	file := filepath.Join(t.TempDir(), "last.json")
	m.keys("C-u")
	m.do("send-keys", "-l", file)
	m.keys("Enter")
	m.see("^saved ")
	m.keys("q")
	m.see("^code=5$")
	if b, err := os.ReadFile(file); err != nil || !strings.Contains(string(b), `"stacksnap.profile"`) || !strings.Contains(string(b), "seventy") {
		t.Errorf("%v: %.300s", err, b)
	}
	if after := m.settings("ended"); after != before {
		t.Errorf("the target's end leaves the terminal as %s, was %s", after, before)
	}
}

// signalTop sends a signal to the view in the terminal.
func signalTop(t *testing.T, m *tmux, signal string) {
	t.Helper()
	shell := strings.TrimSpace(m.do("display-message", "-p", "#{pane_pid}"))
	children := strings.Fields(peer(t, "ps", "-o", "pid=", "--ppid", shell))
	if len(children) != 1 {
		t.Fatalf("the shell has %v", children)
	}
	if out, err := exec.Command("kill", "-"+signal, children[0]).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// shownTwenty matches a line of a tree or list; the headline is of all functions.
var shownTwenty = regexp.MustCompile(`%\s+twenty `)

// TestTopSaves a report of all that was sampled, as the name of the file tells, while the
// sampling goes on; stops by Ctrl-Z, and goes on.
func TestTopSaves(t *testing.T) {
	m := newTmux(t, 120, 24)
	target := start(t, compile(t, "shares", "-O1"), "split")
	dir := t.TempDir()
	m.command("cd " + dir)
	before := m.settings("before")
	m.top("-p "+pid(target), "seventy (shares)")
	m.keys("C-z")
	m.see("Stopped")
	if stopped := m.settings("stopped"); stopped != before {
		t.Errorf("stopped, it leaves the terminal as %s, was %s", stopped, before)
	}
	m.command("fg")
	m.see("q quit")
	m.keys("/", "^", "s", "e", "v", "Enter", "s", "Enter")
	name := m.see(`^saved (stacksnap-shares-` + pid(target) + `-[0-9]{6}\.txt): [0-9]+ samples$`)[1]
	m.keys("s", "C-u")
	m.do("send-keys", "-l", "it.folded")
	m.keys("Enter")
	m.see("^saved it.folded: ")
	m.keys("s", "C-u")
	m.do("send-keys", "-l", "no/such/folder.txt")
	m.keys("Enter")
	m.see("^not saved: ")
	m.keys("q")
	m.see("^stacksnap: sampled " + pid(target))
	report, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil || !strings.Contains(string(report), "seventy (shares)") || shownTwenty.Match(report) || !strings.Contains(string(report), "snapshots every 10.0 ms") {
		t.Errorf("%v\n%s", err, report)
	}
	if folded, err := os.ReadFile(filepath.Join(dir, "it.folded")); err != nil || !strings.Contains(string(folded), ";main;seventy ") || strings.Contains(string(folded), ";twenty ") {
		t.Errorf("%v\n%s", err, folded)
	}
}

// TestTopThreads shows what threads wait for.
func TestTopThreads(t *testing.T) {
	m := newTmux(t, 120, 30)
	target := start(t, compile(t, "deep", "-O2"), "3", "read")
	blocksInRead(t, pid(target))
	m.top("-p "+pid(target), "q quit")
	m.see("no function used CPU time yet|^ +0.0 ")
	m.see("^ +" + pid(target) + " +deep +0.0 +sleeping +waits in read: fd 0 pipe:")
	m.keys("Tab", "1", "End")
	m.see(`^ +STACK +thread [0-9]+ worker 2, sleeping, waits in read: fd `)
	m.keys("Enter")
	m.see("^ +0 .*\n +1 ")
	m.keys("q")
	m.see("^code=0$")
}

// TestTopNamesInlinedCalls, as reports do.
func TestTopNamesInlinedCalls(t *testing.T) {
	m := newTmux(t, 100, 30)
	target := start(t, compile(t, "inlined", "-O2", "-g"))
	blocksInRead(t, pid(target))
	m.top("-p "+pid(target), "inlined ["+pid(target)+"]")
	m.keys("w")
	m.see(`^ +0\.0 +100\.0 +0\.00s +[0-9.]+s +branch \(inlined\)`)
	m.see(`^ +1 leaf \(inlined\.c:9\).*\n +2 branch \(inlined\.c:15\).*\n +3 trunk \(inlined\.c:20\).*\n +4 main \(inlined\.c:27\)`)
	m.keys("/")
	m.do("send-keys", "-l", "^leaf$")
	m.keys("Enter", "Down", "Enter")
	m.see(`^ %TOTAL  CALLERS of leaf .*\n +100\.0  leaf .*\n +100\.0  branch \(inlined\.c:15\) *\n +100\.0  trunk \(inlined\.c:20\) *\n +100\.0  main \(inlined\.c:27\)`)
	m.keys("q")
	m.see("^code=0$")
}

// TestTopSaysDeadlock above all else, in red, once two checks have found it.
func TestTopSaysDeadlock(t *testing.T) {
	m := newTmux(t, 200, 24)
	target := start(t, compile(t, "situation", "-O1", "-g"), "deadlock")
	m.top("-p "+pid(target), "situation ["+pid(target)+"]")
	m.see(`^situation .*\nDeadlock: thread \d+ "\w+" waits for mutex [ab], held by thread \d+ "\w+", which waits for mutex [ab], held by thread \d+ "\w+"$`)
	if screen := m.do("capture-pane", "-p", "-e"); !regexp.MustCompile(`\x1b\[[0-9;]*31mDeadlock: `).MatchString(screen) {
		t.Errorf("no red word in\n%q", screen)
	}
	m.keys("q")
	m.see("^code=0$")
}

// TestTopIsForTerminals, and says so otherwise.
func TestTopIsForTerminals(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "1", "read")
	r := snap(t, "top", "-p", pid(target))
	if r.code != exitUsage || r.out != "" || r.err != "stacksnap: top is for a terminal: for a report, sample with -d 10s instead\n" {
		t.Errorf("exit code %d, %q, %q", r.code, r.out, r.err)
	}
	if r = snap(t, "top"); r.code != exitUsage || strings.Count(r.err, "\n") != 1 {
		t.Errorf("exit code %d, %q", r.code, r.err)
	}
	m := newTmux(t, 80, 24)
	m.command("clear; TERM=nonsense " + stacksnap + " top " + pid(target) + "; echo code=$?")
	m.see("^stacksnap: top cannot use this terminal \\(TERM=nonsense\\)")
	m.see("^code=2$")
	m.command("clear; NO_COLOR=1 " + stacksnap + " top " + pid(target) + "; echo code=$?")
	m.see("q quit")
	if colours := regexp.MustCompile(`\x1b\[[0-9;]*[34][0-7]m`).FindString(m.do("capture-pane", "-p", "-e")); colours != "" {
		t.Errorf("%q is a colour", colours)
	}
	m.keys("q")
	m.see("^code=0$")
	m.command("clear; " + stacksnap + " top; echo code=$?")
	m.see("Which\\? 1 to ")
	m.command(pid(target))
	m.see("^deep \\[" + pid(target) + "\\]")
	if colours := regexp.MustCompile(`\x1b\[[0-9;]*[34][0-7]m`).FindString(m.do("capture-pane", "-p", "-e")); colours == "" {
		t.Error("there are no colours")
	}
	m.keys("q")
	m.see("^code=0$")
}
