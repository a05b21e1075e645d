package completion

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stacksnap/task/needs"
)

var flags = []Flag{
	{Name: "pid", Short: "p", Value: "PID|NAME", Kind: Processes, Repeats: true, Help: "the process: its [pid], or it's name"},
	{Name: "wait", Value: "NAME", Kind: Names, Help: "wait for one"},
	{Name: "format", Short: "f", Value: "FORMAT", Kind: Choices, Choices: []string{"tree", "table", "json"}, Help: `of the "report"`},
	{Name: "output", Short: "o", Value: "FILE", Kind: Files, Help: "where to"},
	{Name: "dir", Value: "DIR", Kind: Folders, Help: "where `to`"},
	{Name: "duration", Short: "d", Value: "TIME", Help: "how long (a $time)"},
	{Name: "exec", Value: "COMMAND", Kind: Commands, Help: "what to run"},
	{Name: "main", Help: "only that; no other"},
}

// hostile is the name of a process that must not be run.
const hostile = "$(touch ran)`touch ran`"

// asked is what each shell must offer for a call whose last word is to be completed.
var asked = []struct {
	call []string
	want []string // among what is offered, and all of it where not is nil
	not  []string
}{
	{[]string{"--for"}, []string{"--format"}, nil},
	{[]string{"--m"}, []string{"--main"}, nil},
	{[]string{"-f", "t"}, []string{"tree", "table"}, nil},
	{[]string{"--format", "j"}, []string{"json"}, nil},
	{[]string{"-p", "48"}, []string{"4811"}, nil},
	{[]string{"-p", "ngi"}, []string{"nginx"}, nil},
	{[]string{"-p", ""}, []string{"4811", "nginx"}, []string{"--main", "48", "kworker"}},
	{[]string{"-p", "$"}, nil, []string{"--main"}},
	{[]string{"--wait", "n"}, []string{"nginx"}, []string{"4811"}},
	{[]string{"--main", "ngi"}, []string{"nginx"}, nil},
	{[]string{"rec"}, []string{"recording.snap"}, nil},
	{[]string{"di"}, []string{"diff"}, []string{"--main"}},
	{[]string{"to"}, []string{"top"}, []string{"--main"}},
	{[]string{"hel"}, []string{"help"}, []string{"--main"}},
	{[]string{"help", "e"}, []string{"exit"}, nil},
	{[]string{"help", ""}, []string{"all", "topic", "exit"}, []string{"4811", "recording.snap"}},
	{[]string{"top", "ngi"}, []string{"nginx"}, nil},
	{[]string{"diff", "rec"}, []string{"recording.snap"}, []string{"diff"}},
	{[]string{"diff", "recording.snap", "rec"}, []string{"recording.snap"}, []string{"diff"}},
	{[]string{"--output", "rec"}, []string{"recording.snap"}, nil},
	{[]string{"--dir", "fo"}, []string{"folder"}, []string{"foot.txt"}},
	{[]string{"--help", "t"}, []string{"topic"}, nil},
	{[]string{"--", "stacksnap-other", "rec"}, []string{"recording.snap"}, []string{"--format", "nginx"}},
}

// shell is how one is asked: a program that prints, a line each, what is offered for
// the call in its arguments.
type shell struct{ name, program string }

var shells = []shell{
	{"bash", `source ./script
ps() { printf '%s\n' "  9    1 /sbin/init" "  0   48 kworker" " 12 4811 /usr/sbin/nginx" ' 12 4900 ` + hostile + `'; }
COMP_WORDS=(stacksnap "$@") COMP_CWORD=$#
_stacksnap 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"`},
	{"fish", `source ./script
function ps
    if contains -- pid= $argv
        printf '%s\n' "  9    1 /sbin/init" "  0   48 kworker" " 12 4811 /usr/sbin/nginx" ' 12 4900 ` + hostile + `'
    else
        printf '%s\n' "  9 /sbin/init" "  0 kworker" " 12 /usr/sbin/nginx" ' 12 ` + hostile + `'
    end
end
complete -C "stacksnap $argv" | string replace -r '\t.*' ''; or true`},
	{"zsh", `zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner 'PS1= RPS1= PS2=; unsetopt zle_bracketed_paste beep; stty -echo 2>/dev/null'
zpty -w inner 'autoload -Uz compinit && compinit -u -C -d $ZSH_DUMP && source ./script'
zpty -w inner 'ps() { if [[ $* == *pid=* ]]; then print -rl "  9    1 /sbin/init" "  0   48 kworker" " 12 4811 /usr/sbin/nginx" " 12 4900 "'${(qq)1}'; else print -rl "  9 /sbin/init" "  0 kworker" " 12 /usr/sbin/nginx" " 12 "'${(qq)1}'; fi }'
shift
zpty -w inner 'compadd() { local -a hits; [[ "${@[1,(i)(-|--)]}" == *-(O|A|D)* ]] || { builtin compadd -A hits "$@"; print -rl -- "HIT "${^hits}; }; builtin compadd "$@" }'
zpty -w inner 'told() { print -r -- THE-END; }; comppostfuncs=(told); zstyle ":completion:*" list-prompt ""; LISTMAX=10000'
zpty -w inner 'bindkey "^I" complete-word; print -r -- READY-$((1+1))'
zpty -r inner out '*READY-2*'
zpty -w -n inner "stacksnap ${(j: :)@}"$'\t'
zpty -r inner out '*THE-END*'
zpty -d inner
print -r -- "$out" | tr -d '\r' | sed -n 's/^.*HIT //p'`},
}

func TestShellsComplete(t *testing.T) {
	for _, s := range shells {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			path := needs.Tool(t, s.name)
			dump := filepath.Join(t.TempDir(), "dump") // of what zsh finds out about itself, once
			for _, a := range asked {
				offered := s.ask(t, path, dump, a.call)
				for _, want := range a.want {
					if !slices.Contains(offered, want) {
						t.Errorf("%q: %q is not among %q", a.call, want, offered)
					}
				}
				for _, not := range a.not {
					if slices.Contains(offered, not) {
						t.Errorf("%q: %q is among %q", a.call, not, offered)
					}
				}
				if a.not == nil && len(offered) != len(a.want) {
					t.Errorf("%q: %q, want %q", a.call, offered, a.want)
				}
			}
		})
	}
}

// ask returns what the shell offers, in a folder with a few files.
func (s shell) ask(t *testing.T, path, dump string, call []string) []string {
	t.Helper()
	dir := t.TempDir()
	var script strings.Builder
	if err := Scripts()[s.name](&script, flags, Topics{Made: []string{"all", "topic"}, Manual: []string{"exit"}}); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"script": script.String(), "recording.snap": "", "foot.txt": "", "ask": s.program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"ask"}, call...)
	if s.name == "zsh" {
		args = append([]string{"-f", "ask", hostile}, call...)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "TERM=dumb", "ZSH_DUMP="+dump)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s", call, err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Errorf("%q: the name of a process was run", call)
	}
	var offered []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimRight(strings.TrimSpace(line), "/"); line != "" && !slices.Contains(offered, line) {
			offered = append(offered, line)
		}
	}
	return offered
}
