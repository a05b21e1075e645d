package output

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"unicode/utf8"
)

// Width returns the width of a terminal in columns, 0 if it is unknown.
func Width(terminal *os.File) int {
	columns, _ := Size(terminal)
	return columns
}

// Pager shows a text page by page.
type Pager struct {
	Command string   // a shell command
	Env     []string // NAME=VALUE, besides the environment
	Out     *os.File
	Err     *os.File
}

// The exit codes of a shell for a command that cannot be run (POSIX, Shell Command
// Language, 2.8.2).
const (
	notExecutable = 126
	notFound      = 127
)

// Show runs the pager until the user quits it. It returns false if the pager could not be
// started, and so has shown nothing. Other failures, or quitting early, are no errors.
// While it runs, this program ignores SIGINT, which is for the pager.
func (p Pager) Show(text []byte) bool {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	cmd := exec.Command("sh", "-c", p.Command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), p.Out, p.Err
	cmd.Env = append(os.Environ(), p.Env...)
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return cmd.ProcessState != nil
	}
	return exit.ExitCode() != notFound && exit.ExitCode() != notExecutable
}

// IsLonger reports whether a text is longer than a terminal of that many columns and lines,
// less a line for the prompt. Escape sequences for colour have no width.
func IsLonger(text []byte, columns, lines int) bool {
	if columns <= 0 || lines <= 0 {
		return false
	}
	n := 0
	for line := range bytes.Lines(text) {
		width := shownRunes(strings.TrimSuffix(string(line), "\n"))
		if n += 1 + max(0, width-1)/columns; n >= lines { // one line is for the prompt
			return true
		}
	}
	return false
}

// shownRunes counts the runes of a line outside escape sequences for colour.
func shownRunes(line string) (n int) {
	for line != "" {
		text, colour, ok := strings.Cut(line, "\x1b[")
		n += utf8.RuneCountInString(text)
		if !ok {
			break
		}
		_, line, _ = strings.Cut(colour, "m")
	}
	return n
}
