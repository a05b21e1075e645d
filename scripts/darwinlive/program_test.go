//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// program is one that was started in a space.
type program struct {
	room  *room
	args  []string
	cmd   *exec.Cmd
	mark  string // what it has in its environment, to be found by
	files [2]string
	ended chan struct{}
	pid   int // as it is called inside, once it is ready
}

// result is what a program left behind.
type result struct {
	out, err string
	code     int
}

// markVariable is inherited by all that a program starts.
const markVariable = "STACKSNAP_LIVE"

// start runs a program, whose file is given as it is called outside. Its output
// goes to files: a pipe would be kept open by what it starts.
func (r *room) start(args ...string) *program {
	r.Helper()
	return r.startAt(nil, args...)
}

// startAt is start with the standard output at a terminal, unless that is nil.
func (r *room) startAt(terminal *os.File, args ...string) *program {
	r.Helper()
	dir := r.TempDir()
	p := &program{
		room: r, args: args, mark: strconv.FormatUint(rand.Uint64(), 36), ended: make(chan struct{}),
		files: [2]string{filepath.Join(dir, "out"), filepath.Join(dir, "err")},
	}
	if r.path != "" {
		args = append([]string{compile(r.T, "withpath.c", cFlags...), r.path, r.inside(args[0])}, args[1:]...)
	}
	all := append(r.runner[:len(r.runner):len(r.runner)], args...)
	p.cmd = exec.Command(all[0], all[1:]...)
	p.cmd.Env = append(os.Environ(), markVariable+"="+p.mark)
	out, err := os.Create(p.files[0])
	if p.cmd.Stdout = out; terminal != nil {
		p.cmd.Stdout = terminal
	}
	if err == nil {
		p.cmd.Stderr, err = os.Create(p.files[1])
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		r.Fatal(err)
	}
	r.programs = append(r.programs, p)
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	return p
}

// readyLine is what every target says first, with its own pid.
var readyLine = regexp.MustCompile(`(?m)^(\d+) ready$`)

