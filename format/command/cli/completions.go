package cli

import (
	"maps"
	"slices"
	"strings"

	"stacksnap/format/command/completion"
)

// topics returns the words that may follow --help.
func topics() []string {
	return slices.Concat([]string{"all", "man", "man-top", "man-formats"}, slices.Sorted(maps.Keys(completion.Scripts())))
}

// completions returns the completion script for a shell, made from the table of flags.
func completions(shell string) string {
	var flags []completion.Flag
	for _, g := range newOptions().groups() {
		for i := range g.flags {
			flags = append(flags, g.flags[i].completion())
		}
	}
	var b strings.Builder
	_ = completion.Scripts()[shell](&b, flags, completion.Topics{Made: topics(), Manual: topicNames()}) // writing to a Builder cannot fail
	return b.String()
}

func (f *flag) completion() completion.Flag {
	c := completion.Flag{Name: f.name, Short: f.short, Value: f.value, Kind: f.kind(), Choices: f.choices, Help: f.help}
	_, c.Repeats = f.to.(*[]string)
	return c
}

// kind returns the kind of completion for the flag's value. It depends on the name of the
// value in help.
func (f *flag) kind() completion.Kind {
	if f.choices != nil {
		return completion.Choices
	}
	return map[string]completion.Kind{
		"PID|NAME": completion.Processes, "NAME": completion.Names, "FILE": completion.Files, "PATH": completion.Files,
		"DIR": completion.Folders, "COMMAND": completion.Commands,
	}[f.value]
}
