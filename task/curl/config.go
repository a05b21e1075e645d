// Package curl writes what curl is told: by a pipe, for a command line is read by
// everybody.
package curl

import (
	"fmt"
	"strings"
)

// Config is a configuration in the form of curl's files (curl(1), --config).
type Config struct{ text strings.Builder }

// Flag adds options that have no value.
func (c *Config) Flag(names ...string) {
	for _, name := range names {
		fmt.Fprintln(&c.text, name)
	}
}

var quoting = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// Option adds an option with a value of any text.
func (c *Config) Option(name, value string) {
	fmt.Fprintf(&c.text, "%s = \"%s\"\n", name, quoting.Replace(value))
}

// String is the text for curl.
func (c *Config) String() string { return c.text.String() }
