package out

import (
	"os"
	"strings"

	"stacksnap/format/command/cli"
	"stacksnap/format/output"
	"stacksnap/format/words"

	"github.com/fatih/color"
)

// Options are what the report there looks like.
func (c *Reporter) OptionsOf(d *cli.Destination) words.Options {
	return words.Options{Color: c.Colored(d.IsFile()), ASCII: c.asciiOnly(d), Width: c.width(d), FoldIdle: c.System && c.Merge}
}

// width is how many columns the terminal has to which the report goes, 0 where it goes
// elsewhere.
func (c *Reporter) width(d *cli.Destination) int {
	to, _ := c.stream(d)
	if d.IsFile() || !IsTerminal(to) {
		return 0
	}
	return output.Width(to)
}

// Colored decides by --color; fatih/color has looked at the terminal, NO_COLOR
// and TERM.
func (c *Reporter) Colored(inFile bool) bool {
	return c.Color == "always" || c.Color == "auto" && !color.NoColor && !inFile
}

// asciiOnly reports whether the report goes to a terminal whose locale has no UTF-8.
func (c *Reporter) asciiOnly(d *cli.Destination) bool {
	to, _ := c.stream(d)
	return !d.IsFile() && IsTerminal(to) && !IsUTF8(c.Getenv)
}

// IsUTF8 reports whether a locale's encoding is UTF-8, by the variables that tell
// (locale(7)): the first that is set counts. Without any it is ASCII.
func IsUTF8(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(getenv(name)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return false
}

// stream is where a report that goes to no file does.
func (c *Reporter) stream(d *cli.Destination) (to *os.File, name string) {
	if len(c.Command) > 0 && d.Path != cli.StandardOutput {
		return c.Err, "error" // standard output is the program's
	}
	return c.Out, "output"
}
