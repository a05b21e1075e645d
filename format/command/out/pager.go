package out

import (
	"os/exec"
	"strings"

	"stacksnap/format/command/cli"
	"stacksnap/format/command/manual"
	"stacksnap/format/output"
)

// page shows a report by a pager, as git does, where it is printed on a terminal that is
// too small for it; otherwise it returns false.
func (c *Reporter) page(d *cli.Destination, report []byte) bool {
	if c.NoPager || d.Path != "" || len(c.Command) > 0 {
		return false
	}
	return c.paged(report)
}

// paged shows a text by a pager, where the terminal is too small for it, and reports
// whether it did.
func (c Streams) paged(text []byte) bool {
	if !IsTerminal(c.Out) || c.Getenv("TERM") == "dumb" {
		return false
	}
	command := c.pager()
	columns, lines := output.Size(c.Out)
	if command == "" || !output.IsLonger(text, columns, lines) {
		return false
	}
	p := output.Pager{Command: command, Out: c.Out, Err: c.Err}
	for _, d := range pagerDefaults {
		if name, _, _ := strings.Cut(d, "="); c.Getenv(name) == "" {
			p.Env = append(p.Env, d)
		}
	}
	return p.Show(text)
}

// pagerDefaults have pagers pass colours on, and less end where all fits (git(1), on
// core.pager).
var pagerDefaults = []string{"LESS=FRX", "LV=-c"}

// pager is the command of $PAGER, or less; empty where there is none.
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

// ShowHelp prints a text of the manual, by the pager where the terminal is too small.
func (c Streams) ShowHelp(text string) {
	bold := IsTerminal(c.Out) && c.Getenv("NO_COLOR") == "" && c.Getenv("TERM") != "dumb"
	shown := []byte(manual.Terminal(text, bold))
	if !c.paged(shown) {
		_, _ = c.Out.Write(shown) // where it cannot be written there is nobody to tell
	}
}
