package command

import (
	"strings"

	"stacksnap/format/output"
	"stacksnap/format/words"

	"github.com/fatih/color"
)

// options are what the report there looks like.
func (c *call) optionsOf(d *destination) words.Options {
	return words.Options{Color: c.colored(d.isFile()), ASCII: c.asciiOnly(d), Width: c.width(d), FoldIdle: c.system && c.merge, Origin: c.origin()}
}

// width is how many columns the terminal has to which the report goes, 0 where it goes
// elsewhere.
func (c *call) width(d *destination) int {
	to, _ := c.stream(d)
	if d.isFile() || !isTerminal(to) {
		return 0
	}
	return output.Width(to)
}

// colored decides by --color; fatih/color has looked at the terminal, NO_COLOR
// and TERM.
func (c *call) colored(inFile bool) bool {
	return c.color == "always" || c.color == "auto" && !color.NoColor && !inFile
}

// asciiOnly reports whether the report goes to a terminal whose locale has no UTF-8.
func (c *call) asciiOnly(d *destination) bool {
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
