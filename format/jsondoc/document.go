// Package jsondoc writes and reads JSON documents on a process, several processes, a hang
// or a comparison. JSON.md describes them, and schema.json is their JSON Schema.
package jsondoc

import (
	"slices"

	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/format/profile/owncode"
	"stacksnap/format/words"
	"stacksnap/task"
)

var osNames = map[task.OS]string{task.Darwin: "darwin", task.Linux: "linux"}

// newDocument returns the document without its threads, which [encode] writes one by one.
func newDocument(p *profile.Profile) *jsonDocument {
	d := &jsonDocument{
		Schema: jsonSchema, Version: jsonVersion, Tool: p.Tool, Summary: words.Headline(p),
		Target: newTarget(p), Start: timeline.Known(p.Start), End: timeline.Known(p.End),
		Interval: int64(p.Interval), Snapshots: p.Snapshots, MissedTicks: p.MissedTicks, Halted: p.Halted,
		Stops: p.Stops, Stopped: int64(p.Stopped), LongestStop: int64(p.LongestStop), OwnCPU: int64(p.OwnCPU),
		Frames: p.Frames, Walks: p.Walks, Bottoms: p.Bottoms, MissedThreads: p.MissedThreads,
		Notes:  append([]string{}, p.Notes...),
		Images: []jsonImage{}, Threads: []jsonThread{}, View: newJSONView(p),
	}
	unnamed := p.Unnamed()
	for _, im := range p.Images {
		j := newJSONImage(p.Target.OS, im)
		j.Unnamed = slices.Contains(unnamed, im)
		d.Images = append(d.Images, j)
	}
	d.Tasks, d.TaskDeadlocks = newJSONTasks(p), newJSONTaskDeadlocks(p)
	d.Deadlocks = newJSONDeadlocks(p.Deadlocks)
	for _, circle := range p.Deadlocks {
		if p.Sampled() {
			d.DeadlockTimes = append(d.DeadlockTimes, jsonDeadlockTime{int64(circle.From), int64(circle.To), circle.Looks, circle.Ended})
		}
	}
	return d
}

func newJSONDeadlocks(all []profile.Deadlock) (circles [][]jsonWaiter) {
	for i := range all {
		circles = append(circles, newJSONWaiters(all[i].Waiters))
	}
	return circles
}

func newJSONWaiters(circle []profile.Waiter) (waiters []jsonWaiter) {
	for _, w := range circle {
		waiters = append(waiters, jsonWaiter{uint64(w.ID), w.Name, w.PID, w.Process, newJSONWait(&w.Wait)})
	}
	return waiters
}

// imageIndexes returns the index of each image in the document's list.
func imageIndexes(p *profile.Profile) map[*profile.Image]int {
	index := map[*profile.Image]int{}
	for i, im := range p.Images {
		index[im] = i
	}
	return index
}

func newTarget(p *profile.Profile) jsonTarget {
	t := &p.Target
	j := jsonTarget{
		PID: t.PID, Name: t.Name, Path: t.Path, Arch: t.Arch.String(), Translated: t.Translated,
		OS: osNames[t.OS], OSVersion: t.OSVersion, ParentPID: t.ParentPID, ParentName: t.ParentName,
		Start: timeline.Known(t.Start), Live: t.Live, Command: t.Command.Args, CommandCut: t.Command.Cut,
		Model: t.Machine.Model, CPU: t.Machine.CPU, CPUs: t.Machine.CPUs, ActiveCPUs: t.Machine.Active,
		Memory: t.Machine.Memory, Footprint: t.Footprint.Now, Peak: t.Footprint.Peak, Folder: t.Folder,
	}
	if u := t.User; u != nil {
		j.UserID, j.User = &u.ID, u.Name
	}
	if tr := t.Tracer; tr != nil {
		j.TracerPID, j.TracerName = tr.PID, tr.Name
	}
	if g := t.Group; g != nil {
		j.Group = &jsonContainer{g.Manager, g.ID, g.Pod}
	}
	if t.OS == task.Darwin {
		j.CodeType = words.CodeTypeName(p)
	}
	if c := p.Cache; c != nil {
		j.Cache = &jsonCache{words.ImageID(task.Darwin, c.UUID[:]), c.Base.String(), task.Addr(c.Slide).String()}
	}
	if c := t.Crash; c != nil {
		j.Crash = &jsonCrash{c.Signal, c.Detail, uint64(c.Thread)}
	}
	if p.Main != nil {
		j.LoadAddress = p.Main.Load.String()
		j.BundleID, j.Version, j.Build = p.Main.Bundle.ID, p.Main.Bundle.Version, p.Main.Bundle.Build
	}
	return j
}

func newJSONImage(os task.OS, im *profile.Image) jsonImage {
	j := jsonImage{
		Path: im.Path, Name: im.Name(), Load: im.Load.String(), End: im.End.String(),
		ID: words.ImageID(os, im.ID), Main: im.Main, Symbols: im.Symbols, Generated: im.Generated, Runtime: im.Runtime, Note: im.Note, Error: im.Err,
	}
	if im.Arch != task.UnknownArch {
		j.Arch = im.Arch.String()
	}
	return j
}

