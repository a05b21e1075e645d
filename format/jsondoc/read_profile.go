package jsondoc

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
)

// model returns the profile for a document.
func (d *documentReader) model(j *jsonDocument) (*profile.Profile, error) {
	p := &profile.Profile{
		Tool: j.Tool, Start: timeOf(j.Start), End: timeOf(j.End), Interval: time.Duration(j.Interval), Snapshots: j.Snapshots,
		MissedTicks: j.MissedTicks, Halted: j.Halted, Stops: j.Stops, Stopped: time.Duration(j.Stopped), LongestStop: time.Duration(j.LongestStop),
		OwnCPU: time.Duration(j.OwnCPU), Frames: j.Frames, Walks: j.Walks, Bottoms: j.Bottoms, MissedThreads: j.MissedThreads,
		Notes: j.Notes, Threads: d.threads, Tasks: d.tasks, TaskDeadlocks: taskDeadlocks(j.TaskDeadlocks), Target: j.Target.info(),
	}
	if err := d.modelImages(p, j); err != nil {
		return nil, err
	}
	if c := j.Target.Cache; c != nil {
		cache, err := c.cache()
		if err != nil {
			return nil, err
		}
		p.Cache = cache
	}
	if v := j.View; v != nil {
		p.Notes = append(p.Notes, fmt.Sprintf("the document has a choice of what was captured: %d of %d samples were left out when it was written", v.LeftOut, v.Samples))
	}
	return p, d.deadlocks(p, j)
}

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// info returns the facts on the target.
func (j *jsonTarget) info() task.Info {
	t := task.Info{
		PID: j.PID, Name: j.Name, Path: j.Path, Translated: j.Translated, OSVersion: j.OSVersion, ParentPID: j.ParentPID,
		ParentName: j.ParentName, Start: timeOf(j.Start), Live: j.Live, Command: task.NewCommand(j.Command), Folder: j.Folder,
		Machine:   task.Machine{Model: j.Model, CPU: j.CPU, CPUs: j.CPUs, Active: j.ActiveCPUs, Memory: j.Memory},
		Footprint: task.Footprint{Now: j.Footprint, Peak: j.Peak},
	}
	t.Command.Cut = t.Command.Cut || j.CommandCut
	t.Arch, _ = words.Named(j.Arch, task.NumArchs-1)
	for os, name := range osNames {
		if name == j.OS {
			t.OS = os
		}
	}
	if j.UserID != nil {
		t.User = &task.User{ID: *j.UserID, Name: j.User}
	}
	if g := j.Group; g != nil {
		t.Group = &task.Group{Manager: g.Manager, ID: g.ID, Pod: g.Pod}
	}
	if j.TracerPID != 0 {
		t.Tracer = &task.Tracer{PID: j.TracerPID, Name: j.TracerName}
	}
	if c := j.Crash; c != nil {
		t.Crash = &task.Crash{Signal: c.Signal, Detail: c.Detail, Thread: task.ThreadID(c.Thread)}
	}
	return t
}

// modelImages fills in the images and finds the main one.
func (d *documentReader) modelImages(p *profile.Profile, j *jsonDocument) error {
	for i := range j.Images {
		im, err := d.image(&i)
		if err == nil {
			err = j.Images[i].fill(im)
		}
		if err != nil {
			return fmt.Errorf("image %d: %w", i, err)
		}
		p.Images = append(p.Images, im)
		if im.Main {
			p.Main = im
		}
	}
	t := &j.Target
	if p.Main == nil && t.LoadAddress != "" {
		load, err := addressOf(t.LoadAddress)
		if err != nil {
			return err
		}
		p.Main = &profile.Image{Path: t.Path, Load: load, End: load, Main: true, Arch: p.Target.Arch}
	}
	p.NameMain()
	if p.Main != nil {
		p.Main.Bundle = object.Bundle{ID: t.BundleID, Version: t.Version, Build: t.Build}
		if t.CodeType == "ARM-64E" {
			p.Main.Variant = "arm64e"
		}
	}
	return nil
}

func (j *jsonImage) fill(im *profile.Image) (err error) {
	im.Path, im.Main, im.Symbols, im.Generated, im.Runtime, im.Note, im.Err = j.Path, j.Main, j.Symbols, j.Generated, j.Runtime, j.Note, j.Error
	im.Arch, _ = words.Named(j.Arch, task.NumArchs-1)
	if j.Arch == "" {
		im.Arch = task.UnknownArch
	}
	if im.Load, err = addressOf(j.Load); err != nil {
		return err
	}
	if im.End, err = addressOf(j.End); err != nil || j.ID == "" {
		return err
	}
	im.ID, err = hex.DecodeString(strings.ReplaceAll(j.ID, "-", ""))
	return err
}

func (j *jsonCache) cache() (*images.SharedCache, error) {
	uuid, err := hex.DecodeString(strings.ReplaceAll(j.UUID, "-", ""))
	if err != nil || len(uuid) != 16 {
		return nil, fmt.Errorf("%q is no UUID", words.Elide(j.UUID, words.MaxText))
	}
	c := &images.SharedCache{UUID: [16]byte(uuid)}
	if c.Base, err = addressOf(j.Base); err != nil {
		return nil, err
	}
	slide, err := addressOf(j.Slide)
	c.Slide = uint64(slide)
	return c, err
}

func (d *documentReader) deadlocks(p *profile.Profile, j *jsonDocument) error {
	for i, waiters := range j.Deadlocks {
		circle := profile.Deadlock{Looks: 1}
		if i < len(j.DeadlockTimes) {
			s := j.DeadlockTimes[i]
			if err := timesOf([]int64{s.From, s.To}, &circle.From, &circle.To); err != nil {
				return err
			}
			circle.Looks, circle.Ended = s.Looks, s.Ended
		}
		for _, w := range waiters {
			wait, err := w.Wait.wait()
			if err != nil || wait == nil {
				return fmt.Errorf("deadlock %d has a thread that waits for nothing: %w", i, err)
			}
			circle.Waiters = append(circle.Waiters, profile.Waiter{ID: task.ThreadID(w.ID), Name: w.Name, Wait: *wait})
		}
		if len(waiters) == 0 {
			return fmt.Errorf("deadlock %d has no threads", i)
		}
		p.Deadlocks = append(p.Deadlocks, circle)
	}
	return nil
}
