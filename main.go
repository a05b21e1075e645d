// Command stacksnap prints where every thread of a process is: it stops the
// process for microseconds, copies registers and stacks, lets it run on, and
// names what it copied. It does so once, or at regular times; and it reads core
// files and its own recordings.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/fatih/color"
	"github.com/mattn/go-isatty"
	"github.com/spf13/pflag"

	"stacksnap/format"
	"stacksnap/format/output"
	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/capture/family"
	"stacksnap/format/profile/hang"
	"stacksnap/images/binaries"
	"stacksnap/task"
	"stacksnap/task/core"
	"stacksnap/task/live"
	"stacksnap/task/recording"
)

// version is set by the linker in released builds.
var version = "0.1"

//go:embed scripts/entitlements.plist
var entitlements []byte

// The exit codes, as README.md lists them. A program that was launched passes
// its own on.
const (
	exitOK           = 0
	exitFailure      = 1
	exitUsage        = 2
	exitNoProcess    = 3
	exitNotPermitted = 4
	exitTargetExited = 5
)

// standardOutput is what --output calls it.
const standardOutput = "-"

// gcPercent is by how much the heap may grow before it is collected.
const gcPercent = 400

// What sampling does unless told otherwise, as sample(1) does.
const (
	defaultInterval = time.Millisecond
	defaultDuration = 10 * time.Second
)

// The samples a second that make an interval: from one in three years to one in
// a nanosecond.
const (
	minRate = 1e-8
	maxRate = 1e9
)

func main() {
	// Little is allocated and less is dropped, so that collecting it is mostly work
	// for nothing, and would compete with a capture.
	debug.SetGCPercent(gcPercent)
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	// The first signal ends the capture early, with its report. A second one ends
	// the program at once; the kernel then sets the target running.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the whole program; it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args)
	o.stdout, o.stderr = stdout, stderr
	switch {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprint(stdout, usage(o))
		return exitOK
	case err == nil:
		err = o.run(ctx)
	}
	var status exitStatus
	if err != nil && !errors.As(err, &status) {
		fmt.Fprintln(stderr, "stacksnap:", oneLine(err))
	}
	return exitCode(err)
}

