// Package curl writes configurations for curl. They are passed through a pipe,
// because everybody can read a command line.
package curl

import (
	"fmt"
	"strings"
)

// Config is a configuration in the form of curl's files (curl(1), --config).
type Config struct{ text strings.Builder }

// Flag adds options without a value.
func (c *Config) Flag(names ...string) {
	for _, name := range names {
		fmt.Fprintln(&c.text, name)
	}
}

var quoting = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// Option adds an option with a value, which may be any text.
func (c *Config) Option(name, value string) {
	fmt.Fprintf(&c.text, "%s = \"%s\"\n", name, quoting.Replace(value))
}

// String returns the configuration.
func (c *Config) String() string { return c.text.String() }
