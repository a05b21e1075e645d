package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"stacksnap/format"
	"stacksnap/format/command/cli"
	"stacksnap/format/command/out"
	"stacksnap/format/output"
	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/hang"
	"stacksnap/format/profile/hangreport"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
	"stacksnap/task/recording"
)

// watcher is a watch of a process.
type watcher struct {
	*call
	process task.Process
	target  task.Info
	options hang.Options
}

// watch reports hangs until a signal, --duration or --count ends it.
func (c *call) watch(ctx context.Context, p task.Process) error {
	// A watch may run for long, beside a target that needs the memory.
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	task.SetLimits(p, task.Limits{Gate: c.gate, MaxCopy: c.MaxStop})
	if c.Kernel {
		lacks, err := task.CopyKernel(p)
		if err != nil {
			return err
		}
		if lacks != "" {
			out.Tell(c.Err, lacks)
		}
	}
	w := &watcher{call: c, process: p, target: p.Info(), options: hang.Options{
		Threshold: c.Hang, MaxHang: c.MaxHang, Every: c.Every, Interval: c.SampleInterval(), Tool: c.Tool, Native: c.Native, NoRuntimes: c.NoRuntimes,
		Tell: func(line string) { out.Tell(c.Err, line) },
	}}
	if len(c.Filter.IDs) > 0 {
		w.options.Thread = c.Filter.IDs[0]
	}
	var err error
	if w.options.Binaries, err = c.index(); err != nil {
		return err
	}
	if c.FollowWaits || !c.IsSet("follow-waits") {
		w.options.Follow = &capture.Options{MaxStop: c.MaxStop, Gate: c.gate, Tool: c.Tool, Binaries: w.options.Binaries}
	}
	if c.Dir == "" {
		return w.run(ctx, w.print)
	}
	return w.runInto(ctx)
}

// runInto watches and writes each report to a file of its own.
func (w *watcher) runInto(ctx context.Context) error {
	files, err := w.openCaptures()
	if err != nil {
		return err
	}
	w.options.Save = func(at time.Time) (recording.Output, error) { return files.Recordings.Create(at) }
	err = w.run(ctx, func(ctx context.Context, r *hangreport.Report) error { return w.keepFiles(ctx, files, r) })
	return errors.Join(err, files.Err(), files.Close())
}

// run watches. On a terminal it says when it begins; at the end it prints a summary line.
func (w *watcher) run(ctx context.Context, report func(context.Context, *hangreport.Report) error) error {
	during, stop := w.limited(ctx)
	defer stop()
	name := fmt.Sprint(w.target.PID, " ", strings.Trim(strconv.Quote(w.target.Name), `"`))
	if out.IsTerminal(w.Err) {
		out.Tell(w.Err, "watching "+name+"; Ctrl-C ends")
	}
	finish := w.StartPushing()
	began, reports, made := time.Now(), 0, map[hangreport.Reason]int{}
	covered, err := hang.Watch(during, w.process, w.options, func(r *hangreport.Report) error {
		made[r.Reason]++
		if reports++; reports == w.Count {
			stop()
		}
		queued := w.Queue(&profile.Group{Tool: w.Tool, Profiles: []*profile.Profile{r.Profile}}, r)
		return errors.Join(report(ctx, w.shownReport(r)), queued)
	})
	if err == nil {
		out.Tell(w.Err, fmt.Sprintf("watched %s for %s", name, Watched(time.Since(began), &w.options, made, covered)))
	}
	return errors.Join(err, finish())
}

// limited returns a context that ends after --duration.
func (w *watcher) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if w.Duration > 0 {
		return context.WithTimeout(ctx, w.Duration)
	}
	return context.WithCancel(ctx)
}

// shownReport applies --no-inlines, --merge and the flags of views to a report.
func (w *watcher) shownReport(r *hangreport.Report) *hangreport.Report {
	shown := *r
	shown.Profile, shown.Followed.Profiles = w.Shown(r.Profile), nil
	for _, p := range r.Followed.Profiles {
		shown.Followed.Profiles = append(shown.Followed.Profiles, w.Shown(p))
	}
	return &shown
}

// print prints a report and runs --exec.
func (w *watcher) print(ctx context.Context, r *hangreport.Report) error {
	var report bytes.Buffer
	if err := w.writeHang(&report, r); err != nil {
		return err
	}
	_, err := report.WriteTo(w.Out)
	w.runHook(ctx, output.Captured{}, r)
	return err
}

// writeHang writes a report in the format of --format.
func (w *watcher) writeHang(to io.Writer, r *hangreport.Report) error {
	o := words.Options{Color: w.Colored(true)} // in files
	if w.Dir == "" {
		o = w.OptionsOf(&cli.Destination{})
	}
	return format.Named(w.Format).Write(to, report.OfHang(r), o)
}

// runHook runs --exec. A failure is printed and does not end the watch.
func (w *watcher) runHook(ctx context.Context, files output.Captured, r *hangreport.Report) {
	w.deadline.Lift() // the command has its own time limit
	err := output.Hook{Command: w.Exec, Output: w.Err, Limit: output.HookLimit, Grace: output.HookGrace}.Run(ctx,
		"STACKSNAP_FILE="+files.Report,
		"STACKSNAP_RECORDING="+files.Recording,
		"STACKSNAP_PID="+strconv.Itoa(w.target.PID),
		"STACKSNAP_NAME="+w.target.Name,
		"STACKSNAP_DURATION_MS="+strconv.FormatInt(r.Duration.Milliseconds(), 10))
	if err != nil {
		out.Tell(w.Err, fmt.Sprint("--exec ", err))
	}
}
