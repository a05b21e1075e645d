package crash

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/images/object"
	"stacksnap/task"
)

// macCrash is made up, in the form of macOS until 11.
const macCrash = `Process:               Tray (1) [43184]
Path:                  /Applications/Tray.app/Contents/MacOS/Tray (1)
Identifier:            org.example.tray
Version:               1.2 (34)
Code Type:             X86-64 (Native)
Parent Process:        ??? [1]
User ID:               501

Date/Time:             2021-11-21 08:01:02.345 +0100
OS Version:            macOS 11.6 (20G165)
Report Version:        12

Crashed Thread:        1

Exception Type:        EXC_BAD_ACCESS (SIGSEGV)
Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000010
Exception Note:        EXC_CORPSE_NOTIFY

Termination Signal:    Segmentation fault: 11
Termination Reason:    Namespace SIGNAL, Code 0xb

VM Regions Near 0x10:
-->
    __TEXT                 10a8b5000-10a8b9000 [   16K] r-x/r-x SM=COW  /Applications/*

Application Specific Information:
first
Thread 9 is not one

Last Exception Backtrace:
0   org.example.tray              	0x000000010a8b5f00 throw + 16

Thread 0:: Dispatch queue: com.apple.main-thread
0   libsystem_kernel.dylib        	0x00007fff206452ba mach_msg_trap + 10
1   org.example.tray              	0x000000010a8b5e10 0x10a8b5000 + 3600
2   ???                           	0x00000001f0000000 0 + 8321499136

Thread 1 Crashed:: reader Dispatch queue: a queue (serial)
0   ???                           	000000000000000000 0 + 0
1   org.example.tray              	0x000000010a8b5f44 -[Reader read: + 12] + 68 (Reader.m:12)
2   My Framework (x)              	    0x10b000010 f(int) + 8

Thread 2:

Thread 1 crashed with X86 Thread State (64-bit):
  rax: 0x0000000000000000  rbx: 0x0000000000000000

Binary Images:
       0x10a8b5000 -        0x10a8b8fff +org.example.tray (1.2 - 34) <5B424D44-FED2-3361-8D75-41795DA0FEF6> /Applications/Tray.app/Contents/MacOS/Tray (1)
       0x10b000000 -        0x10b000fff +My Framework (x) (*) <00000000-0000-0000-0000-000000000000> /Library/My Framework (x)
    0x7fff20644000 -     0x7fff20672fff  libsystem_kernel.dylib (*) <7CFB3A10-ADB2-32C4-99B5-922A111B3224> /usr/lib/system/libsystem_kernel.dylib

External Modification Summary:
  0x1 - 0x2 what
`

// phoneCrash is made up, in the form of iOS until 14.
const phoneCrash = `{"app_name":"tray","bug_type":"109"}
Incident Identifier: X
Hardware Model:      iPhone9,4
Process:             tray [7]
Path:                /private/var/tray
Code Type:           ARM-64 (Native)
Exception Type:  EXC_CRASH (SIGABRT)
Exception Codes: 0x0000000000000000, 0x0000000000000001
Triggered by Thread:  0

Thread 0 name:  Dispatch queue: com.apple.main-thread
Thread 0 Crashed:
0   tray                          	0x000000010007d000 main + 4

Thread 1 name:  worker
Thread 1:
0   tray                          	0x000000010007d010 0x10007c000 + 4112

Binary Images:
0x10007c000 - 0x100083fff tray arm64e  <5fd6c4ca55493855959fbe077158c67a> /var/tray
`

