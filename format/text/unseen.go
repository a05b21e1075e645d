package text

import (
	"fmt"
	"slices"
	"strings"

	"stacksnap/format/profile"
)

// runtime is a language runtime whose functions are missing, in whole or in part,
// from native stacks.
type runtime struct {
	unseen string // the functions that are missing
	how    string // how another tool shows them, with %d for the pid; no such tool ends the process
}

// runtimes are recognised by the start of the file name of the program or of a
// library.
var runtimes = []struct {
	names  []string
	reader string // start of the names of the pseudo-images that have its functions; empty: they are never read
	runtime
}{
	{[]string{"python2", "python3", "libpython"}, "CPython", runtime{"Python functions", "py-spy dump --pid %d shows them"}},
	{[]string{"libjvm."}, "", runtime{"Java methods that no perf map names", "jcmd %d Thread.print shows them"}},
	{[]string{"ruby", "libruby"}, "", runtime{"Ruby methods", "rbspy dump --pid %d shows them"}},
	{[]string{"libcoreclr."}, "", runtime{".NET methods that no perf map names", "dotnet-stack report -p %d shows them"}},
	{[]string{"node", "nodejs", "libnode."}, "", runtime{"JavaScript functions that no perf map names", "node --perf-basic-prof names them, from its next start on"}},
	{[]string{"beam.smp"}, "", runtime{"Erlang processes", "i() shows them in the node's own shell"}},
}

// goroutines describes Go's runtime, which is recognised by the functions at which
// its threads begin.
var goroutines = runtime{"goroutines that no thread runs", "dlv attach %d shows them, and stops the process meanwhile"}

// unseen writes a line for each runtime in the process whose functions are missing.
// If the process may still run, the line has the command that shows them.
func (p *printer) unseen() {
	for _, r := range runtimes {
		if p.hasImage(r.names) && !p.isRead(r.reader) {
			p.notSeen(r.runtime)
		}
	}
	if len(p.Profile.Tasks) == 0 && p.runsGo() {
		p.notSeen(goroutines)
	}
}

func (p *printer) notSeen(r runtime) {
	text := r.unseen
	if t := &p.Profile.Target; t.Live && t.PID > 0 {
		how := r.how
		if strings.Contains(how, "%d") {
			how = fmt.Sprintf(how, t.PID)
		}
		text += "; " + how
	}
	p.Fact("Not seen", text)
}

// isRead reports whether functions in the interpreter's language were read.
func (p *printer) isRead(reader string) bool {
	return reader != "" && slices.ContainsFunc(p.Profile.Images, func(im *profile.Image) bool {
		return im.Runtime && strings.HasPrefix(im.Path, reader)
	})
}

// hasImage reports whether the file name of the program or of a library begins with
// one of names. For a library, a name ends in a dot, or a version follows it.
func (p *printer) hasImage(names []string) bool {
	for _, im := range p.Profile.Images {
		for _, name := range names {
			isLibrary := strings.HasPrefix(name, "lib")
			if isLibrary && strings.HasPrefix(im.Name(), name) || im.Main && isProgram(im.Name(), name) {
				return true
			}
		}
	}
	return false
}

// isProgram reports whether a file's name is that of a program, with or without a version
// ("python3.11", "ruby3.1").
func isProgram(file, name string) bool {
	version, ok := strings.CutPrefix(file, name)
	return ok && strings.Trim(version, ".0123456789") == ""
}

// goBeginnings are the functions that a thread of Go's runtime begins with, or a goroutine
// on it (runtime/asm_*.s, runtime/proc.go).
var goBeginnings = map[string]bool{"runtime.goexit": true, "runtime.mstart": true, "runtime.mcall": true, "runtime.rt0_go": true, "runtime.systemstack": true}

// runsGo reports whether a thread has one of [goBeginnings] on its stack.
func (p *printer) runsGo() bool {
	for _, t := range p.Profile.Threads {
		for _, n := range t.Heaviest() {
			if goBeginnings[strings.TrimSuffix(n.Function, ".abi0")] {
				return true
			}
		}
	}
	return false
}
