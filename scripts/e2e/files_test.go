//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"stacksnap/task/needs"
)

// TestReopenedRecording requires the report of a recording to be the live one,
// after program and process are gone.
func TestReopenedRecording(t *testing.T) {
	for name, args := range map[string][]string{
		"one snapshot": nil,
		"sampled":      {"-n", "50", "-i", "2ms"},
	} {
		t.Run(name, func(t *testing.T) {
			program := compile(t, "deep", "-O2")
			cmd := start(t, program, "8", "read")
			file := filepath.Join(t.TempDir(), "recording")
			live := snap(t, append([]string{"-p", pid(cmd), "--save", file}, args...)...)
			if live.code != exitOK {
				t.Fatalf("exit code %d: %s", live.code, live.err)
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if err := os.Remove(program); err != nil {
				t.Fatal(err)
			}
			again := snap(t, file)
			if again.code != exitOK || again.out != live.out {
				t.Errorf("exit code %d, %q; live:\n%s\nagain:\n%s", again.code, again.err, live.out, again.out)
			}
		})
	}
}

func TestRecordingThatIsCutOff(t *testing.T) {
	cmd := start(t, compile(t, "deep", "-O2"), "2", "spin")
	dir := t.TempDir()
	whole, cut := filepath.Join(dir, "whole"), filepath.Join(dir, "cut")
	if r := snap(t, "-p", pid(cmd), "-n", "20", "--save", whole); r.code != exitOK {
		t.Fatalf("exit code %d: %s", r.code, r.err)
	}
	b, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cut, b[:len(b)*9/10], 0o600); err != nil {
		t.Fatal(err)
	}
	r := snap(t, cut)
	if !strings.Contains(r.out, "leaf_spin") || strings.Count(r.err, "\n") != 1 {
		t.Errorf("exit code %d, error %q, report:\n%s", r.code, r.err, r.out)
	}
}

// TestMacCores opens processes of another system, both architectures.
func TestMacCores(t *testing.T) {
	cores, _ := filepath.Glob("../../task/machocore/testdata/*.core")
	if len(cores) == 0 {
		t.Fatal("no cores")
	}
	for _, file := range cores {
		r := snap(t, file)
		for _, want := range []string{"Captured:        8 threads", "_pthread_start", "libSystem.B.dylib", "reached the bottom: 8 of 8"} {
			if r.code != exitOK || !strings.Contains(r.out, want) {
				t.Errorf("%s: exit code %d, %q is missing:\n%s%s", file, r.code, want, r.out, r.err)
			}
		}
	}
}

func TestNoCoreAndNoRecording(t *testing.T) {
	refused(t, snap(t, "testdata/deep.c"), 1, "testdata/deep.c")
}

func TestLaunch(t *testing.T) {
	needs.Tool(t, "sh")
	report := filepath.Join(t.TempDir(), "report")
	r := lookedAt(t, func(life string) []string {
		return []string{"-o", report, "--", "sh", "-c", "echo out; sleep " + life + "; exit 7"}
	})
	if r.code != 7 || r.out != "out\n" {
		t.Errorf("exit code %d, %q, %q", r.code, r.out, r.err)
	}
	b, err := os.ReadFile(report)
	if err != nil || !strings.Contains(string(b), "Captured:") || strings.Contains(string(b), "ended early") {
		t.Errorf("%v, report:\n%s", err, b)
	}
	refused(t, snap(t, "--", "/no/such/program"), 127, "/no/such/program")
}

// TestInterrupted requires a report from a sampling that Ctrl-C ended.
func TestInterrupted(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "2", "spin")
	recording := filepath.Join(t.TempDir(), "recording")
	cmd := exec.Command(stacksnap, "-p", pid(target), "-d", "1h", "--save", recording)
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for { // until the first snapshot is in the recording
		if info, err := os.Stat(recording); err == nil && info.Size() > 4096 {
			break
		}
		if err := cmd.Process.Signal(syscall.Signal(0)); err != nil {
			t.Fatal(err)
		}
	}
	_ = cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v", err)
	}
	if !strings.Contains(out.String(), "leaf_spin") || !strings.Contains(out.String(), "Self time") {
		t.Errorf("no full report:\n%s", out.String())
	}
	if r := snap(t, recording); r.out != out.String() {
		t.Error("the recording gives another report")
	}
}

// TestSignalledAsByTimeout: several signals within a moment are one, as timeout(1) sends
// two, and the report is not lost.
func TestSignalledAsByTimeout(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "2", "spin")
	recording := filepath.Join(t.TempDir(), "recording")
	cmd := exec.Command(stacksnap, "-p", pid(target), "-d", "1h", "--save", recording)
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for info, err := os.Stat(recording); err != nil || info.Size() <= 4096; info, err = os.Stat(recording) {
		if err := cmd.Process.Signal(syscall.Signal(0)); err != nil {
			t.Fatal(err)
		}
	}
	often := time.NewTicker(5 * time.Millisecond) // apart: what is pending is sent once
	defer often.Stop()
	for range 20 {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-often.C
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "leaf_spin") {
		t.Errorf("%v: no full report:\n%s", err, out.String())
	}
}

func TestFullDisk(t *testing.T) {
	target := start(t, compile(t, "deep", "-O2"), "2", "read")
	refused(t, snap(t, "-p", pid(target), "-o", "/dev/full"), 1, "/dev/full")
	refused(t, snap(t, "-p", pid(target), "-o", "/no/such/folder/report"), 1, "/no/such/folder")
	refused(t, snap(t, "-p", pid(target), "--save", "/no/such/folder/it"), 1, "/no/such/folder")
}
