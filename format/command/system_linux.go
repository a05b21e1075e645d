package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"

	"stacksnap/format/command/cli"
	"stacksnap/format/command/out"
	"stacksnap/format/profile"
	"stacksnap/format/profile/capture"
	"stacksnap/format/profile/capture/family"
	"stacksnap/task"
	"stacksnap/task/live"
)

// captureSystem captures all processes, or those that --pid names, and the kernel's
// threads: once, or repeatedly with -d.
func (c *call) captureSystem(ctx context.Context) (*profile.Group, error) {
	o, err := c.captureOptions()
	if err != nil {
		return nil, err
	}
	o.Suspend, o.Kernel = task.SuspendNone, true
	// No process is stopped that a garbage collection could hold up, and there is
	// much garbage.
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	o.NoRuntimes = true // a capture of all processes has to be quick
	v := systemCapture{options: o}
	if c.Samples() {
		err = c.sampleAll(ctx, &v)
	} else {
		c.Release()
		err = v.once(c.Targets)
	}
	if err != nil {
		return nil, err
	}
	if v.sealed > 0 {
		out.Tell(c.Err, fmt.Sprintf("names, states and CPU time alone are shown of %d of %d processes, such as pid %d (%s): %s", v.sealed, v.found, v.refusal.PID, v.refusal.Asked, v.refusal.Remedy))
	}
	profile.ByNeed(v.group.Profiles)
	if err := v.addKernel(c.Targets); err != nil {
		return nil, err
	}
	// Most threads of hundreds of processes are idle in the same places.
	isOther := func(d cli.Destination) bool { return d.Form.Name != "tree" }
	c.Merge = c.Merge || !c.NoMerge && !c.Has("by") && !slices.ContainsFunc(c.Destinations(), isOther)
	return &v.group, nil
}

// openAtOnce is the largest number of processes open at the same time, which bounds the
// memory.
const openAtOnce = 64

// systemCapture is a capture of many processes without a stop.
type systemCapture struct {
	options capture.Options
	group   profile.Group
	found   int // number of processes found
	sealed  int // number of the processes found whose stacks we may not read
	refusal *task.PermissionError

	isSampled bool
}

// once captures each process once.
func (v *systemCapture) once(targets []string) error {
	pids, err := chosenNow(targets)
	if err != nil {
		return err
	}
	v.found = len(pids)
	for some := range slices.Chunk(pids, family.MostAtOnce(openAtOnce)) {
		v.add(some)
	}
	return nil
}

// chosenNow returns the pids of all processes but our own, or of those that the targets
// name.
func chosenNow(targets []string) (pids []int, err error) {
	if len(targets) > 0 {
		return pidsNamed(targets, isKernel)
	}
	all, err := live.All()
	for _, p := range all {
		if p.PID != os.Getpid() {
			pids = append(pids, p.PID)
		}
	}
	return pids, err
}

// add captures processes. It ignores those that have ended meanwhile.
func (v *systemCapture) add(pids []int) {
	var open []task.Process
	for _, pid := range pids {
		p, sealed, err := live.Look(pid)
		if err != nil {
			continue
		}
		if errors.As(sealed, &v.refusal) {
			v.sealed++
		}
		open = append(open, p)
	}
	shots := capture.OneShots(open, v.options)
	v.group.Deadlocks = append(v.group.Deadlocks, shots.Deadlocks...)
	for _, shot := range shots.All {
		if shot.Profile != nil {
			v.group.Profiles = append(v.group.Profiles, shot.Profile)
		}
	}
	for _, p := range slices.Backward(open) {
		_ = p.Close() // nothing was attached
	}
}

// kernelName is the value of --pid for the kernel's threads.
const kernelName = "kernel"

func isKernel(target string) bool { return target == kernelName }

func (v *systemCapture) addKernel(targets []string) error {
	if len(targets) > 0 && !slices.ContainsFunc(targets, isKernel) {
		return nil
	}
	info, threads, lacks, err := live.KernelThreads()
	if err != nil || len(threads) == 0 {
		return err
	}
	p, err := capture.KernelThreads(info, threads, lacks, v.options)
	if err == nil && v.isSampled {
		p.Notes = append(p.Notes, "the threads of the kernel were captured once, at the end")
	}
	if err == nil {
		v.group.Profiles = append(v.group.Profiles, p)
	}
	return err
}
