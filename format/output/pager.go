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

// Width returns how many columns a terminal has, 0 where it does not tell.
func Width(terminal *os.File) int {
	columns, _ := Size(terminal)
	return columns
}

// Pager shows a text page by page.
type Pager struct {
	Command string   // of a shell
	Env     []string // NAME=VALUE, besides the environment
	Out     *os.File
	Err     *os.File
}

// The exit codes by which a shell tells that a command cannot be run (POSIX, Shell
// Command Language, 2.8.2).
const (
	notExecutable = 126
	notFound      = 127
)

// Show runs the pager until a person ends it. It returns false where the pager has
// shown nothing, as it is not there. That a person does not read to the end, or that
// the pager fails in the end, is no error. A Ctrl-C meanwhile is for the pager.
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

// IsLonger reports whether a text has more lines than that, where a line is as wide as so
// many columns, at most. Sequences that colour it have no width.
func IsLonger(text []byte, columns, lines int) bool {
	if columns <= 0 || lines <= 0 {
		return false
	}
	n := 0
	for line := range bytes.Lines(text) {
		width := shownRunes(strings.TrimSuffix(string(line), "\n"))
		if n += 1 + max(0, width-1)/columns; n >= lines { // one is for the prompt
			return true
		}
	}
	return false
}

// shownRunes counts the runes of a line that are not of a sequence that colours it.
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