// oneLine puts errors that were joined on one line. A list of processes to choose
// from keeps its lines.
func oneLine(err error) string {
	var ambiguous *live.AmbiguousError
	if errors.As(err, &ambiguous) {
		return err.Error()
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}

// usageError is a mistake in how stacksnap was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// exitStatus is that of a program which was launched.
type exitStatus int

func (s exitStatus) Error() string { return "exit status " + strconv.Itoa(int(s)) }

// options are the command line.
type options struct {
	flags          *pflag.FlagSet
	stdout, stderr io.Writer

	target  string
	wait    string
	command []string

	children bool

	duration, interval time.Duration
	rate               float64
	count              int
	jitter             bool
	suspend            string
	noStop             bool

	threads []string
	filter  capture.Threads

	hang, maxHang, every time.Duration
	keep                 int
	dir, exec            string

	format, output, save, color string
	merge                       bool
	binaries                    []string
	sign, version               bool
}

func parse(args []string) (*options, error) {
	f := pflag.NewFlagSet("stacksnap", pflag.ContinueOnError)
	f.SortFlags = false
	f.SetOutput(io.Discard)
	o := &options{flags: f}
	f.StringVarP(&o.target, "pid", "p", "", "process to look at: its `PID`, name or program")
	f.StringVar(&o.wait, "wait", "", "wait until a process of that `NAME` appears")
	f.DurationVarP(&o.duration, "duration", "d", 0, "sample for so long: 10s, 2m (default 10s); watch for so long (default until Ctrl-C)")
	f.DurationVarP(&o.interval, "interval", "i", 0, "time from one sample to the next (default 1ms; in a hang 10ms)")
	f.Float64VarP(&o.rate, "rate", "r", 0, "samples a second, instead of --interval")
	f.IntVarP(&o.count, "count", "n", 0, "sample so often; end a watch after so many reports")
	f.BoolVar(&o.jitter, "jitter", false, "take each sample at a random time in its interval")
	f.BoolVar(&o.children, "children", false, "with -- COMMAND: sample the processes that it starts, too")
	f.StringVar(&o.suspend, "suspend", "", "what stands while a sample is taken: thread (one after another; samples for 10s unless told) or task (all at once); unless given, whichever suits the target")
	f.BoolVar(&o.noStop, "no-stop", false, "sample without stopping anything, as well as that can be done (10s unless told)")
	f.StringArrayVar(&o.threads, "thread", nil, "only threads of that `ID|NAME` (* and ? match); repeatable")
	f.BoolVar(&o.filter.Main, "main", false, "only the main thread")
	f.BoolVar(&o.filter.Running, "running", false, "only threads that run")
	f.BoolVar(&o.filter.Blocked, "blocked", false, "only threads that wait")
	f.DurationVar(&o.hang, "hang", 0, "watch, and report when the main thread (or --thread) is stuck for so long: 250ms")
	f.DurationVar(&o.maxHang, "max-hang", hang.DefaultMaxHang, "sample a hang for so long at most")
	f.DurationVar(&o.every, "every", 0, "watch, and report at that interval")
	f.StringVar(&o.dir, "dir", "", "`DIR` for the reports of a watch, a file and a recording each (default: standard output)")
	f.IntVar(&o.keep, "keep", 0, "how many of these files to keep (default all)")
	f.StringVar(&o.exec, "exec", "", "shell `COMMAND` to run on each report of a watch; STACKSNAP_FILE names it")
	f.StringVarP(&o.format, "format", "f", "tree", "of the report: tree, json, jsonl, folded")
	f.StringVarP(&o.output, "output", "o", "", "`FILE` to write the report to, whole or not at all; - is standard output")
	f.StringVar(&o.save, "save", "", "`FILE` to record to, from which the report can be made again anywhere")
	f.BoolVar(&o.merge, "merge", false, "print threads that have the same stack once")
	f.StringVar(&o.color, "color", "auto", "`WHEN` to colour: auto (on a terminal, unless NO_COLOR is set), always, never")
	f.StringArrayVar(&o.binaries, "binaries", nil, "`DIR` with binaries for a core; repeatable")
	f.BoolVar(&o.sign, "sign", false, "macOS: sign this program so that it may read others")
	f.BoolVar(&o.version, "version", false, "print the version")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return o, err
		}
		return o, usageError{withExample(err)}
	}
	if err := o.check(); err != nil {
		return o, usageError{err}
	}
	return o, nil
}

// withExample says how to write a time that was not understood.
func withExample(err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) && invalid.GetFlag().Value.Type() == "duration" {
		return fmt.Errorf("%w: give a number with its unit, such as 10s or 250ms", err)
	}
	return err
}

// check completes and refuses what the flags' own types let pass.
func (o *options) check() error {
	if err := o.arguments(); err != nil {
		return err
	}
	if err := o.one(); err != nil {
		return err
	}
	switch {
	case o.version || o.sign:
		return nil
	case o.target == "" && o.wait == "" && len(o.command) == 0:
		return errors.New("which process? give -p PID, -p NAME, a core, or -- COMMAND (see --help)")
	case o.color != "auto" && o.color != "always" && o.color != "never":
		return fmt.Errorf("--color is auto, always or never, not %q", o.color)
	case o.writer() == nil:
		return fmt.Errorf("--format is tree, json, jsonl or folded, not %q", o.format)
	case o.duration < 0 || o.interval < 0 || o.rate < 0 || o.count < 0:
		return errors.New("--duration, --interval, --rate and --count cannot be negative")
	case !(o.rate == 0 || o.rate >= minRate && o.rate <= maxRate):
		return fmt.Errorf("--rate is from %g to %g samples a second", minRate, maxRate)
	case o.rate > 0 && o.interval > 0:
		return errors.New("give --rate or --interval, not both")
	case o.output != "" && o.output == o.save:
		return errors.New("--output and --save need a file each")
	case o.jitter && (o.watches() || !o.samples()):
		return errors.New("--jitter goes with sampling: give --duration, --count or --rate")
	case o.maxHang != hang.DefaultMaxHang && o.hang == 0:
		return errors.New("--max-hang goes with --hang")
	case o.watches() && len(o.command) > 0:
		return errors.New("--hang and --every watch a process that runs already: start the program by itself, and give its pid")
	case o.hang < 0 || o.every < 0 || o.maxHang < 0 || o.keep < 0:
		return errors.New("--hang, --every, --max-hang and --keep cannot be negative")
	case !o.watches() && (o.dir != "" || o.keep > 0 || o.exec != ""):
		return errors.New("--dir, --keep and --exec go with --hang or --every")
	case o.children && (len(o.command) == 0 || o.save != ""):
		return errors.New("--children goes with -- COMMAND, and without --save")
	case o.noStop && o.suspend != "":
		return errors.New("give --suspend or --no-stop, not both")
	}
	if _, err := o.suspension(); err != nil {
		return err
	}
	if err := o.checkWatch(); err != nil {
		return err
	}
	o.selectThreads()
	return o.filter.Check()
}

