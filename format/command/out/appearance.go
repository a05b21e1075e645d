package out

import (
	"os"
	"strings"

	"stacksnap/format/command/cli"
	"stacksnap/format/output"
	"stacksnap/format/words"

	"github.com/fatih/color"
)

// OptionsOf returns the appearance of the report at a destination: colours, character set
// and width.
func (c *Reporter) OptionsOf(d *cli.Destination) words.Options {
	o := words.Options{
		Color: c.Colored(d.IsFile()), ASCII: c.asciiOnly(d), Width: c.width(d),
		Header: c.Header, Addresses: c.Addresses, FoldIdle: c.System && c.Merge,
		SelfCalls: c.IsSet("fold-recursion") && !c.Has("fold-recursion"),
	}
	switch {
	case c.Merge:
		o.Alike = leastMerged
	case !c.NoMerge:
		o.Alike = leastAlike
	}
	if !c.IsSet("min") {
		o.Least = leastShown
	}
	return o
}

// leastShown is the least share of a thread's samples, in percent, of a call in the trees of
// samples for people.
const leastShown = 1

// leastMerged is leastAlike for --merge.
const leastMerged = 2

// leastAlike is the number of threads with the same stack from which reports for people
// show them once. Readers want to see each of two or three.
const leastAlike = 4

// width returns the columns of the terminal that shows the report, or 0 if no terminal
// does.
func (c *Reporter) width(d *cli.Destination) int {
	to, _ := c.stream(d)
	if d.IsFile() || !IsTerminal(to) {
		return 0
	}
	return output.Width(to)
}

// Colored reports whether to colour a report. With --color=auto, it is coloured on a
// terminal, subject to NO_COLOR and TERM (package fatih/color reads them).
func (c *Reporter) Colored(inFile bool) bool {
	return c.Color == "always" || c.Color == "auto" && !color.NoColor && !inFile
}

// asciiOnly reports whether the report goes to a terminal whose locale has no UTF-8.
func (c *Reporter) asciiOnly(d *cli.Destination) bool {
	to, _ := c.stream(d)
	return !d.IsFile() && IsTerminal(to) && !IsUTF8(c.Getenv)
}

// IsUTF8 reports whether the locale's encoding is UTF-8. It takes the first of LC_ALL,
// LC_CTYPE and LANG that is set (locale(7)); if none is, the encoding is ASCII.
func IsUTF8(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(getenv(name)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return false
}

// stream returns the standard stream for a report that goes to no file, and its name.
func (c *Reporter) stream(d *cli.Destination) (to *os.File, name string) {
	if len(c.Command) > 0 && d.Path != cli.StandardOutput {
		return c.Err, "error" // standard output is the program's
	}
	return c.Out, "output"
}
