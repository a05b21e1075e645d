package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"stacksnap/format/command/manual"
)

// helpWord is the first word of a call that asks for help.
const helpWord = "help"

// maxNear is how many topics are offered in the place of one that there is not.
const maxNear = 4

// helpOn finds what the words behind help ask for: an error that says what help is
// wanted, or that there is none. Several words are one name: "exit codes".
func (o *Options) helpOn(words []string) error {
	word := strings.ToLower(strings.Join(words, "-"))
	switch text := o.helpText(word); {
	case word == "":
		return &HelpError{Manual: listTopics()}
	case slices.Contains(topics(), word):
		return &HelpError{topic: word}
	case text != "":
		return &HelpError{Manual: text}
	}
	return UsageError{Err: o.unknownTopic(word)}
}

// helpText is the text on a topic, a flag, or a section of a topic; empty where there
// is none of that name.
func (o *Options) helpText(word string) string {
	for _, t := range manual.Topics() {
		if t.Name == word {
			return o.topicText(t)
		}
	}
	if f := o.flagNamed(word); f != nil {
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

// topicText is the text of a topic, with its flags.
func (o *Options) topicText(t manual.Topic) string {
	if len(t.Flags) == 0 {
		return t.Text()
	}
	return t.Text() + "\n## Flags\n\n" + o.flagList(t)
}

// flagList says what each flag of a topic does.
func (o *Options) flagList(t manual.Topic) string {
	var b strings.Builder
	for _, name := range t.Flags {
		explain(&b, o.row(name))
	}
	return indented(b.String())
}

// indented moves the lines of a list of flags to where blocks stand in the manual.
func indented(list string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(list, "\n"), "\n", "\n  ") + "\n"
}

// flagText says what a flag does, and which topic has more.
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

// seeAlso names the topic that has more.
func seeAlso(t manual.Topic) string { return fmt.Sprintf("\nSee also: `stacksnap help %s`\n", t.Name) }

// flagNamed is the flag of a name: --save, save, or -d; nil where there is none.
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

// listTopics lists the topics with their titles.
func listTopics() string {
	var b strings.Builder
	for _, t := range manual.Topics() {
		fmt.Fprintf(&b, "%-13s%s\n", t.Name, t.Title())
	}
	b.WriteString("stacksnap help TOPIC shows one, and help FLAG a flag; --help lists the flags.\n")
	return b.String()
}

// unknownTopic names the topics and flags near a word that is none.
func (o *Options) unknownTopic(word string) error {
	line := fmt.Sprintf("no topic of help is %q", word)
	if near := o.nearTopics(word); len(near) > 0 {
		line += ": did you mean " + either(near) + "?"
	}
	return errors.New(line + " (stacksnap help lists them; for a process called help: -p help)")
}

// nearTopics are the names that contain a word or differ from it by a few letters.
func (o *Options) nearTopics(word string) (near []string) {
	bare := strings.TrimLeft(word, "-")
	for _, name := range o.helpNames() {
		if isNear(bare, strings.TrimLeft(name, "-")) && !slices.Contains(near, name) && len(near) < maxNear {
			near = append(near, name)
		}
	}
	return near
}

// isNear reports whether a name may be meant by a word.
func isNear(word, name string) bool {
	const least = 3 // letters that tell anything
	if len(word) < least {
		return false
	}
	contains := strings.Contains(name, word) || len(name) >= least && strings.Contains(word, name)
	return contains || sorted(word) == sorted(name) || typos(word, name) <= min(maxTypos, len(name)/least)
}

// sorted are the letters of a word in order: those of two whose letters were
// exchanged are the same.
func sorted(word string) string { return string(slices.Sorted(slices.Values([]byte(word)))) }

// helpNames are all names that help has a text on: topics, flags and sections.
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

// slug is a heading as a person types it behind help.
func slug(heading string) string { return strings.ReplaceAll(strings.ToLower(heading), " ", "-") }

// topicNames are the names of the topics, which shells complete.
func topicNames() (names []string) {
	for _, t := range manual.Topics() {
		names = append(names, t.Name)
	}
	return names
}