// checkWatch refuses what a watch would not do.
func (o *options) checkWatch() error {
	switch {
	case !o.watches():
		return nil
	case o.save != "" || o.output != "" || o.format == "folded":
		return errors.New("a watch writes to --dir, as tree, json or jsonl: no --save, --output or -f folded")
	case o.filter.Running || o.filter.Blocked:
		return errors.New("a watch reports all threads: no --running or --blocked")
	case o.filter.Main && len(o.threads) > 0:
		return errors.New("a watch is of one thread: give --main or --thread, not both")
	case o.hang == 0 && (o.filter.Main || len(o.threads) > 0):
		return errors.New("--every reports all threads: --main and --thread go with --hang")
	case o.hang == 0 && (o.interval > 0 || o.rate > 0):
		return errors.New("--interval and --rate say how often a hang is sampled: they go with --hang, not with --every alone")
	case o.noStop || o.suspend == "thread":
		return errors.New("the reports of a watch stop all threads at once: no --no-stop or --suspend thread")
	}
	return nil
}

// one refuses more than one thing to look at, and files without a name.
func (o *options) one() error {
	given := 0
	for _, is := range []bool{o.flags.Changed("pid"), o.flags.Changed("wait"), len(o.command) > 0} {
		if is {
			given++
		}
	}
	if given > 1 {
		return errors.New("give one of -p, --wait and -- COMMAND")
	}
	for _, name := range []string{"output", "save", "dir"} {
		if f := o.flags.Lookup(name); f.Changed && f.Value.String() == "" {
			return fmt.Errorf("--%s needs a name", name)
		}
	}
	return nil
}

// arguments takes what stands beside the flags: a command after --, or the
// target, and behind a pid how many seconds and at what interval in milliseconds,
// as sample(1) has it.
func (o *options) arguments() error {
	args := o.flags.Args()
	if dash := o.flags.ArgsLenAtDash(); dash >= 0 {
		o.command, args = args[dash:], args[:dash]
	}
	if o.target == "" && o.wait == "" && len(o.command) == 0 && len(args) > 0 {
		o.target, args = args[0], args[1:]
	}
	for i, unit := range []struct {
		to   *time.Duration
		one  time.Duration
		flag string
	}{{&o.duration, time.Second, "duration"}, {&o.interval, time.Millisecond, "interval"}} {
		if i >= len(args) {
			break
		}
		n, err := strconv.ParseFloat(args[i], 64)
		switch {
		case err != nil || !(n*float64(unit.one) >= 1 && n*float64(unit.one) < 1<<62):
			return fmt.Errorf("unexpected argument %q (see --help)", args[i])
		case o.flags.Changed(unit.flag):
			return fmt.Errorf("%q is a --%s, and that is given already (see --help)", args[i], unit.flag)
		}
		*unit.to = time.Duration(n * float64(unit.one))
	}
	if len(args) > 2 {
		return fmt.Errorf("unexpected argument %q (see --help)", args[2])
	}
	return nil
}

// selectThreads tells ids from names.
func (o *options) selectThreads() {
	for _, t := range o.threads {
		if id, err := strconv.ParseUint(t, 0, 64); err == nil {
			o.filter.IDs = append(o.filter.IDs, task.ThreadID(id))
		} else {
			o.filter.Names = append(o.filter.Names, t)
		}
	}
}

