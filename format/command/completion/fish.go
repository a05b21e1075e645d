package completion

import (
	"fmt"
	"io"
	"strings"
)

// fishHead is the fixed part of the script.
const fishHead = `# What fish completes of calls of stacksnap. Made by: stacksnap --help fish

# Processes: each pid with its name beside it, and the names. Threads of Linux's kernel
# have no memory of their own.
function __stacksnap_processes
    ps -A -o vsz= -o pid= -o comm= 2>/dev/null | string match -r '^ *[1-9]\d* +\d+ +.*' | string replace -r '^ *\d+ +(\d+) +(?:.*/)?(.*)$' '$1\t$2'
    __stacksnap_names
end

function __stacksnap_names
    ps -A -o vsz= -o comm= 2>/dev/null | string match -r '^ *[1-9]\d* +.*' | string replace -r '^ *\d+ +(?:.*/)?' '' | sort -u
end

# Whether the word is not one of a command behind --.
function __stacksnap_ours
    not contains -- -- (commandline -opc)
end

# Whether a word is the first of a call.
function __stacksnap_first
    set -l words (commandline -opc)
    test (count $words) -gt 1 -a "$words[2]" = $argv[1]
end

function __stacksnap_command
    set -l words (commandline -opc)
    set -l at (contains -i -- -- $words)
    set -e words[1..$at]
    complete -C "$(string join ' ' -- (string escape -- $words) (commandline -ct))"
end

complete -c stacksnap -n 'not __stacksnap_ours' -f -a '(__stacksnap_command)'
complete -c stacksnap -n '__stacksnap_ours; and not __stacksnap_first help' -a '(__stacksnap_processes)'
complete -c stacksnap -n 'test (count (commandline -opc)) -eq 1' -a diff -d 'compare two files'
complete -c stacksnap -n 'test (count (commandline -opc)) -eq 1' -a top -d 'show a process live'
complete -c stacksnap -n 'test (count (commandline -opc)) -eq 1' -a help -d 'read the manual'
`

// Fish writes the completion script for fish.
func Fish(w io.Writer, flags []Flag, topics Topics) error {
	var b strings.Builder
	b.WriteString(fishHead)
	for i := range flags {
		f := &flags[i]
		b.WriteString("complete -c stacksnap -n __stacksnap_ours")
		if f.Short != "" {
			b.WriteString(" -s " + f.Short)
		}
		fmt.Fprintf(&b, " -l %s -d %s%s\n", f.Name, fishQuote(f.brief()), fishValue(f))
	}
	fmt.Fprintf(&b, "complete -c stacksnap -n __stacksnap_ours -s h -l help -x -d 'list the flags' -a '%s'\n", strings.Join(topics.Made, " "))
	fmt.Fprintf(&b, "complete -c stacksnap -n '__stacksnap_first help' -f -a '%s'\n", strings.Join(topics.all(), " "))
	_, err := io.WriteString(w, b.String())
	return err
}

// fishQuote quotes a text for fish, where a backslash inside single quotes must be escaped.
func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}

func fishValue(f *Flag) string {
	if f.Value == "" {
		return ""
	}
	switch f.Kind {
	case Choices:
		return " -x -a '" + strings.Join(f.Choices, " ") + "'"
	case Processes:
		return " -x -a '(__stacksnap_processes)'"
	case Names:
		return " -x -a '(__stacksnap_names)'"
	case Files:
		return " -r -F"
	case Folders:
		return " -x -a '(__fish_complete_directories)'"
	case Commands:
		return " -x -a '(__fish_complete_command)'"
	default:
		return " -x"
	}
}
