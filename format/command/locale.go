package command

import "strings"

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
