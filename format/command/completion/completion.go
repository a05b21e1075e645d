// Package completion writes what lets a shell complete calls of stacksnap: its
// flags, their values, and the processes that there are.
package completion

import (
	"io"
	"slices"
	"strings"
)

// Kind is what a value is chosen from.
type Kind uint8

const (
	None      Kind = iota // nothing that is known before
	Choices               // the words of [Flag.Choices]
	Processes             // pids and names of processes
	Names                 // names of processes
	Files
	Folders
	Commands
)

// Flag is what is completed of a flag.
type Flag struct {
	Name, Short string
	Value       string // what help calls its value; empty for a switch
	Kind        Kind
	Choices     []string // plain words
	Repeats     bool     // it may be given again
	Help        string   // a line
}

// Topics are the words that may stand behind --help and help.
type Topics struct {
	Made   []string // from the table of flags: what both take
	Manual []string // what help alone takes
}

// all are those that help takes.
func (t Topics) all() []string { return slices.Concat(t.Manual, t.Made) }

// Script writes the script of a shell.
type Script func(w io.Writer, flags []Flag, topics Topics) error

// Scripts are those that there are, by the shell's name.
func Scripts() map[string]Script {
	return map[string]Script{"bash": Bash, "zsh": Zsh, "fish": Fish}
}

// brief is the beginning of a flag's help, which a menu has room for: without what
// explains it further.
func (f *Flag) brief() string {
	if i := strings.IndexAny(f.Help, ":;("); i > 0 {
		return strings.TrimSpace(f.Help[:i])
	}
	return f.Help
}

// spellings are how the flag is written.
func (f *Flag) spellings() []string {
	if f.Short == "" {
		return []string{"--" + f.Name}
	}
	return []string{"-" + f.Short, "--" + f.Name}
}

// quote quotes a text for a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
