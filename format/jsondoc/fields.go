// Package jsondoc writes and reads the JSON documents that JSON.md describes and
// schema.json holds: of a process, of several, of a hang, and of a comparison.
package jsondoc

import (
	"slices"
	"time"

	"stacksnap/format/internal/timeline"
	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
)

// jsonDocument and the types below are the schema, described in JSON.md.
type jsonDocument struct {
	Schema        string         `json:"schema"`
	Version       int            `json:"version"`
	Tool          string         `json:"tool"`
	Summary       string         `json:"summary,omitempty"`
	Target        jsonTarget     `json:"target"`
	Start         *time.Time     `json:"start,omitempty"`
	End           *time.Time     `json:"end,omitempty"`
	Interval      int64          `json:"interval_ns,omitempty"`
	Snapshots     int            `json:"snapshots"`
	MissedTicks   int            `json:"missed_ticks,omitempty"`
	Halted        int            `json:"halted,omitempty"`
	Stops         int            `json:"stops"`
	Stopped       int64          `json:"stopped_ns"`
	LongestStop   int64          `json:"longest_stop_ns"`
	OwnCPU        int64          `json:"own_cpu_ns,omitempty"`
	Frames        int            `json:"frames"`
	Walks         int            `json:"walks"`
	Bottoms       int            `json:"walks_to_bottom"`
	MissedThreads int            `json:"missed_threads,omitempty"`
	Notes         []string       `json:"notes"`
	Images        []jsonImage    `json:"images"`
	Threads       []jsonThread   `json:"threads"`
	Deadlocks     [][]jsonWaiter `json:"deadlocks,omitempty"`
	Stood         []jsonStood    `json:"deadlocks_stood,omitempty"`
	View          *jsonView      `json:"view,omitempty"`
}

type jsonTarget struct {
	PID         int            `json:"pid"`
	Name        string         `json:"name,omitempty"`
	Path        string         `json:"path,omitempty"`
	LoadAddress string         `json:"load_address,omitempty"`
	Arch        string         `json:"arch"`
	Translated  bool           `json:"translated,omitempty"`
	OS          string         `json:"os,omitempty"`
	OSVersion   string         `json:"os_version,omitempty"`
	ParentPID   int            `json:"parent_pid,omitempty"`
	ParentName  string         `json:"parent_name,omitempty"`
	Start       *time.Time     `json:"start,omitempty"`
	Live        bool           `json:"live"`
	CodeType    string         `json:"code_type,omitempty"`
	BundleID    string         `json:"bundle_id,omitempty"`
	Version     string         `json:"bundle_version,omitempty"`
	Build       string         `json:"bundle_build,omitempty"`
	Folder      string         `json:"working_folder,omitempty"`
	UserID      *uint32        `json:"user_id,omitempty"`
	User        string         `json:"user,omitempty"`
	Group       *jsonContainer `json:"cgroup,omitempty"`
	TracerPID   int            `json:"tracer_pid,omitempty"`
	TracerName  string         `json:"tracer_name,omitempty"`
	Command     []string       `json:"command,omitempty"`
	CommandCut  bool           `json:"command_cut,omitempty"`
	Model       string         `json:"hardware_model,omitempty"`
	CPU         string         `json:"cpu,omitempty"`
	CPUs        int            `json:"cpus,omitempty"`
	ActiveCPUs  int            `json:"active_cpus,omitempty"`
	Memory      uint64         `json:"memory_bytes,omitempty"`
	Footprint   uint64         `json:"footprint_bytes,omitempty"`
	Peak        uint64         `json:"footprint_peak_bytes,omitempty"`
	Cache       *jsonCache     `json:"shared_cache,omitempty"`
	Crash       *jsonCrash     `json:"crash,omitempty"`
}

type jsonContainer struct {
	Manager string `json:"manager,omitempty"`
	ID      string `json:"id"`
	Pod     string `json:"pod,omitempty"`
}

type jsonCache struct {
	UUID  string `json:"uuid"`
	Base  string `json:"base_address"`
	Slide string `json:"slide"`
}

type jsonCrash struct {
	Signal string `json:"signal"`
	Detail string `json:"detail,omitempty"`
	Thread uint64 `json:"thread,omitempty"`
}

