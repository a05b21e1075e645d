package apple

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// oldSpindump is made up, in the form of version 29.
const oldSpindump = `Date/Time:        2021-07-22 14:06:09 -0700
End time:         2021-07-22 14:06:31 -0700
OS Version:       Mac OS X 10.15.7 (Build 19H1030)
Architecture:     x86_64h
Report Version:   29

Data Source:      Stackshots
Shared Cache:     0xc42a000 B3373B45-BD10-304E-A351-56CC658DC10D

Command:          Tray
Path:             /Applications/Tray.app/Contents/MacOS/Tray
Identifier:       org.example.tray
Version:          4.19 (6771)
Parent:           launchd [1]
PID:              2252

Event:            hang
Duration:         22.56s
Duration Sampled: 9.99s
Steps:            1000 (10ms sampling interval)

Fan speed:        2164 rpm

------------------------------------------------------------
Heavy format: stacks are sorted by count
Use -i and -timeline to re-report with chronological sorting
------------------------------------------------------------

Process:          Tray [2252]
UUID:             AB3CB5D1-EB3F-388F-8C63-416A00DA1AAA
Architecture:     x86_64
Num samples:      1000 (1-1000)
CPU Time:         0.036s (117.7M cycles, 60.6M instructions, 1.94c/i)
Note:             1 idle work queue thread omitted

  Thread 0x3316    DispatchQueue "com.apple.main-thread"(1)    1000 samples (1-1000)    priority 0-46 (base 0)    cpu time <0.001s (1.0K cycles)
  <thread QoS user initiated, IO tier 0>
  1000  start + 1 (libdyld.dylib + 109769) [0x7fff73618cc9]
    1000  wait + 6 (Tray + 6118) [0x10e3817e6]
     *975   switch_context + 200 (kernel + 100) [0xffffff800043e8a8]
     *25    switch_context + 200 (kernel + 100) [0xffffff800043e8a8] (running)

  Binary Images:
           0x10e380000 -                ???  org.example.tray 4.19 (6771)  <AB3CB5D1-EB3F-388F-8C63-416A00DA1AAA>  /Applications/Tray.app/Contents/MacOS/Tray
        0x7fff735fe000 -     0x7fff73634fff  libdyld.dylib (750.6)  /usr/lib/system/libdyld.dylib
`

func spindumpOf(t *testing.T, all []*profile.Profile) string {
	t.Helper()
	var b bytes.Buffer
	if err := Spindump(&b, report.OfGroup(&profile.Group{Profiles: all}), words.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A report of an old version comes back, but for how to have another.
func TestOldSpindumpComesBack(t *testing.T) {
	all, err := Read(strings.NewReader(oldSpindump))
	if err != nil {
		t.Fatal(err)
	}
	text := spindumpOf(t, all)
	got := spindumpFacts(text)
	for _, line := range spindumpFacts(oldSpindump) {
		if !slices.Contains(got, line) && !strings.HasPrefix(line, "Use -i") && !strings.HasSuffix(line, " libdyld.dylib (750.6) /usr/lib/system/libdyld.dylib") {
			t.Errorf("lost: %q", line)
		}
	}
	if n := strings.Count(text, "\nNote:"); n != 1 {
		t.Errorf("%d notes in %s", n, text)
	}
	again, err := Read(strings.NewReader(text))
	if err != nil || spindumpOf(t, again) != text {
		t.Errorf("%v: read and written again it is another", err)
	}
}

// What the header alone tells of the process is the process's.
func TestSpindumpHeaderTellsTheProcess(t *testing.T) {
	p := read(t, []byte(oldSpindump))
	info, b := p.Target, p.Main.Bundle
	if info.Path != "/Applications/Tray.app/Contents/MacOS/Tray" || info.ParentName != "launchd" || info.ParentPID != 1 || b.ID != "org.example.tray" || b.Version != "4.19" || b.Build != "6771" {
		t.Errorf("%+v %+v", info, b)
	}
	if d := p.Duration(); d != 22560*time.Millisecond {
		t.Errorf("it took %v", d)
	}
	if len(p.Images) < 2 || p.Images[1].Path != "/usr/lib/system/libdyld.dylib" || p.Images[1].End != 0x7fff73635000 || p.Images[1].ID != nil {
		t.Errorf("images %+v", p.Images[1])
	}
	other := read(t, []byte(strings.Replace(oldSpindump, "PID:              2252", "PID:              9", 1)))
	if other.Target.Path != "" || other.Target.ParentPID != 0 {
		t.Errorf("what the header tells of another process: %+v", other.Target)
	}
}

// A view has other samples than the report: its lines are made of what it has.
func TestSpindumpOfAView(t *testing.T) {
	p := read(t, []byte(oldSpindump))
	p.View = &profile.View{}
	text := spindumpOf(t, []*profile.Profile{p})
	if strings.Contains(text, "<0.001s") || strings.Contains(text, "117.7M cycles") || !strings.Contains(text, "Fan speed:") {
		t.Error(text)
	}
}

// Functions at address 0 come back with all their addresses.
func TestSampleAtAddressZero(t *testing.T) {
	const line = "    + 90 wait  (in tray) + 0,8,...  [0x0,0x8,...]"
	text := "Analysis of sampling tray (pid 7) every 1 millisecond\nProcess:         tray [7]\n\nCall graph:\n    100 Thread_1\n" + line +
		"\n    + 10 run  (in tray) + 4  [0x104]\n\nTotal number in stack (recursive counted multiple, when >=5):\n"
	if again := written(t, read(t, []byte(text))); !strings.Contains(again, "90 wait  (in tray) + 0,8,...  [0x0,0x8,...]\n") {
		t.Error(again)
	}
}