func (o *options) suspension() (task.Suspension, error) {
	switch {
	case o.noStop:
		return task.SuspendNone, nil
	case o.suspend == "":
		return task.SuspendDefault, nil
	case o.suspend == "task":
		return task.SuspendTask, nil
	case o.suspend == "thread":
		return task.SuspendThread, nil
	}
	return 0, fmt.Errorf("--suspend is thread or task, not %q", o.suspend)
}

func usage(o *options) string {
	return `stacksnap prints where every thread of a process is.

usage: stacksnap -p PID|NAME [flags]            one snapshot of a process
       stacksnap -p PID|NAME -d 10s [flags]     samples over time
       stacksnap -p PID|NAME --hang 250ms       of its hangs, as they happen
       stacksnap PID [SECONDS [MILLISECONDS]]   the same, as sample(1) has it
       stacksnap [flags] -- COMMAND [ARG...]    of a program, until it ends
       stacksnap FILE [flags]                   of a core or a recording

` + o.flags.FlagUsages() + `
exit codes: 0 fine; 2 usage; 3 no such process; 4 not permitted;
5 the target exited meanwhile (what was captured is printed); 1 anything else;
with -- COMMAND, that of the command
`
}

func toolName() string { return "stacksnap " + version }

// run does what the command line asks for.
func (o *options) run(ctx context.Context) error {
	switch {
	case o.version:
		_, err := fmt.Fprintln(o.stdout, toolName())
		return err
	case o.sign:
		return live.Sign(o.stdout, entitlements)
	}
	if o.output != "" && o.output != standardOutput { // rather than find out when there is something to lose
		if err := output.Check(o.output); err != nil {
			return err
		}
	}
	switch {
	case len(o.command) > 0:
		return o.launch(ctx)
	case o.wait == "" && isFile(o.target):
		return o.open()
	}
	pid, err := o.findTarget(ctx)
	if err != nil {
		return err
	}
	return o.attach(ctx, pid)
}

// isFile tells whether a target is a file rather than a pid or a name. A program
// that runs is looked for by its name, so a name alone has to be of a core or a
// recording.
func isFile(target string) bool {
	if _, err := strconv.Atoi(target); err == nil {
		return false
	}
	info, err := os.Stat(target)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	return info.Mode().Perm()&0o111 == 0 || bytes.ContainsAny([]byte(target), "/.")
}

// findTarget turns the command line's target into a pid.
func (o *options) findTarget(ctx context.Context) (int, error) {
	self := os.Getpid()
	var pid int
	var err error
	if o.wait != "" {
		pid, err = live.Wait(ctx, o.wait, self)
		if err != nil && ctx.Err() != nil {
			err = fmt.Errorf("the waiting was ended: %w", &live.NoNameError{Name: o.wait})
		}
	} else {
		pid, err = live.Find(o.target, self)
	}
	var ambiguous *live.AmbiguousError
	switch {
	case errors.As(err, &ambiguous):
		return 0, usageError{err}
	case err != nil:
		return 0, err
	case pid <= 0:
		return 0, usageError{fmt.Errorf("%s is not a pid", o.target)}
	case pid == self:
		return 0, usageError{errors.New("stacksnap cannot stop and read itself: give another pid")}
	}
	return pid, nil
}

// attach captures a running process, and reports.
func (o *options) attach(ctx context.Context, pid int) error {
	p, err := live.Open(pid)
	if err != nil {
		return err
	}
	if o.watches() {
		return errors.Join(o.watch(ctx, p), p.Close())
	}
	prof, err := o.capture(ctx, p)
	return o.report(prof, errors.Join(err, p.Close()))
}

func (o *options) watches() bool { return o.hang > 0 || o.every > 0 }

