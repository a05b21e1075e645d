package completion

import (
	"fmt"
	"io"
	"strings"
)

// The fixed parts of the script. Anybody may choose the name of a process, so names are never
// expanded, as compgen -W would do. The script works with bash 3.2, which macOS has.
const (
	bashHead = `# What bash completes of calls of stacksnap. Made by: stacksnap --help bash

_stacksnap_processes() {
	local size pid name
	# Threads of Linux's kernel have no memory of their own.
	ps -A -o vsz= -o pid= -o comm= 2>/dev/null | while read -r size pid name; do
		[ "$size" != 0 ] || continue
		[ "$1" = names ] || printf '%s\n' "$pid"
		printf '%s\n' "${name##*/}"
	done | sort -u
}

# _stacksnap_match completes the word from lines.
_stacksnap_match() {
	local line quoted
	while IFS= read -r line; do
		printf -v quoted %q "$line"
		[[ $line != "$cur"* && $quoted != "$cur"* ]] || COMPREPLY+=("$quoted")
	done <<<"$1"
}

# _stacksnap_paths completes it from what compgen lists, and the shell quotes that.
_stacksnap_paths() {
	local line
	while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$1" -- "$cur")
	compopt -o filenames 2>/dev/null
}

# _stacksnap_command completes the command that begins at word $1.
_stacksnap_command() {
	if declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif [ "$COMP_CWORD" -eq "$1" ]; then
		_stacksnap_paths -c
	else
		_stacksnap_paths -f
	fi
}

_stacksnap() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			_stacksnap_command $((i + 1))
			return
		fi
	done
	# The sign in --flag=value is a word of its own.
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	case $prev in
`
	bashTail = `	*)
		if [[ $cur == -* ]]; then
			_stacksnap_match "$_stacksnap_flags"
		elif [[ ${COMP_WORDS[1]} == help && $COMP_CWORD -gt 1 ]]; then
			_stacksnap_match "$_stacksnap_topics"
		else
			_stacksnap_paths -f
			[[ ${COMP_WORDS[1]} == diff && $COMP_CWORD -gt 1 ]] || _stacksnap_match "$(_stacksnap_processes)"
			[ "$COMP_CWORD" -ne 1 ] || _stacksnap_match $'diff\nhelp\ntop'
		fi
		;;
	esac
}
complete -F _stacksnap stacksnap
`
)

// Bash writes the completion script for bash.
func Bash(w io.Writer, flags []Flag, topics Topics) error {
	var b strings.Builder
	b.WriteString(bashHead)
	all := []string{"--help"}
	for i := range flags {
		f := &flags[i]
		all = append(all, "--"+f.Name)
		if f.Value != "" {
			fmt.Fprintf(&b, "\t%s) %s ;;\n", strings.Join(f.spellings(), " | "), bashValue(f))
		}
	}
	b.WriteString("\t-h | --help) _stacksnap_match $'" + strings.Join(topics.Made, `\n`) + "' ;;\n" + bashTail)
	fmt.Fprintf(&b, "_stacksnap_flags=$'%s'\n", strings.Join(all, `\n`))
	fmt.Fprintf(&b, "_stacksnap_topics=$'%s'\n", strings.Join(topics.all(), `\n`))
	_, err := io.WriteString(w, b.String())
	return err
}

func bashValue(f *Flag) string {
	switch f.Kind {
	case Choices:
		return "_stacksnap_match $'" + strings.Join(f.Choices, `\n`) + "'"
	case Processes:
		return `_stacksnap_match "$(_stacksnap_processes)"`
	case Names:
		return `_stacksnap_match "$(_stacksnap_processes names)"`
	case Files:
		return "_stacksnap_paths -f"
	case Folders:
		return "_stacksnap_paths -d"
	case Commands:
		return "_stacksnap_paths -c"
	default:
		return ":"
	}
}
