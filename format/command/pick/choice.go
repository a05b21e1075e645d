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
	maxChoices   = 20  // processes that are listed
	choiceColumn = 200 // where a line of them ends that is not for a terminal
)

// Choice is a list of processes from which a person chooses one.
type Choice struct {
	title string
	OrAll string // how else to go on; may be empty
	pids  []int  // all that may be named
	shown []chosen
	more  int // of them, which a line tells of
	now   time.Time
}

// chosen is a process that may be chosen.
type chosen struct {
	task.Candidate
	task.Details
	load string // what it does now, instead of the CPU time; may be empty
}

// Among is among processes of one name.
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

// Ask lists what there is to choose from on a terminal, and asks.
func (c *Choice) Ask(ctx context.Context, s out.Streams) (int, error) {
	for _, line := range c.lines(columns(s), true) {
		fmt.Fprintln(s.Err, line)
	}
	return c.read(ctx, s.In, s.Err)
}

// Refusal is the error where there is nobody to ask.
func (c *Choice) Refusal(s out.Streams) error {
	return cli.UsageError{Err: &out.ListError{Lines: c.lines(columns(s), false)}}
}

// errNotChosen is the error of a person who does not choose.
var errNotChosen = errors.New("no process was chosen")

// read asks until a process of the list is named, by its number there or by its
// pid. At the end of in, or of ctx, none is. A line that comes after the answer is left
// to be read by others.
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
		fmt.Fprintf(out, "Which? 1 to %d, or a pid: ", len(c.shown))
		asked <- true
		select {
		case answer, ok := <-answers:
			if pid := c.meant(answer); pid != 0 {
				return pid, nil
			}
			if !ok {
				fmt.Fprintln(out)
			}
			if strings.TrimSpace(answer) == "" {
				return 0, cli.UsageError{Err: errNotChosen}
			}
		case <-ctx.Done():
			fmt.Fprintln(out)
			return 0, cli.UsageError{Err: errNotChosen}
		}
	}
}

// meant is the pid of the process that an answer names, 0 where it names none.
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

// lines lists the processes, in lines of that many columns at most, with numbers to
// choose by or without. The text is fit to be printed.
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

// row is what is told of a process.
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

// commandLine is what it was started by; its program or name in brackets where that
// is not known.
func (p *chosen) commandLine() string {
	switch {
	case len(p.Command.Args) > 0:
		return words.CommandLine(p.Command)
	case p.Path != "":
		return "[" + p.Path + "]"
	}
	return "[" + p.Name + "]"
}

// aligned puts each column but the last to the right in the width of its widest.
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

// cut shortens a line to so many columns. What may be two columns wide counts so.
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

// Brief writes a time by its largest units.
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

// columns is how wide a line on standard error may be.
func columns(c out.Streams) int {
	if width := output.Width(c.Err); width > 0 {
		return width
	}
	return choiceColumn
}