type jsonImage struct {
	Path      string `json:"path"`
	Name      string `json:"name"`
	Load      string `json:"load_address"`
	End       string `json:"end_address"`
	ID        string `json:"id,omitempty"`
	Arch      string `json:"arch,omitempty"`
	Main      bool   `json:"main,omitempty"`
	Symbols   bool   `json:"symbols"`
	Unnamed   bool   `json:"unnamed,omitempty"`
	Generated bool   `json:"generated,omitempty"`
	Note      string `json:"note,omitempty"`
	Error     string `json:"error,omitempty"`
}

type jsonThread struct {
	ID           uint64         `json:"id"`
	Name         string         `json:"name,omitempty"`
	Queue        string         `json:"queue,omitempty"`
	QueueSerial  uint64         `json:"queue_serial,omitempty"`
	QueueKind    string         `json:"queue_kind,omitempty"`
	Main         bool           `json:"main,omitempty"`
	State        string         `json:"state"`
	Processor    *int           `json:"on_cpu,omitempty"`
	Queued       bool           `json:"waits_for_cpu,omitempty"`
	User         int64          `json:"user_ns"`
	System       int64          `json:"system_ns"`
	Used         int64          `json:"used_ns"`
	Spent        *jsonSpent     `json:"spent,omitempty"`
	SuspendCount int            `json:"suspend_count,omitempty"`
	QoS          string         `json:"qos,omitempty"`
	Priority     int            `json:"priority,omitempty"`
	BasePriority int            `json:"base_priority,omitempty"`
	Wait         *jsonWait      `json:"wait,omitempty"`
	Looks        int            `json:"looks,omitempty"`
	Waits        []jsonWaited   `json:"waits,omitempty"`
	Samples      int            `json:"samples"`
	First        int            `json:"first"`
	Last         int            `json:"last"`
	States       map[string]int `json:"states"`
	Unstopped    int            `json:"unstopped,omitempty"`
	Empty        int            `json:"empty,omitempty"`
	Error        string         `json:"error,omitempty"`
	Same         []jsonSame     `json:"same,omitempty"`
	Together     *jsonTogether  `json:"together,omitempty"`
	Nodes        []jsonNode     `json:"nodes"`
}

type jsonWait struct {
	Call      string `json:"call"`
	Object    string `json:"object,omitempty"`
	Lock      string `json:"lock,omitempty"`
	Address   string `json:"address,omitempty"`
	Owner     uint64 `json:"owner,omitempty"`
	OwnerName string `json:"owner_name,omitempty"`
	OwnerPID  int    `json:"owner_pid,omitempty"`
	Readers   int    `json:"readers,omitempty"`
	Receives  bool   `json:"receives,omitempty"`

	Peer *jsonPeer `json:"peer,omitempty"`
}

type jsonPeer struct {
	PID        int    `json:"pid"`
	Name       string `json:"name,omitempty"`
	Thread     uint64 `json:"thread,omitempty"`
	ThreadName string `json:"thread_name,omitempty"`
	Act        string `json:"act"`
	Others     bool   `json:"others_unknown,omitempty"`
}

type jsonSpent struct {
	OnCPU   int64 `json:"on_cpu_ns"`
	Queued  int64 `json:"waiting_for_cpu_ns"`
	Blocked int64 `json:"blocked_ns"`
}

type jsonWaited struct {
	jsonWait
	Looks  int  `json:"looks"`
	Owners bool `json:"several_owners,omitempty"`
}

type jsonStood struct {
	From  int64 `json:"from_ns"`
	To    int64 `json:"to_ns"`
	Looks int   `json:"looks"`
	Ended bool  `json:"ended"`
}

type jsonWaiter struct {
	ID      uint64    `json:"id"`
	Name    string    `json:"name,omitempty"`
	PID     int       `json:"pid,omitempty"`
	Process string    `json:"process,omitempty"`
	Wait    *jsonWait `json:"wait"`
}

type jsonSame struct {
	ID   uint64 `json:"id"`
	Name string `json:"name,omitempty"`
}

