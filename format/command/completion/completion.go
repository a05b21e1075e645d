// Package completion writes scripts by which shells complete stacksnap's command line:
// flags, their values, and running processes.
package completion

import (
	"io"
	"slices"
	"strings"
)

// Kind is the kind of values that complete a flag.
type Kind uint8

const (
	None      Kind = iota // no completion
	Choices               // the words of [Flag.Choices]
	Processes             // pids and names of processes
	Names                 // names of processes
	Files
	Folders
	Commands
)

// Flag describes a flag for completion.
type Flag struct {
	Name, Short string
	Value       string // name of the value in help; empty for a switch
	Kind        Kind
	Choices     []string // the values for the kind Choices
	Repeats     bool     // may be given several times
	Help        string   // one line
}

// Topics are the words that may follow --help and help.
type Topics struct {
	Made   []string // valid after both --help and help
	Manual []string // valid only after help
}

// all returns the words that may follow help.
func (t Topics) all() []string { return slices.Concat(t.Manual, t.Made) }

// Script writes the completion script of a shell.
type Script func(w io.Writer, flags []Flag, topics Topics) error

// Scripts returns the functions that write scripts, by the shell's name.
func Scripts() map[string]Script {
	return map[string]Script{"bash": Bash, "zsh": Zsh, "fish": Fish}
}

// brief returns the beginning of a flag's help, short enough for a menu.
func (f *Flag) brief() string {
	if i := strings.IndexAny(f.Help, ":;("); i > 0 {
		return strings.TrimSpace(f.Help[:i])
	}
	return f.Help
}

// spellings returns the flag as typed, in its short and long forms.
func (f *Flag) spellings() []string {
	if f.Short == "" {
		return []string{"--" + f.Name}
	}
	return []string{"-" + f.Short, "--" + f.Name}
}

// quote quotes a text for bash and zsh.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
