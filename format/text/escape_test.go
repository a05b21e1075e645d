package text

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stacksnap/format/internal/golden"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
	"stacksnap/task/needs"
)

// deceits are names that run a command, or write a file, where a shell reads them as they are.
var deceits = []string{
	"x; %s", "x | %s", "x & %s &", "$(%s)", "`%s`", "x\n%s", "x\r\n%s\n", "%s", "\"; %s; \"", "'; %s; '", `\"; %s; \"`, "\\\n%s\n",
	`\`, `"`, `"x" ; %s ; "`, "'", "x > %s.file", "<(%s)", "x && %s #", "\u2028%s\u2028", "${x:-$(%s)}", "a\\$(%s)",
}

// TestNoLineIsACommand has shells read reports whose target chose all its names to have a
// command run, as where a report was appended to a file that a shell reads at its start.
func TestNoLineIsACommand(t *testing.T) {
	dir := t.TempDir()
	command := filepath.Join(dir, "evil")
	mark := filepath.Join(dir, "ran")
	if err := os.WriteFile(command, []byte("#!/bin/sh\n: > "+mark+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if exec.Command(command).Run() != nil || os.Remove(mark) != nil {
		needs.Skip(t, "a temporary folder that programs may be run from", "")
	}
	for _, shell := range []string{"sh", "bash"} {
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		for _, deceit := range deceits {
			for form, report := range deceitful(t, strings.ReplaceAll(deceit, "%s", command)) {
				runLines(t, shell, dir, report)
				left, _ := filepath.Glob(filepath.Join(dir, "*"))
				if slices.ContainsFunc(left, func(name string) bool { return name != command }) {
					t.Errorf("%s ran a part of %s with %q:\n%s", shell, form, deceit, report)
					_ = os.Remove(mark)
					_ = os.Remove(command + ".file")
				}
			}
		}
	}
}

// runLines has a shell read a report line by line, so that none is left out behind one that
// is no command. What stands in quotation marks over several lines is one.
func runLines(t *testing.T, shell, dir, report string) {
	t.Helper()
	var script, line strings.Builder
	for at := range strings.Lines(report) {
		line.WriteString(at)
		if words.Ended("", line.String()) != line.String() {
			continue
		}
		script.WriteString("(eval '" + strings.ReplaceAll(line.String(), "'", `'\''`) + "')\n")
		line.Reset()
	}
	if line.Len() > 0 {
		t.Errorf("a quotation mark is left open: %s", line.String())
	}
	cmd := exec.Command(shell)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, []string{"PATH=/nonexistent"}, strings.NewReader(script.String())
	_ = cmd.Run() // nothing in it is a command
}

// deceitful are the reports for people on processes whose names are all that one.
func deceitful(t *testing.T, name string) map[string]string {
	t.Helper()
	p := &profile.Profile{
		Target: task.Info{
			PID: 7, Name: name, Path: name, OS: task.Linux, ParentPID: 1, ParentName: name, Folder: name, OSVersion: name,
			Command: task.NewCommand([]string{"sh", "-c", name, name}), User: &task.User{ID: 1, Name: name},
			Group: &task.Group{Manager: "systemd", ID: name}, Tracer: &task.Tracer{PID: 3, Name: name},
			Machine: task.Machine{Model: name, CPU: name}, Crash: &task.Crash{Signal: name, Thread: 7},
		},
		Snapshots: 1, Halted: 1, Walks: 1, Notes: []string{"one"},
	}
	p.Main = &profile.Image{Path: name, Load: 0x1000, End: 0x2000, Main: true, Symbols: true}
	p.Main.Bundle.ID, p.Main.Bundle.Version, p.Main.Bundle.Build = name, name, name+"1"
	p.Images = []*profile.Image{p.Main}
	p.Threads = []*profile.Thread{
		{ID: 7, Name: name, Main: true, State: task.Sleeping, Samples: 1, Wait: &profile.Wait{Call: "read", Object: name, Peer: profile.Peer{PID: 9, Name: name, ThreadName: name, Thread: 9}}},
		{ID: 8, Name: name, Queue: name, State: task.Running, Samples: 1, Roots: []*profile.Node{{Location: profile.Location{Image: p.Main, Offset: 4}, PC: 0x1004, Count: 1, Self: 1}}},
	}
	other := *p
	other.Target.PID, other.Target.Crash, other.Target.Tracer = 9, nil, nil
	all := map[string]string{}
	for form, one := range map[string]*profile.Profile{"crashed": p, "running": &other} {
		all["tree, "+form] = string(golden.Written(t, Tree, one))
		all["summary, "+form] = string(golden.Written(t, Summary, one))
		all["narrow summary, "+form] = string(golden.WrittenReport(t, Summary, report.Of(one), words.Options{Width: 40}))
		all["ASCII summary, "+form] = string(golden.WrittenReport(t, Summary, report.Of(one), words.Options{Width: 40, ASCII: true}))
	}
	g := &profile.Group{Profiles: []*profile.Profile{p, &other}}
	for form, write := range map[string]report.Writer{"trees": Tree, "summaries": Summary} {
		all[form] = string(golden.WrittenReport(t, write, report.OfGroup(g), words.Options{}))
	}
	return all
}