func newJSONThread(t *profile.Thread, images map[*profile.Image]int) jsonThread {
	j := jsonThread{
		ID: uint64(t.ID), Name: t.Name, RuntimeName: t.RuntimeName, Queue: t.Queue, QueueSerial: t.QueueSerial, QueueKind: t.QueueKind, Main: t.Main, State: t.State.String(),
		User: int64(t.User), System: int64(t.System), Used: int64(t.Used), SuspendCount: t.SuspendCount,
		QoS: t.QoS.String(), Priority: t.Priority.Now, BasePriority: t.Priority.Base,
		Samples: t.Samples, First: t.First, Last: t.Last, States: map[string]int{},
		Unstopped: t.Unstopped, Empty: t.Empty, Error: t.Err, Nodes: []jsonNode{},
		Wait: newJSONWait(t.Wait), Looks: t.Looks, Spent: newJSONSpent(t.Spent), Lifetime: newJSONLifetime(&t.Lifetime), NotRun: int64(t.NotRun), Goroutine: newJSONGoroutine(&t.Goroutine), Together: newJSONTogether(t.Together),
	}
	if t.State == task.Running {
		j.Queued = t.OnCPUState == task.Queued
		if t.OnCPUState == task.OnCPU && t.Processor >= 0 {
			j.Processor = &t.Processor
		}
	}
	for i := range t.Waits {
		w := &t.Waits[i]
		j.Waits = append(j.Waits, jsonWaited{*newJSONWait(&w.Wait), w.Looks, w.Owners})
	}
	for state, n := range t.States {
		if n > 0 {
			j.States[task.State(state).String()] = n
		}
	}
	for _, s := range t.Same {
		j.Same = append(j.Same, newJSONSame(s))
	}
	var path []int // index of the last node at each depth
	for depth, n := range t.Nodes() {
		parent := -1
		if depth > 0 {
			parent = path[depth-1]
		}
		path = append(path[:depth], len(j.Nodes))
		j.Nodes = append(j.Nodes, newJSONNode(n, depth, parent, images))
	}
	return j
}

func newJSONSame(s profile.ThreadName) jsonSame {
	return jsonSame{uint64(s.ID), s.Name, s.RuntimeName, s.Goroutine}
}

func newJSONGoroutine(g *task.Goroutine) *jsonGoroutine {
	if g.ID == 0 {
		return nil
	}
	j := &jsonGoroutine{ID: g.ID}
	for i := 0; i+1 < len(g.Labels); i += 2 {
		j.Labels = append(j.Labels, jsonLabel{g.Labels[i], g.Labels[i+1]})
	}
	return j
}

func newJSONSpent(s profile.Spent) *jsonSpent {
	if s == (profile.Spent{}) {
		return nil
	}
	return &jsonSpent{int64(s.OnCPU), int64(s.Queued), int64(s.Blocked)}
}

func newJSONLifetime(l *task.Lifetime) *jsonLifetime {
	if l.Age == 0 {
		return nil
	}
	return &jsonLifetime{int64(l.Age), int64(l.Ran), int64(l.Queued), l.Faults, l.DiskFaults, l.Nice}
}

func newJSONWait(w *profile.Wait) *jsonWait {
	if w == nil {
		return nil
	}
	j := &jsonWait{
		Call: w.Call, Object: w.Object, Lock: w.Lock.String(), Owner: uint64(w.Owner),
		OwnerName: w.OwnerName, OwnerPID: w.OwnerPID, Readers: w.Readers, Receives: w.Receives, Variable: w.Variable,
		GoneOwner: uint64(w.GoneOwner), GoneEnded: w.Gone.Ended, Parent: w.Gone.Parent, ParentName: w.Gone.ParentName, Hung: w.Hung,
	}
	if w.Addr != 0 {
		j.Address = w.Addr.String()
	}
	if p := &w.Peer; p.PID != 0 {
		j.Peer = &jsonPeer{p.PID, p.Name, uint64(p.Thread), p.ThreadName, p.Action.String(), p.Others, p.Self, p.AlsoSelf}
	}
	if s := w.Stalled; s != nil {
		j.Stalled = &jsonStalled{s.State.String(), s.Count, s.Remote, int64(s.Since), s.Unread, s.PID, s.Name, s.Others}
	}
	return j
}

func newJSONNode(n *profile.Node, depth, parent int, images map[*profile.Image]int) jsonNode {
	j := jsonNode{
		Depth: depth, Parent: parent, Function: n.Function, Symbol: n.Raw, Overload: n.Overload, Address: n.PC.String(), AlsoMore: n.More,
		Return: n.Return, Inlined: n.Inlined, Own: owncode.Is(&n.Location), Kernel: n.Kernel, File: n.File, Line: n.Line, Column: n.Column,
		By: n.By.String(), Why: n.Why, Guess: n.By.Guess(), Count: n.Count, Self: n.Self, Spent: newJSONSpent(n.Spent),
	}
	if n.Function != "" && !n.Inlined {
		j.Offset = &n.Offset
	}
	if n.Start != 0 && n.Function == "" {
		j.Start = n.Start.String()
	}
	if i, ok := images[n.Image]; ok {
		j.Image = &i
		if offset := uint64(n.PC - n.Image.Load); n.Image.Placed() || n.Image.Generated {
			j.ImageOffset = &offset
		}
	}
	for _, a := range n.Also {
		j.Also = append(j.Also, a.PC.String())
	}
	if n.PC == 0 && n.Image != nil && n.Image.Runtime { // the frame of a task: no native code runs it
		j.Address, j.By, j.Offset = "", "", nil
	}
	if f := n.Folded; f != nil {
		j.Address, j.By, j.Folded = "", "", &jsonFold{f.Branches, f.Nodes}
	}
	if c := n.Cut; c != nil {
		j.Cut = &jsonCut{Reason: c.Reason.String(), Detail: c.Detail}
		if c.Need != 0 {
			j.Cut.Need = c.Need.String()
		}
	}
	return j
}
