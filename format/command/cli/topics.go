package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"stacksnap/format/command/manual"
)

// helpWord is the first word of a command line that asks for help.
const helpWord = "help"

// maxNear is the largest number of topics suggested for an unknown one.
const maxNear = 4

// helpOn returns a [*HelpError] with the text for the words after help, or a usage error if
// there is none. Several words are joined to one name: "exit codes".
func (o *Options) helpOn(words []string) error {
	word := strings.Join(words, "-")
	if o.flagNamed(o.ourFlag(word)) == nil {
		word = strings.ToLower(word)
	}
	switch text := o.helpText(word); {
	case word == "" || word == helpWord:
		return &HelpError{Manual: listTopics()}
	case commandTopics()[word] != "":
		return o.helpOn([]string{commandTopics()[word]})
	case slices.Contains(topics(), word):
		return &HelpError{topic: word}
	case text != "":
		return &HelpError{Manual: text}
	}
	return UsageError{Err: o.unknownTopic(word)}
}

// commandTopics returns the topics for first words of a command line, and for "command", that
// have another name.
func commandTopics() map[string]string {
	return map[string]string{recordWord: "sampling", sampleWord: "sampling", dumpWord: "report", "command": "processes"}
}

// helpText returns the text on a topic, a flag, or a section of a topic; empty if there is
// none of that name.
func (o *Options) helpText(word string) string {
	for _, t := range manual.Topics() {
		if t.Name == word {
			return o.topicText(t)
		}
	}
	if f := o.flagNamed(o.ourFlag(word)); f != nil {
		return o.flagText(f)
	}
	for _, t := range manual.Topics() {
		for _, heading := range t.Headings() {
			if slug(heading) == word {
				return t.Section(heading) + seeAlso(t)
			}
		}
	}
	return ""
}

// topicText returns the text of a topic, with its flags.
func (o *Options) topicText(t manual.Topic) string {
	if len(t.Flags) == 0 {
		return t.Text()
	}
	return t.Text() + "\n## Flags\n\n" + o.flagList(t)
}

// flagList returns the descriptions of a topic's flags.
func (o *Options) flagList(t manual.Topic) string {
	var b strings.Builder
	for _, name := range t.Flags {
		explain(&b, o.row(name))
	}
	return indented(b.String())
}

// indented indents a list of flags as a block of the manual.
func indented(list string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(list, "\n"), "\n", "\n  ") + "\n"
}

// flagText returns the description of a flag and the name of its topic.
func (o *Options) flagText(f *flag) string {
	var b strings.Builder
	explain(&b, f)
	text := indented(b.String())
	for _, t := range manual.Topics() {
		if slices.Contains(t.Flags, f.name) {
			text += seeAlso(t)
		}
	}
	return text
}

// seeAlso returns a line that refers to a topic.
func seeAlso(t manual.Topic) string { return fmt.Sprintf("\nSee also: `stacksnap help %s`\n", t.Name) }

// flagNamed returns the flag called --save, save or -d; nil if there is none.
func (o *Options) flagNamed(word string) *flag {
	if name, ok := strings.CutPrefix(word, "--"); ok {
		return o.row(name)
	}
	if short, ok := strings.CutPrefix(word, "-"); ok {
		for _, g := range o.groups() {
			for i := range g.flags {
				if g.flags[i].short == short && short != "" {
					return &g.flags[i]
				}
			}
		}
		return nil
	}
	return o.row(word)
}

// listTopics returns the list of topics with their titles.
func listTopics() string {
	var b strings.Builder
	for _, t := range manual.Topics() {
		fmt.Fprintf(&b, "%-13s%s\n", t.Name, t.Title())
	}
	b.WriteString("stacksnap help TOPIC shows one, help FLAG a flag; help all explains every flag.\n")
	return b.String()
}

// unknownTopic returns the error for an unknown topic, with suggestions.
func (o *Options) unknownTopic(word string) error {
	line := fmt.Sprintf("no topic of help is %q", word)
	if near := o.nearTopics(word); len(near) > 0 {
		line += ": did you mean " + either(near) + "?"
	}
	return errors.New(line + " (stacksnap help lists them; for a process called help: -p help)")
}

// nearTopics returns the names that contain a word, or that differ from it by a few
// letters.
func (o *Options) nearTopics(word string) (near []string) {
	bare := strings.TrimLeft(word, "-")
	for _, name := range o.helpNames() {
		if isNear(bare, strings.TrimLeft(name, "-")) && !slices.Contains(near, name) && len(near) < maxNear {
			near = append(near, name)
		}
	}
	return near
}

// isNear reports whether the user may have meant name by word.
func isNear(word, name string) bool {
	const least = 3 // a shorter word is near too many names
	if len(word) < least {
		return false
	}
	contains := strings.Contains(name, word) || len(name) >= least && strings.Contains(word, name)
	return contains || sorted(word) == sorted(name) || typos(word, name) <= min(maxTypos, len(name)/least)
}

// sorted returns the letters of a word in order, so that words with swapped letters compare
// equal.
func sorted(word string) string { return string(slices.Sorted(slices.Values([]byte(word)))) }

// helpNames returns all names that help has a text on: topics, flags and sections.
func (o *Options) helpNames() (names []string) {
	for _, t := range manual.Topics() {
		names = append(names, t.Name)
	}
	for _, g := range o.groups() {
		for i := range g.flags {
			names = append(names, "--"+g.flags[i].name)
		}
	}
	for _, t := range manual.Topics() {
		for _, heading := range t.Headings() {
			names = append(names, slug(heading))
		}
	}
	return names
}

// slug returns a heading as one types it after help.
func slug(heading string) string { return strings.ReplaceAll(strings.ToLower(heading), " ", "-") }

// topicNames returns the names of the topics, for shell completion.
func topicNames() (names []string) {
	for _, t := range manual.Topics() {
		names = append(names, t.Name)
	}
	return names
}
