package command

import (
	"os"
	"strings"

	"stacksnap/format/output"
	"stacksnap/format/words"

	"github.com/fatih/color"
)

// options are what the report there looks like.
func (c *reporter) optionsOf(d *destination) words.Options {
	return words.Options{Color: c.colored(d.isFile()), ASCII: c.asciiOnly(d), Width: c.width(d), FoldIdle: c.system && c.merge, Origin: c.origin()}
}

// width is how many columns the terminal has to which the report goes, 0 where it goes
// elsewhere.
func (c *reporter) width(d *destination) int {
	to, _ := c.stream(d)
	if d.isFile() || !isTerminal(to) {
		return 0
	}
	return output.Width(to)
}

// colored decides by --color; fatih/color has looked at the terminal, NO_COLOR
// and TERM.
func (c *reporter) colored(inFile bool) bool {
	return c.color == "always" || c.color == "auto" && !color.NoColor && !inFile
}

// asciiOnly reports whether the report goes to a terminal whose locale has no UTF-8.
func (c *reporter) asciiOnly(d *destination) bool {
	to, _ := c.stream(d)
	return !d.isFile() && isTerminal(to) && !isUTF8(c.Getenv)
}

// isUTF8 reports whether a locale's encoding is UTF-8, by the variables that tell
// (locale(7)): the first that is set counts. Without any it is ASCII.
func isUTF8(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(getenv(name)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return false
}

// stream is where a report that goes to no file does.
func (c *reporter) stream(d *destination) (to *os.File, name string) {
	if len(c.command) > 0 && d.path != standardOutput {
		return c.Err, "error" // standard output is the program's
	}
	return c.Out, "output"
}
