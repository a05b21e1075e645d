package out

import (
	"os"
	"os/exec"
	"strings"

	"stacksnap/format/command/cli"
	"stacksnap/format/command/manual"
	"stacksnap/format/output"
)

// page shows a report in a pager, as git does, if it is longer than the terminal to, and
// reports whether it did. It never pages for -o -.
func (c *Reporter) page(d *cli.Destination, to *os.File, report []byte) bool {
	if c.NoPager || d.Path != "" {
		return false
	}
	return c.paged(to, report)
}

// paged shows a text in a pager, if it is longer than the terminal to, and reports whether
// it did.
func (c Streams) paged(to *os.File, text []byte) bool {
	if !IsTerminal(to) || c.Getenv("TERM") == "dumb" {
		return false
	}
	command := c.pager()
	columns, lines := output.Size(to)
	if command == "" || !output.IsLonger(text, columns, lines) {
		return false
	}
	p := output.Pager{Command: command, Out: to, Err: c.Err}
	for _, d := range pagerDefaults {
		if name, _, _ := strings.Cut(d, "="); c.Getenv(name) == "" {
			p.Env = append(p.Env, d)
		}
	}
	return p.Show(text)
}

// pagerDefaults make pagers keep colours, and less quit if the text fits on one screen
// (git(1), core.pager).
var pagerDefaults = []string{"LESS=FRX", "LV=-c"}

// pager returns the command in $PAGER, or less; empty if there is no pager.
func (c Streams) pager() string {
	switch p := strings.TrimSpace(c.Getenv("PAGER")); {
	case p == "cat":
		return ""
	case p != "":
		return p
	}
	if _, err := exec.LookPath("less"); err != nil {
		return ""
	}
	return "less"
}

// ShowHelp prints a text of the manual, in a pager if it is longer than the terminal.
func (c Streams) ShowHelp(text string) {
	bold := IsTerminal(c.Out) && c.Getenv("NO_COLOR") == "" && c.Getenv("TERM") != "dumb"
	shown := []byte(manual.Terminal(text, bold))
	if !c.paged(c.Out, shown) {
		_, _ = c.Out.Write(shown) // an error could not be shown either
	}
}
