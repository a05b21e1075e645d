//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"stacksnap/scripts/terminal"
	"stacksnap/task/needs"
)

// TestChoosing among processes of one name: a script is told of them, a person at a
// terminal is asked.
func TestChoosing(t *testing.T) {
	program := copyOf(t, compile(t, "deep", "-O2"), "choice-of-e2e")
	a, b := start(t, program, "1", "read"), start(t, program, "2", "read")
	blocksInRead(t, pid(a))
	blocksInRead(t, pid(b))
	r := snap(t, "choice-of-e2e")
	if r.code != exitUsage || r.out != "" {
		t.Errorf("exit code %d, %q", r.code, r.out)
	}
	for _, words := range [][]string{
		{"2 processes are named", "-p PID"}, {"PID", "PARENT", "USER", "CPU", "AGE", "COMMAND"},
		{" " + pid(a) + " ", fmt.Sprint(os.Getpid()), program + " 1 read"}, {" " + pid(b) + " ", program + " 2 read"},
	} {
		line, rest, _ := strings.Cut(r.err, "\n")
		for _, word := range words {
			if !strings.Contains(line, word) {
				t.Errorf("%q does not have %q", line, word)
			}
		}
		r.err = rest
	}
	for answer, want := range map[string]string{"2\n": pid(b), pid(a) + "\n": pid(a), "seven\n1\n": pid(a), "\n": "", "\x04": "", "\x03": ""} {
		told, out, code := atTerminal(t, answer, 50, "choice-of-e2e")
		if got := threadsOf(out); (code == 0) != (want != "") || want != "" && (len(got) == 0 || got[0] != want) || want == "" && code != exitUsage {
			t.Errorf("%q: exit code %d, threads %v, want %q\n%s", answer, code, got, want, told)
		}
		if !strings.Contains(told, "Which? 1 to 2, "+question) {
			t.Errorf("%q: not asked:\n%s", answer, told)
		}
		for line := range strings.SplitSeq(strings.ReplaceAll(told, "\r", ""), "\n") {
			if strings.HasPrefix(line, "  ") && len(line) > 50 {
				t.Errorf("%d columns: %q", len(line), line)
			}
		}
	}
}

// question is the end of the line that asks the user to choose.
const question = "or a pid; q leaves: "

// atTerminal runs stacksnap with a terminal as standard input and error, types when
// it has asked, and returns what stood on the terminal, and on standard output.
func atTerminal(t *testing.T, typed string, columns uint16, args ...string) (told, out string, code int) {
	t.Helper()
	return typeAfter(t, question, typed, columns, args...)
}

// typeAfter is atTerminal that types once the terminal shows a text.
func typeAfter(t *testing.T, shown, typed string, columns uint16, args ...string) (told, out string, code int) {
	t.Helper()
	ours, theirs := openTerminal(t, columns)
	defer ours.Close()
	cmd := exec.Command(stacksnap, args...)
	var stdout bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, &stdout, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	var screen strings.Builder
	for buf := make([]byte, 4096); ; {
		n, err := ours.Read(buf)
		screen.Write(buf[:n])
		if typed != "" && strings.Contains(screen.String(), shown) {
			if _, err := ours.WriteString(typed); err != nil {
				t.Fatal(err)
			}
			typed = ""
		}
		if err != nil { // EIO: nobody has the other end any more
			break
		}
	}
	_ = cmd.Wait()
	return screen.String(), stdout.String(), cmd.ProcessState.ExitCode()
}

// openTerminal makes a terminal, which this system must have.
func openTerminal(t *testing.T, columns uint16) (ours, theirs *os.File) {
	t.Helper()
	ours, theirs, err := terminal.Open(columns, 24)
	needs.Feature(t, "/dev/ptmx", err, fs.ErrNotExist, fs.ErrPermission)
	return ours, theirs
}

// TestAloneAtATerminal offers what is busy, and takes any pid.
func TestAloneAtATerminal(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "2", "read")
	blocksInRead(t, pid(target))
	told, out, code := atTerminal(t, pid(target)+"\n", 80)
	if got := threadsOf(out); code != 0 || len(got) != 3 || got[0] != pid(target) {
		t.Errorf("exit code %d, threads %v\n%s", code, got, told)
	}
	for _, want := range []string{"processes", "stacksnap --help", "PID", "  1)  ", "Which? 1 to "} {
		if !strings.Contains(told, want) {
			t.Errorf("no %q in\n%s", want, told)
		}
	}
	if told, out, code = atTerminal(t, "\n", 80); code != exitUsage || out != "" || !strings.Contains(told, "no process was chosen") {
		t.Errorf("exit code %d, %q\n%s", code, out, told)
	}
}