type jsonNode struct {
	Depth       int        `json:"depth"`
	Parent      int        `json:"parent"`
	Function    string     `json:"function,omitempty"`
	Symbol      string     `json:"symbol,omitempty"`
	Overload    string     `json:"overload,omitempty"`
	Offset      *uint64    `json:"offset,omitempty"`
	Image       *int       `json:"image,omitempty"`
	ImageOffset *uint64    `json:"image_offset,omitempty"`
	Address     string     `json:"address,omitempty"`
	Also        []string   `json:"also,omitempty"`
	AlsoMore    bool       `json:"also_more,omitempty"`
	Start       string     `json:"function_address,omitempty"`
	Return      bool       `json:"return,omitempty"`
	Inlined     bool       `json:"inlined,omitempty"`
	Kernel      bool       `json:"kernel,omitempty"`
	File        string     `json:"file,omitempty"`
	Line        int        `json:"line,omitempty"`
	Column      int        `json:"column,omitempty"`
	By          string     `json:"by,omitempty"`
	Why         string     `json:"why,omitempty"`
	Guess       bool       `json:"guess,omitempty"`
	Cut         *jsonCut   `json:"cut,omitempty"`
	Folded      *jsonFold  `json:"left_out,omitempty"`
	Count       int        `json:"count"`
	Self        int        `json:"self"`
	Spent       *jsonSpent `json:"self_spent,omitempty"`
}

type jsonCut struct {
	Reason string `json:"reason"`
	Need   string `json:"need,omitempty"`
	Detail string `json:"detail,omitempty"`
}

var osNames = map[task.OS]string{task.Darwin: "darwin", task.Linux: "linux"}

// newDocument has all but the threads, which [encode] writes one after another.
func newDocument(p *profile.Profile) *jsonDocument {
	d := &jsonDocument{
		Schema: jsonSchema, Version: jsonVersion, Tool: p.Tool, Summary: words.Summary(p),
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
	d.Deadlocks = newJSONDeadlocks(p.Deadlocks)
	for _, circle := range p.Deadlocks {
		if p.Sampled() {
			d.Stood = append(d.Stood, jsonStood{int64(circle.From), int64(circle.To), circle.Looks, circle.Ended})
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

// imageIndexes are the places of images in a document.
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
		ID: words.ImageID(os, im.ID), Main: im.Main, Symbols: im.Symbols, Generated: im.Generated, Note: im.Note, Error: im.Err,
	}
	if im.Arch != task.UnknownArch {
		j.Arch = im.Arch.String()
	}
	return j
}

func newJSONThread(t *profile.Thread, images map[*profile.Image]int) jsonThread {
	j := jsonThread{
		ID: uint64(t.ID), Name: t.Name, Queue: t.Queue, QueueSerial: t.QueueSerial, QueueKind: t.QueueKind, Main: t.Main, State: t.State.String(),
		User: int64(t.User), System: int64(t.System), Used: int64(t.Used), SuspendCount: t.SuspendCount,
		QoS: t.QoS.String(), Priority: t.Priority.Now, BasePriority: t.Priority.Base,
		Samples: t.Samples, First: t.First, Last: t.Last, States: map[string]int{},
		Unstopped: t.Unstopped, Empty: t.Empty, Error: t.Err, Nodes: []jsonNode{},
		Wait: newJSONWait(t.Wait), Looks: t.Looks, Spent: newJSONSpent(t.Spent), Together: newJSONTogether(t.Together),
	}
	if t.State == task.Running {
		j.Queued = t.Turn == task.Queued
		if t.Turn == task.OnCPU && t.Processor >= 0 {
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
		j.Same = append(j.Same, jsonSame{uint64(s.ID), s.Name})
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

func newJSONSpent(s profile.Spent) *jsonSpent {
	if s == (profile.Spent{}) {
		return nil
	}
	return &jsonSpent{int64(s.OnCPU), int64(s.Queued), int64(s.Blocked)}
}

func newJSONWait(w *profile.Wait) *jsonWait {
	if w == nil {
		return nil
	}
	j := &jsonWait{
		Call: w.Call, Object: w.Object, Lock: w.Lock.String(), Owner: uint64(w.Owner),
		OwnerName: w.OwnerName, OwnerPID: w.OwnerPID, Readers: w.Readers, Receives: w.Receives,
	}
	if w.Addr != 0 {
		j.Address = w.Addr.String()
	}
	if p := &w.Peer; p.PID != 0 {
		j.Peer = &jsonPeer{p.PID, p.Name, uint64(p.Thread), p.ThreadName, p.Act.String(), p.Others}
	}
	return j
}

func newJSONNode(n *profile.Node, depth, parent int, images map[*profile.Image]int) jsonNode {
	j := jsonNode{
		Depth: depth, Parent: parent, Function: n.Function, Symbol: n.Raw, Overload: n.Overload, Address: n.PC.String(), AlsoMore: n.More,
		Return: n.Return, Inlined: n.Inlined, Kernel: n.Kernel, File: n.File, Line: n.Line, Column: n.Column,
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