// watch reports hangs until it is ended: from outside, or by --duration or
// --count.
func (o *options) watch(ctx context.Context, p task.Process) (err error) {
	w := hang.Options{
		Threshold: o.hang, MaxHang: o.maxHang, Every: o.every, Interval: o.sampleInterval(), Tool: toolName(),
	}
	switch {
	case len(o.filter.IDs) == 1 && len(o.filter.Names) == 0:
		w.Thread = o.filter.IDs[0]
	case len(o.threads) > 0:
		return usageError{errors.New("a watch takes one --thread, by its id")}
	}
	report := o.print
	if o.dir != "" {
		files := &output.Captures{Reports: o.files(p.Info(), o.extension()), Recordings: o.files(p.Info(), "snap"), Instead: o.stdout}
		if err := files.Prepare(); err != nil {
			return err
		}
		w.Save = files.Recordings.Path
		report = func(target task.Info, r *hang.Report) error { return o.keepFiles(files, target, r) }
		defer func() { err = errors.Join(err, files.Err()) }()
	}
	w.Tell = func(line string) { fmt.Fprintln(o.stderr, "stacksnap:", line) }
	return o.watchAndTell(ctx, p, w, report)
}

// watchAndTell tells of a watch that it goes on, where somebody looks, and what
// has come of it.
func (o *options) watchAndTell(ctx context.Context, p task.Process, w hang.Options, report func(task.Info, *hang.Report) error) error {
	ctx, stop := o.watchTime(ctx)
	defer stop()
	target := p.Info()
	name := fmt.Sprint(target.PID, " ", strings.Trim(strconv.Quote(target.Name), `"`))
	if isatty.IsTerminal(os.Stderr.Fd()) {
		w.Tell("watching " + name + "; Ctrl-C ends")
	}
	began, made := time.Now(), map[hang.Reason]int{}
	err := hang.Watch(ctx, p, w, func(r *hang.Report) error {
		made[r.Reason]++
		if made[hang.Hang]+made[hang.Periodic] == o.count {
			stop()
		}
		return report(target, o.merged(r))
	})
	if err == nil {
		w.Tell(fmt.Sprintf("watched %s for %s", name, format.Watched(time.Since(began), &w, made)))
	}
	return err
}

// watchTime bounds a watch by --duration.
func (o *options) watchTime(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.duration > 0 {
		return context.WithTimeout(ctx, o.duration)
	}
	return context.WithCancel(ctx)
}

// merged is a report as --merge wants it.
func (o *options) merged(r *hang.Report) *hang.Report {
	if !o.merge {
		return r
	}
	folded := *r
	folded.Profile = r.Profile.FoldThreads()
	return &folded
}

// files are those of one kind that a watch of target writes.
func (o *options) files(target task.Info, extension string) output.Rotation {
	return output.Rotation{Dir: o.dir, Name: target.Name, PID: target.PID, Ext: extension, Keep: o.keep}
}

// print prints a report of a watch.
func (o *options) print(target task.Info, r *hang.Report) error {
	var report bytes.Buffer
	if err := o.hangWriter()(&report, r); err != nil {
		return err
	}
	_, err := report.WriteTo(o.stdout)
	o.runHook(output.Captured{}, target, r)
	return err
}

// keepFiles writes a report of a watch to its file.
func (o *options) keepFiles(files *output.Captures, target task.Info, r *hang.Report) error {
	write := func(w io.Writer) error { return o.hangWriter()(w, r) }
	done, err := files.Add(r.Start, output.Recorded{Path: r.Recording, Err: r.SaveErr}, write)
	fmt.Fprintln(o.stderr, "stacksnap:", done.Line)
	o.runHook(done, target, r)
	return err
}

func (o *options) extension() string {
	if o.format == "tree" {
		return "txt"
	}
	return o.format
}

func (o *options) hangWriter() format.HangWriter {
	if o.format == "tree" {
		return format.Hang(format.Options{Color: o.colored() && o.dir == ""})
	}
	return format.HangLine
}

// runHook runs --exec. That it fails is told, and does not end the watch.
func (o *options) runHook(files output.Captured, target task.Info, r *hang.Report) {
	err := output.Hook{Command: o.exec, Output: o.stderr}.Run(
		"STACKSNAP_FILE="+files.Report,
		"STACKSNAP_RECORDING="+files.Recording,
		"STACKSNAP_PID="+strconv.Itoa(target.PID),
		"STACKSNAP_NAME="+target.Name,
		"STACKSNAP_DURATION_MS="+strconv.FormatInt(r.Duration.Milliseconds(), 10))
	if err != nil {
		fmt.Fprintln(o.stderr, "stacksnap: --exec", err)
	}
}