func TestReadCrash(t *testing.T) {
	p := read(t, []byte(macCrash))
	want := task.Info{
		PID: 43184, Name: "Tray (1)", Path: "/Applications/Tray.app/Contents/MacOS/Tray (1)", Arch: task.AMD64, OS: task.Darwin, OSVersion: "macOS 11.6 (20G165)", ParentPID: 1, User: &task.User{ID: 501},
		Crash: &task.Crash{Signal: "SIGSEGV", Detail: "EXC_BAD_ACCESS: KERN_INVALID_ADDRESS at 0x0000000000000010", Thread: 1},
	}
	if diff := cmp.Diff(want, p.Target); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	notes := []string{"ended by Namespace SIGNAL, Code 0xb", "application: first", "application: Thread 9 is not one"}
	if !slices.Equal(p.Notes, notes) {
		t.Errorf("notes %q", p.Notes)
	}
	var got []string
	for _, th := range p.Threads {
		got = append(got, fmt.Sprintf("%d %q %q %t %d", th.ID, th.Name, th.Queue, th.Main, th.Empty))
		for _, n := range th.Nodes() {
			image := "-"
			if n.Image != nil {
				image = n.Image.Name()
			}
			got = append(got, fmt.Sprintf("%s+%d %v in %s %t %s:%d", n.Function, n.Offset, n.PC, image, n.Return, n.File, n.Line))
		}
	}
	lines := []string{
		`0 "" "com.apple.main-thread" true 0`,
		"+0 0x1f0000000 in - true :0", "+3600 0x10a8b5e10 in Tray (1) true :0", "mach_msg_trap+10 0x7fff206452ba in libsystem_kernel.dylib false :0",
		`1 "reader" "a queue (serial)" false 0`,
		"f(int)+8 0x10b000010 in My Framework (x) true :0", "-[Reader read: + 12]+68 0x10a8b5f44 in Tray (1) true Reader.m:12", "+0 0x0 in - false :0",
		`2 "" "" false 1`,
		`0 "Last Exception Backtrace" "" false 0`, "throw+16 0x10a8b5f00 in Tray (1) false :0",
	}
	if diff := cmp.Diff(lines, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if p.Main == nil || p.Main.Bundle != (object.Bundle{ID: "org.example.tray", Version: "1.2", Build: "34"}) || len(p.Images) != 3 || p.Images[1].ID != nil || p.Images[1].Bundle != (object.Bundle{}) {
		t.Errorf("main %+v of %d", p.Main, len(p.Images))
	}
}

func TestReadCrashOfPhone(t *testing.T) {
	p := read(t, []byte(strings.Replace(phoneCrash, "\n\nThread 1 name", "\nThread 1 name", 1)))
	if p.Main == nil || p.Main.Variant != "arm64e" || p.Main.Load != 0x10007c000 || fmt.Sprintf("%x", p.Main.ID) != "5fd6c4ca55493855959fbe077158c67a" || p.Target.Machine.Model != "iPhone9,4" {
		t.Errorf("%+v", p.Main)
	}
	if c := p.Target.Crash; c.Detail != "EXC_CRASH: 0x0000000000000000, 0x0000000000000001" || !slices.Contains(p.Notes, "it was thread 0 that crashed") {
		t.Errorf("%+v %q", c, p.Notes)
	}
	if len(p.Threads) != 2 {
		t.Fatalf("%d threads", len(p.Threads))
	}
	if a, b := p.Threads[0], p.Threads[1]; a.Queue != "com.apple.main-thread" || a.Name != "" || b.Name != "worker" || b.Roots[0].Offset != 4112 {
		t.Errorf("%+v %+v", a, b)
	}
}

// Which thread crashed is said twice; once is enough.
func TestReadCrashedThread(t *testing.T) {
	for _, line := range []string{"Crashed Thread:        1\n", " Crashed::"} {
		text := strings.Replace(macCrash, line, strings.TrimPrefix(line[strings.Index(line, ":"):], ":        1"), 1)
		if c := read(t, []byte(text)).Target.Crash; c == nil || c.Thread != 1 {
			t.Errorf("without %q: %+v", line, c)
		}
	}
}

func TestReadCrashCutShort(t *testing.T) {
	images := strings.Index(macCrash, "       0x10a8b5000 - ")
	for n := strings.Index(macCrash, "Exception Type:") + 15; n < len(macCrash); n++ {
		p := read(t, []byte(macCrash[:n]))
		cut := slices.ContainsFunc(p.Notes, func(note string) bool { return strings.Contains(note, "cut short") })
		if cut != (n < images+40) && n != images+39 {
			t.Fatalf("%d bytes: notes %q", n, p.Notes)
		}
	}
}

// TestReadCrashOfManyThreads: frames of a thread whose number is none are nobody's, though
// the blank line before it is lost; and what was left out before is still said.
func TestReadCrashOfManyThreads(t *testing.T) {
	text := macCrash[:strings.Index(macCrash, "VM Regions")] + "Thread 0:\n0   it \t0x0000000000001000 one + 0\n" +
		"Thread 99999999999999999999:\n0   it \t0x0000000000002000 two + 0\n\n"
	p := read(t, []byte(text))
	if len(p.Threads) != 1 || len(p.Threads[0].Heaviest()) != 1 {
		t.Errorf("%d threads, frames of the first: %d", len(p.Threads), len(p.Threads[0].Heaviest()))
	}
	r := &textReader{names: map[int]string{}}
	r.ips.full = true
	if r.thread("99999999999999999999", "", ""); !r.ips.full {
		t.Error("it no longer says that something was left out")
	}
}

func FuzzReadCrash(f *testing.F) {
	f.Add([]byte(macCrash))
	for _, text := range []string{phoneCrash, resourceCrash, thrownCrash, jailCrash} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := readOne(text)
		if err != nil || p.Sampled() {
			return
		}
		var b bytes.Buffer
		if err := Text(&b, report.Of(p), words.Options{}); err != nil {
			t.Fatal(err)
		}
		again, err := readOne(b.Bytes())
		if err != nil || len(again.Threads) != len(p.Threads) {
			t.Fatalf("%v: %d threads of %d", err, len(again.Threads), len(p.Threads))
		}
	})
}
