package completion

import (
	"fmt"
	"io"
	"strings"
)

// The fixed parts of the script; see _arguments in zshcompsys(1).
const (
	zshHead = `#compdef stacksnap
# What zsh completes of calls of stacksnap. Made by: stacksnap --help zsh

_stacksnap_processes() {
	local size pid name
	local -a pids lines
	# Threads of Linux's kernel have no memory of their own.
	ps -A -o vsz= -o pid= -o comm= 2>/dev/null | while read -r size pid name; do
		[[ $size != 0 ]] || continue
		pids+=($pid)
		lines+=("$pid ${name:t}")
	done
	compadd -l -d lines -a pids
	_stacksnap_names
}

_stacksnap_names() {
	local -a names
	names=(${(uf)"$(ps -A -o vsz= -o comm= 2>/dev/null | sed -n '/^ *0 /d; s/^ *[0-9]* *//p')"})
	names=(${names:t})
	compadd -a names
}

_stacksnap_target() {
	(( CURRENT != 2 )) || compadd diff help top
	_stacksnap_processes
	_files
}

# What stands behind a process, or behind diff or top.
_stacksnap_second() {
	[[ $words[2] != diff ]] || _files
	[[ $words[2] != top ]] || _stacksnap_processes
	[[ $words[2] != help ]] || _stacksnap_topics
}

_stacksnap() {
	local command=${words[(i)--]}
	if (( command < CURRENT )); then
		shift $command words
		(( CURRENT -= command ))
		_normal
		return
	fi
	_arguments -s \
`
	zshTail = `		'1:process or file:_stacksnap_target' \
		'2:seconds:_stacksnap_second' \
		'3:milliseconds:_stacksnap_second'
}

_stacksnap_topics() {
	compadd TOPICS
}

if [[ $funcstack[1] == _stacksnap ]]; then
	_stacksnap "$@"
else
	compdef _stacksnap stacksnap
fi
`
)

// Zsh writes the completion script for zsh.
func Zsh(w io.Writer, flags []Flag, topics Topics) error {
	var b strings.Builder
	b.WriteString(zshHead)
	for i := range flags {
		fmt.Fprintf(&b, "\t\t%s \\\n", zshSpec(&flags[i]))
	}
	fmt.Fprintf(&b, "\t\t'(- *)'{-h,--help}'[list the flags]::of:(%s)' \\\n", strings.Join(topics.Made, " "))
	b.WriteString(strings.Replace(zshTail, "TOPICS", strings.Join(topics.all(), " "), 1))
	_, err := io.WriteString(w, b.String())
	return err
}

// zshSpec returns a flag as an argument of _arguments.
func zshSpec(f *Flag) string {
	names := f.spellings()
	before := quote("(" + strings.Join(names, " ") + ")")
	if f.Repeats {
		before = "'*'"
	}
	if f.Value != "" {
		for i, name := range names {
			names[i] = name + map[bool]string{true: "=", false: "+"}[strings.HasPrefix(name, "--")]
		}
	}
	spelled := names[0]
	if len(names) > 1 {
		spelled = "{" + strings.Join(names, ",") + "}"
	}
	return before + spelled + quote("["+strings.NewReplacer("]", `\]`, "[", `\[`).Replace(f.brief())+"]"+zshValue(f))
}

func zshValue(f *Flag) string {
	if f.Value == "" {
		return ""
	}
	action := map[Kind]string{
		Processes: "_stacksnap_processes", Names: "_stacksnap_names", Files: "_files", Folders: "_files -/", Commands: "_command_names",
	}[f.Kind]
	if f.Kind == Choices {
		action = "(" + strings.Join(f.Choices, " ") + ")"
	}
	return ":" + f.Value + ":" + action
}
