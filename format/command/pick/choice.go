package pick

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"stacksnap/format/command/cli"
	"stacksnap/format/command/out"
	"stacksnap/format/output"
	"stacksnap/format/words"
	"stacksnap/task"
	"stacksnap/task/live"
)

const (
	maxChoices   = 20  // the most processes listed
	choiceColumn = 200 // width of a line if standard error is no terminal
)

// Choice is a list of processes from which the user chooses one.
type Choice struct {
	title string
	OrAll string // a phrase with an alternative, such as --all; may be empty
	pids  []int  // all valid answers, those not shown included
	shown []chosen
	more  int // number of pids that are not shown
	now   time.Time
}

// chosen is a process on the list.
type chosen struct {
	task.Candidate
	task.Details
	load string // present load of the process, shown instead of the CPU time; may be empty
}

// Among returns a choice among processes of one name.
func Among(e *live.AmbiguousError) *Choice {
	n := len(e.Candidates)
	c := &Choice{title: fmt.Sprintf("%d processes are named %q", n, e.Name), more: max(0, n-maxChoices), now: time.Now()}
	for i, candidate := range e.Candidates {
		if c.pids = append(c.pids, candidate.PID); i >= maxChoices {
			continue
		}
		c.shown = append(c.shown, chosen{Candidate: candidate, Details: live.Details(candidate.PID)})
	}
	return c
}

// Ask lists the processes on standard error and reads the user's choice, a pid, from
// standard input.
func (c *Choice) Ask(ctx context.Context, s out.Streams) (int, error) {
	for _, line := range c.lines(columns(s), true) {
		fmt.Fprintln(s.Err, line)
	}
	return c.read(ctx, s.In, s.Err)
}

// Refusal returns the list as an error, for a call without a user to ask.
func (c *Choice) Refusal(s out.Streams) error {
	return cli.UsageError{Err: &out.ListError{Lines: c.lines(columns(s), false)}}
}

// ErrNotChosen is returned if the user chooses no process.
var ErrNotChosen = errors.New("no process was chosen")

// read asks until the answer is a number on the list or a pid of it. It returns
// ErrNotChosen for an empty line or q, at the end of in and when ctx is done. It reads no line
// after the answer.
func (c *Choice) read(ctx context.Context, in io.Reader, out io.Writer) (int, error) {
	asked, answers := make(chan bool, 1), make(chan string, 1)
	defer close(asked)
	go func() {
		defer close(answers)
		lines := bufio.NewScanner(in)
		for range asked {
			if !lines.Scan() {
				return
			}
			answers <- lines.Text()
		}
	}()
	for {
		fmt.Fprintf(out, "Which? 1 to %d, or a pid; q leaves: ", len(c.shown))
		asked <- true
		select {
		case answer, ok := <-answers:
			if pid := c.meant(answer); pid != 0 {
				return pid, nil
			}
			if !ok {
				fmt.Fprintln(out)
			}
			if leaves(answer) {
				return 0, cli.UsageError{Err: ErrNotChosen}
			}
			fmt.Fprintf(out, "%s is neither a number of the list nor the pid of one of these processes\n", words.Quoted(strings.TrimSpace(answer)))
		case <-ctx.Done():
			fmt.Fprintln(out)
			return 0, cli.UsageError{Err: ErrNotChosen}
		}
	}
}

// leaves reports whether an answer says that no process is wanted.
func leaves(answer string) bool {
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "", "q", "quit":
		return true
	}
	return false
}

// meant returns the pid for an answer, 0 if the answer is invalid.
func (c *Choice) meant(answer string) int {
	n, err := strconv.Atoi(strings.TrimSpace(answer))
	if err == nil && n >= 1 && n <= len(c.shown) {
		return c.shown[n-1].PID
	}
	if err == nil && slices.Contains(c.pids, n) {
		return n
	}
	return 0
}

// lines returns the list of processes, in lines of at most that many columns, with or
// without numbers to choose by. Control characters are escaped.
func (c *Choice) lines(columns int, numbered bool) []string {
	lines := []string{c.title + "; choose one by -p PID" + c.OrAll + ":"}
	if numbered {
		lines[0] = c.title + ":"
	}
	rows := [][]string{{"", "PID", "PARENT", "USER", "CPU", "AGE", "COMMAND"}}
	for i, p := range c.shown {
		rows = append(rows, c.row(i+1, p))
	}
	if !numbered {
		for i := range rows {
			rows[i] = rows[i][1:]
		}
	}
	for _, line := range aligned(narrowed(rows, columns)) {
		lines = append(lines, cut(line, columns))
	}
	if c.more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", c.more))
	}
	return lines
}

// row returns the cells of one process in the list.
func (c *Choice) row(number int, p chosen) []string {
	parent, age := "?", "?"
	if p.ParentPID > 0 {
		parent = strconv.Itoa(p.ParentPID)
	}
	if !p.Start.IsZero() {
		age = Brief(c.now.Sub(p.Start))
	}
	cpu := "?"
	switch {
	case p.load != "":
		cpu = p.load
	case p.CPU >= 0:
		cpu = Brief(p.CPU)
	}
	return []string{
		strconv.Itoa(number) + ")", strconv.Itoa(p.PID), parent, words.Printable(UserName(p.User)), cpu, age,
		words.Printable(p.commandLine()),
	}
}

// commandLine returns the process's command line, or its program or name in brackets if
// that is unknown.
func (p *chosen) commandLine() string {
	switch {
	case len(p.Command.Args) > 0:
		return words.CommandLine(p.Command)
	case p.Path != "":
		return "[" + p.Path + "]"
	}
	return "[" + p.Name + "]"
}

// aligned joins the cells of each row. It right-aligns all columns but the last.
func aligned(rows [][]string) []string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		last := len(row) - 1
		for k, cell := range row[:last] {
			lines[i] += fmt.Sprintf("%*s  ", widths[k], cell)
		}
		lines[i] = "  " + lines[i] + row[last]
	}
	return lines
}

// cut shortens a line to at most that many columns. It counts characters that may be wide
// as two columns.
func cut(line string, columns int) string {
	const firstWide = 0x1100 // Hangul, the first wide script (Unicode, EastAsianWidth)
	at := 0
	for i, r := range line {
		if at++; r >= firstWide {
			at++
		}
		if at > columns {
			return line[:i]
		}
	}
	return line
}

// Brief formats a duration in its largest units, such as 2h5m.
func Brief(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 0:
		return "0s"
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Truncate(100*time.Millisecond).Seconds(), 'f', -1, 64) + "s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm%ds", d/time.Minute, d%time.Minute/time.Second)
	case d < day:
		return fmt.Sprintf("%dh%dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%dd%dh", d/day, d%day/time.Hour)
}

// columns returns the width of lines on standard error.
func columns(c out.Streams) int {
	if width := output.Width(c.Err); width > 0 {
		return width
	}
	return choiceColumn
}