// launch starts a program, samples it until it ends, and passes its exit status
// on.
func (o *options) launch(ctx context.Context) error {
	program, err := live.Launch(o.command, [3]*os.File{os.Stdin, os.Stdout, os.Stderr})
	if err != nil {
		return err
	}
	if o.children {
		return o.sampleFamily(ctx, program)
	}
	p, err := live.Open(program.PID)
	if err != nil {
		return o.unseen(program, err)
	}
	profiles, err := o.sampleLaunched(ctx, p)
	if len(profiles) == 0 && err == nil {
		fmt.Fprintln(o.stderr, unseenLine)
	}
	// The report is not kept until the program has ended, for that may be long after
	// the sampling.
	err = errors.Join(err, o.write(profiles...))
	status, finishErr := program.Finish()
	return passOn(status, errors.Join(err, finishErr))
}

// sampleLaunched samples a program that was launched, and those for which it
// calls exec.
func (o *options) sampleLaunched(ctx context.Context, p task.Process) ([]*profile.Profile, error) {
	options, err := o.captureOptions()
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return family.Through(ctx, p, options)
}

// passOn returns the status of a program that was launched, where nothing of
// ours went wrong.
func passOn(status int, err error) error {
	if err == nil && status != 0 {
		return exitStatus(status)
	}
	return err
}

// sampleFamily samples a program that was launched and those that it starts, and
// reports on one after another.
func (o *options) sampleFamily(ctx context.Context, program *live.Launched) error {
	options, err := o.captureOptions()
	if err != nil {
		return err
	}
	profiles, err := family.Record(ctx, program.PID, options)
	var gone *task.NoProcessError
	if len(profiles) == 0 && errors.As(err, &gone) {
		return o.unseen(program, err)
	}
	status, finishErr := program.Finish()
	return passOn(status, errors.Join(err, finishErr, o.write(profiles...)))
}

const unseenLine = "stacksnap: the program ended before it could be looked at"

// unseen waits for a program that could not be looked at. One that had ended by
// then is no error.
func (o *options) unseen(program *live.Launched, err error) error {
	status, finishErr := program.Finish()
	var gone *task.NoProcessError
	if !errors.As(err, &gone) || finishErr != nil {
		return errors.Join(err, finishErr)
	}
	fmt.Fprintln(o.stderr, unseenLine)
	return passOn(status, nil)
}

// open reports on a core or a recording.
func (o *options) open() error {
	if o.watches() || o.samples() {
		return usageError{fmt.Errorf("%s is a file: it cannot be sampled or watched; leave out the flags for that", o.target)}
	}
	prof, err := capture.Replay(o.target, o.filter)
	if errors.Is(err, recording.ErrCutEarly) {
		return fmt.Errorf("%s: %w", o.target, recording.ErrCutEarly)
	}
	if errors.As(err, new(*recording.CutError)) {
		err = fmt.Errorf("%s: %w", o.target, err)
	}
	if !errors.Is(err, recording.ErrNotRecording) {
		if o.save != "" {
			return usageError{fmt.Errorf("%s is a recording already: copy it rather than --save it", o.target)}
		}
		return o.report(prof, err)
	}
	p, err := core.Open(o.target)
	if errors.Is(err, core.ErrNotCore) {
		return fmt.Errorf("%s is neither a core file nor a recording of stacksnap", o.target)
	}
	if err != nil {
		return err
	}
	options, err := o.captureOptions()
	if err != nil {
		return err
	}
	prof, err = capture.OneShot(p, options)
	return o.report(prof, errors.Join(err, p.Close()))
}

// capture takes one snapshot, or many.
func (o *options) capture(ctx context.Context, p task.Process) (*profile.Profile, error) {
	options, err := o.captureOptions()
	if err != nil {
		return nil, err
	}
	if !o.samples() {
		return capture.OneShot(p, options)
	}
	bar := o.progress(options.Duration)
	defer bar.Clear()
	options.Progress = bar.Show
	return capture.Record(ctx, p, options)
}

// samples tells whether many snapshots are wanted.
func (o *options) samples() bool {
	return o.duration > 0 || o.interval > 0 || o.rate > 0 || o.count > 1 || o.noStop || o.suspend == "thread" || len(o.command) > 0
}