// target starts a program and returns when it is ready.
func (r *room) target(args ...string) *program {
	r.Helper()
	p := r.start(args...)
	for {
		if m := readyLine.FindStringSubmatch(p.output(0)); m != nil {
			p.pid, _ = strconv.Atoi(m[1])
			return p
		}
		if p.hasEnded() {
			r.checkEnvironment(p)
			r.Fatalf("%v ended before it was ready: %s%s", args, p.output(0), p.output(1))
		}
		if time.Now().After(r.until) {
			p.stuck()
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (p *program) output(i int) string {
	b, _ := os.ReadFile(p.files[i])
	return withoutSpaceLines(string(b))
}

func withoutSpaceLines(output string) string { return spaceLines.ReplaceAllLiteralString(output, "") }

// spaceLines are what the Darwin user space itself writes into the output of any
// program that asks for what it does not know.
var spaceLines = regexp.MustCompile(`(?m)^(sys_proc_info\(\): Unsupported .*|Unimplemented syscall \(\d+\))\r?\n`)

func (p *program) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// wait returns when the program has ended by itself.
func (p *program) wait() result {
	p.room.Helper()
	select {
	case <-p.ended:
	case <-time.After(time.Until(p.room.until)):
		p.stuck()
	}
	p.room.checkEnvironment(p)
	return result{p.output(0), p.output(1), p.cmd.ProcessState.ExitCode()}
}

// snap runs stacksnap to its end.
func (r *room) snap(args ...string) result {
	r.Helper()
	return r.start(append([]string{built.stacksnap}, args...)...).wait()
}

// serverGone is the answer of a server that went down: ECONNREFUSED.
var serverGone = regexp.MustCompile(`(^|[^\w.-])-111\b`)

// checkEnvironment gives a try up if the server of the space has gone down.
func (r *room) checkEnvironment(p *program) {
	r.Helper()
	if all := p.output(0) + p.output(1); len(r.runner) > 0 && serverGone.MatchString(all) {
		panic(environment("its server went down: " + lastLine(all)))
	}
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

// inMachCall is a goroutine that waits in a call of task/mach.
var inMachCall = regexp.MustCompile(`_Cfunc_mk_\w+`)

// goroutines are those in a dump that runs or could: each with its state and all its
// frames.
var goroutines = regexp.MustCompile(`(?m)^goroutine \d+ .*\[(running|runnable)\b.*\]:\n((?:.+\n)*)`)

// standsStill reports whether Go's runtime has come to a stand: a goroutine could run and
// nobody runs it, nor anything but a worker of the collector. Its threads wait for each
// other by calls of the space.
func standsStill(dump string) bool {
	could := false
	for _, m := range goroutines.FindAllStringSubmatch(dump, -1) {
		switch state, frames := m[1], m[2]; {
		case state == "runnable":
			could = true
		case !strings.Contains(frames, "created by runtime.gcBgMarkStartWorkers"):
			return false
		}
	}
	return could
}

// stuck says where a program hangs when time is over. A call that never comes back, or
// in which Go's runtime stands still, is the space's fault, all else is the program's.
func (p *program) stuck() {
	r := p.room
	r.Helper()
	p.signal(syscall.SIGQUIT)
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
	}
	r.checkEnvironment(p)
	dump := p.output(1)
	if call := inMachCall.FindString(dump); call != "" && len(r.runner) > 0 {
		panic(environment("a call never came back: " + call))
	}
	if standsStill(dump) && len(r.runner) > 0 {
		panic(environment("Go's runtime stands still"))
	}
	for _, other := range r.programs {
		r.checkEnvironment(other)
	}
	r.Fatalf("time is over, and %v did not end:\n%s\n%s", p.args, tail(p.output(0)), tail(dump))
}

// tail is the last of a long text.
func tail(s string) string {
	const most = 8 << 10
	if len(s) > most {
		return "…" + s[len(s)-most:]
	}
	return s
}

// signal sends one to the program itself, not to what runs it.
func (p *program) signal(sig syscall.Signal) {
	for _, pid := range p.own() {
		_ = syscall.Kill(pid, sig)
	}
}

// own are the pids, here, of the processes that run the program's file.
func (p *program) own() []int {
	if runtime.GOOS == "darwin" {
		return []int{p.cmd.Process.Pid}
	}
	var own []int
	for _, pid := range p.marked() {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if bytes.HasPrefix(line, []byte(p.room.inside(p.args[0])+"\x00")) {
			own = append(own, pid)
		}
	}
	return own
}

// marked are the pids, here, of all that has the program's mark and runs in the
// space.
func (p *program) marked() []int {
	var all []int
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range environs {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		env, _ := os.ReadFile(file)
		exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		if bytes.Contains(env, []byte(markVariable+"="+p.mark+"\x00")) && filepath.Base(exe) == "mldr" {
			all = append(all, pid)
		}
	}
	return all
}

// kill ends the program and what it started. It may have ended already.
func (p *program) kill() {
	if runtime.GOOS == "darwin" {
		_ = p.cmd.Process.Kill()
	} else {
		p.signal(syscall.SIGKILL)
	}
	select {
	case <-p.ended:
	case <-time.After(5 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// ok requires the exit code 0 and nothing on standard error, and returns what was
// printed.
func (r *room) ok(res result) string {
	r.Helper()
	if res.code != 0 || res.err != "" {
		r.Fatalf("exit code %d: %s", res.code, tail(res.err))
	}
	return res.out
}

// long reports whether every test is to have its full length.
func long() bool { return os.Getenv("STACKSNAP_LONG") != "" }

// timing reports whether times are to be compared, which holds on a quiet machine only.
func timing() bool { return os.Getenv("STACKSNAP_TIMING") != "" }

// either is full where there is time, else short.
func either[T any](full, short T) T {
	if long() {
		return full
	}
	return short
}