// sampleInterval is that of --interval or --rate, 0 unless one is given.
func (o *options) sampleInterval() time.Duration {
	if o.rate > 0 {
		return time.Duration(float64(time.Second) / o.rate)
	}
	return o.interval
}

func (o *options) captureOptions() (capture.Options, error) {
	c := capture.Options{
		Tool: toolName(), Save: o.save, Threads: o.filter,
		Interval: o.sampleInterval(), Duration: o.duration, Count: o.count,
	}
	c.Suspend, _ = o.suspension() // checked before
	c.ToEnd = len(o.command) > 0
	if c.Interval == 0 {
		c.Interval = defaultInterval
	}
	if c.Duration == 0 && c.Count == 0 && len(o.command) == 0 {
		c.Duration = defaultDuration
	}
	if o.jitter {
		c.Jitter = c.Interval
	}
	if len(o.binaries) > 0 {
		index, err := binaries.NewIndex(o.binaries)
		if err != nil {
			return c, err
		}
		c.Binaries = index
	}
	return c, nil
}

// report writes the profile, if there is one, and joins what went wrong before.
func (o *options) report(p *profile.Profile, err error) error {
	if p == nil {
		return err
	}
	return errors.Join(err, o.write(p), o.missing(p))
}

// missing is the error that no thread is of those which were named.
func (o *options) missing(p *profile.Profile) error {
	if len(o.threads) == 0 || len(p.Threads) > 0 {
		return nil
	}
	return fmt.Errorf("no thread matches --thread %s", strings.Join(o.threads, ", "))
}

// write formats before it writes: a slow reader of standard output sees all at
// once.
func (o *options) write(profiles ...*profile.Profile) error {
	if o.output != "" && o.output != standardOutput {
		return output.Write(o.output, func(w io.Writer) error { return o.formatAll(w, profiles) })
	}
	var report bytes.Buffer
	if err := o.formatAll(&report, profiles); err != nil {
		return err
	}
	to := o.stdout
	if len(o.command) > 0 && o.output != standardOutput {
		to = o.stderr // standard output is the program's
	}
	_, err := report.WriteTo(to)
	return err
}

// formatAll formats one profile after another, those for people with a line
// between them.
func (o *options) formatAll(w io.Writer, profiles []*profile.Profile) error {
	write := o.writer()
	for i, p := range profiles {
		if o.merge {
			p = p.FoldThreads()
		}
		if i > 0 && o.format == "tree" {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := write(w, p); err != nil {
			return err
		}
	}
	return nil
}

// writer returns nil for a format that there is not.
func (o *options) writer() format.Writer {
	switch o.format {
	case "tree":
		return format.Tree(format.Options{Color: o.colored()})
	case "json":
		return format.JSON
	case "jsonl":
		return format.JSONLine
	case "folded":
		return format.Folded
	}
	return nil
}

// colored decides by --color; fatih/color has looked at the terminal, NO_COLOR
// and TERM.
func (o *options) colored() bool {
	return o.color == "always" || o.color == "auto" && !color.NoColor && (o.output == "" || o.output == standardOutput)
}

// progressAfter is from when on a sampling tells how far it is.
const progressAfter = 2 * time.Second

func (o *options) progress(whole time.Duration) *output.Progress {
	bar := &output.Progress{Whole: whole}
	if isatty.IsTerminal(os.Stderr.Fd()) && (whole == 0 || whole > progressAfter) {
		bar.To = o.stderr
	}
	return bar
}

// exitCode finds the code that scripts can tell errors apart by.
func exitCode(err error) int {
	var (
		usage      usageError
		status     exitStatus
		launch     *live.LaunchError
		noProcess  *task.NoProcessError
		noName     *live.NoNameError
		permission *task.PermissionError
		exited     *task.ExitedError
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &launch):
		return launch.Code
	case errors.As(err, &noProcess), errors.As(err, &noName):
		return exitNoProcess
	case errors.As(err, &permission):
		return exitNotPermitted
	case errors.As(err, &exited):
		return exitTargetExited
	}
	return exitFailure
}
