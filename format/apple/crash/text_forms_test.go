package crash

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/apple/internal/appletest"
	"stacksnap/format/profile"
	"stacksnap/images/object"
	"stacksnap/task"
)

// These reports are made up, each with what other forms have.

// resourceCrash is of a phone whose program took too much of a processor.
const resourceCrash = `{"app_name":"brain","app_version":"1.0","build_version":"7","bug_type":"185"}
Incident Identifier: 92F40C53
CrashReporter Key:   69face
Hardware Model:      iPad4,4
Process:             org.example.update.brain.Service [147]
Path:                /private/var/run/org.example.update.brain.xpc/org.example.update.brain.Service
Identifier:          org.example.update.brain
Version:             7 (1.0)
Code Type:           ARM-64 (Native)
Parent Process:      launchd [1]

Date/Time:           2015-02-03 20:14:05.5041 -0800
Launch Time:         2015-02-03 20:11:35.3060 -0800
OS Version:          iOS 8.1.2 (12B440)
Report Version:      105

Exception Type:  EXC_RESOURCE
Exception Subtype: CPU
Exception Message: (Limit 50%) Observed 60% over 180 secs
Triggered by Thread:  2

Filtered syslog:
None found

Thread 0 name:  Dispatch queue: com.apple.main-thread
Thread 0:
0   libsystem_kernel.dylib        	0x0000000196b98e7c 0x196b98000 + 3708
1   ...xample.update.brain.Service	0x000000010008ea04 0x100080000 + 59908

Thread 2 name:  Dispatch queue: com.apple.root.default-qos
Thread 2 Attributed:
0   libsystem_kernel.dylib        	0x0000000196b9b1ec write + 8 (<compiler-generated>:0)
1   CoreFoundation                	0x0000000196b9b200 CFRun + 514
2   libunlisted.dylib             	0x00000001a0000010 0x1a0000000 + 16
3   libsystem_kernel.dylib        	0x0000000196b9b300 work (work.c:12)

Thread 3:

Thread 2 crashed with ARM Thread State (64-bit):
    x0: 0x0000000000000000   x1: 0x0000000000000001
    pc: 0x0000000196b9b1ec cpsr: 0x60000000

Binary Images:
0x100080000 - 0x1000cbfff org.example.update.brain.Service arm64  <865e9aa3dce0392393a2445e115bc26f> /private/var/run/org.example.update.brain.xpc/org.example.update.brain.Service
0x196b98000 - 0x196bbffff libsystem_kernel.dylib arm64  <5fd6c4ca55493855959fbe077158c67a> /usr/lib/system/libsystem_kernel.dylib
`

// thrownCrash is of a Mac whose program said where it threw.
const thrownCrash = `Process:               agent [65]
Path:                  /Library/agent.app/Contents/MacOS/agent
Identifier:            org.example.agent
Version:               0.9 (12)
Code Type:             X86-64 (Native)
Parent Process:        launchd [1]
Responsible:           agent [65]
User ID:               501

Date/Time:             2018-06-18 21:39:28.123 +0100
OS Version:            Mac OS X 10.13.5 (17F77)
Report Version:        12
Anonymous UUID:        B1C2

Time Awake Since Boot: 100 seconds

System Integrity Protection: enabled

Crashed Thread:        1

Exception Type:        EXC_CRASH (SIGABRT)
Exception Codes:       0x0000000000000000, 0x0000000000000000
Exception Note:        EXC_CORPSE_NOTIFY

Termination Reason:    DYLD, [0x1] Library missing

Application Specific Information:
*** Terminating app
abort() called

Application Specific Backtrace 1:
0   CoreFoundation                      0x00007fff4590132b __exceptionPreprocess + 171
1   agent                               0x0000000000116486 agent + 144518
2   ???                                 0x0000000000000005 0x0 + 5

Application Specific Backtrace 2:
0   libobjc.A.dylib                     0x00007fff6cf7bc76 objc_exception_throw + 48

Thread 0:: Dispatch queue: com.apple.main-thread
0   com.apple.CoreFoundation      	0x00007fff45901400 CFRun + 514

Thread 1 Crashed:
0   org.example.agent             	0x00000000000f3100 0xf3000 + 256

Thread 1 crashed with X86 Thread State (64-bit):
  rax: 0x0000000000000000  rbx: 0x0000000000000001

Logical CPU:     0

Binary Images:
           0xf3000 -           0x11ffff +org.example.agent (0.8 - 11) <00000000-0000-0000-0000-000000000000> /Library/agent.app/Contents/MacOS/agent
    0x7fff45900000 -     0x7fff45cfffff  com.apple.CoreFoundation (6.9 - 1454) <5FD6C4CA-5549-3855-959F-BE077158C67A> /System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation

External Modification Summary:
  Calls made by other processes targeting this process:
    task_for_pid: 5
`

// jailCrash is of a phone with a reporter that says by whom images were installed.
const jailCrash = `Process:         sms [35]
Path:            /Applications/sms.app/sms
Identifier:      com.example.sms (arm64) 
Version:         ??? (???)
Code Type:       ARM-64
Parent Process:  launchd [1]
Date/Time:       2016-05-24T07:59:56Z
Launch Time:     2016-05-24T07:57:08Z
OS Version:      iPhone OS 10.2 (14C92)
Report Version:  104
Exception Type:  SIGSEGV
Exception Codes: SEGV_ACCERR at 0x8
Crashed Thread:  1

Thread 0:
0       libsystem_kernel.dylib        	0x181bc4000 0x181bc4000 + 0x0	// mach_msg_trap + 0x8
1     + TweakInject.dylib (*)         	0x1000a8010 0x1000a8000 + 0x10

Thread 1 Crashed:
0   sms                             	0x0000000100030010 0x10002c000 + 16400 (-[Sms run] + 16)
1   gone                            	0x0000000100040010 gone_away + 4

Binary Images (dpkg):
0x1000a8000 - 0x1000affff + TweakInject.dylib arm64  <5e43b90a0c4336c38fe56ac76a7ec1d9> /usr/lib/TweakInject.dylib {"install_date":"2018","name":"x"}

Binary Images (App Store):

Binary Images (Other):
0x10002c000 - 0x100033fff   sms arm64  <62b3bd5a87e03646a7feda66fc69a70c> /Applications/sms.app/sms
0x181bc4000 - 0x181be4fff   libsystem_kernel.dylib arm64  <(null)> /usr/lib/system/libsystem_kernel.dylib
0x190000000 - 0x190000fff   libnone.dylib arm64 /usr/lib/libnone.dylib
`

// outlineOf lists the threads of a profile and what lies where in each, the outermost frame first.
func outlineOf(p *profile.Profile) (list []string) {
	for _, th := range p.Threads {
		list = append(list, fmt.Sprintf("%d %q %q", th.ID, th.Name, th.Queue))
		for _, n := range th.Nodes() {
			image := "-"
			if n.Image != nil {
				image = fmt.Sprintf("%s at %v", n.Image.Name(), n.Image.Load)
			}
			list = append(list, fmt.Sprintf("%v %s + %d in %s %s:%d", n.PC, n.Function, n.Offset, image, n.File, n.Line))
		}
	}
	return list
}

func TestReadCrashOfResource(t *testing.T) {
	p := read(t, []byte(resourceCrash))
	want := &task.Crash{Signal: "EXC_RESOURCE", Detail: "CPU", Thread: 2}
	if diff := cmp.Diff(want, p.Target.Crash); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if p.Main == nil || p.Main.Bundle != (object.Bundle{ID: "org.example.update.brain", Version: "1.0", Build: "7"}) {
		t.Errorf("main %+v", p.Main)
	}
	lines := []string{
		`0 "" "com.apple.main-thread"`,
		"0x10008ea04  + 59908 in org.example.update.brain.Service at 0x100080000 :0",
		"0x196b98e7c  + 3708 in libsystem_kernel.dylib at 0x196b98000 :0",
		`2 "" "com.apple.root.default-qos"`,
		"0x196b9b300 work + 0 in libsystem_kernel.dylib at 0x196b98000 work.c:12",
		"0x1a0000010  + 16 in libunlisted.dylib at 0x1a0000000 :0",
		"0x196b9b200 CFRun + 514 in CoreFoundation at 0x0 :0",
		"0x196b9b1ec write + 8 in libsystem_kernel.dylib at 0x196b98000 <compiler-generated>:0",
		`3 "" ""`,
	}
	if diff := cmp.Diff(lines, outlineOf(p)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadCrashThrown(t *testing.T) {
	p := read(t, []byte(thrownCrash))
	lines := []string{
		`0 "" "com.apple.main-thread"`, "0x7fff45901400 CFRun + 514 in CoreFoundation at 0x7fff45900000 :0",
		`1 "" ""`, "0xf3100  + 256 in agent at 0xf3000 :0",
		`0 "Application Specific Backtrace 1" ""`, "0x5  + 0 in - :0",
		"0x116486  + 144518 in agent at 0xf3000 :0", "0x7fff4590132b __exceptionPreprocess + 171 in CoreFoundation at 0x7fff45900000 :0",
		`0 "Application Specific Backtrace 2" ""`, "0x7fff6cf7bc76 objc_exception_throw + 48 in libobjc.A.dylib at 0x0 :0",
	}
	if diff := cmp.Diff(lines, outlineOf(p)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if p.Main.Bundle != (object.Bundle{ID: "org.example.agent", Version: "0.9", Build: "12"}) {
		t.Errorf("the list goes before the header: %+v", p.Main.Bundle)
	}
	if notes := []string{"ended by DYLD, [0x1] Library missing", "application: *** Terminating app", "application: abort() called"}; !slices.Equal(p.Notes, notes) {
		t.Errorf("notes %q", p.Notes)
	}
}

func TestReadCrashOfJail(t *testing.T) {
	p := read(t, []byte(jailCrash))
	lines := []string{
		`0 "" ""`, "0x1000a8010  + 16 in TweakInject.dylib at 0x1000a8000 :0",
		"0x181bc4000 mach_msg_trap + 8 in libsystem_kernel.dylib at 0x181bc4000 :0",
		`1 "" ""`, "0x100040010 gone_away + 4 in gone at 0x0 :0", "0x100030010 -[Sms run] + 16 in sms at 0x10002c000 :0",
	}
	if diff := cmp.Diff(lines, outlineOf(p)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var images []string
	for _, im := range p.Images {
		images = append(images, fmt.Sprintf("%v-%v %x %s %s", im.Load, im.End, im.ID, im.Arch, im.Path))
	}
	listed := []string{
		"0x0-0x0  unknown gone",
		"0x10002c000-0x100034000 62b3bd5a87e03646a7feda66fc69a70c arm64 /Applications/sms.app/sms",
		"0x1000a8000-0x1000b0000 5e43b90a0c4336c38fe56ac76a7ec1d9 arm64 /usr/lib/TweakInject.dylib",
		"0x181bc4000-0x181be5000  arm64 /usr/lib/system/libsystem_kernel.dylib",
		"0x190000000-0x190001000  arm64 /usr/lib/libnone.dylib",
	}
	if diff := cmp.Diff(listed, images); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	at := time.Date(2016, 5, 24, 7, 59, 56, 0, time.UTC)
	if !p.Start.Equal(at) || !p.Target.Start.Equal(at.Add(-168*time.Second)) || p.Target.Crash.Thread != 1 {
		t.Errorf("at %v from %v, %+v", p.Start, p.Target.Start, p.Target.Crash)
	}
}

// Each of these comes back as it was, line by line.
func TestCrashFormsComeBack(t *testing.T) {
	for name, text := range map[string]string{"resource": resourceCrash, "thrown": strings.Replace(thrownCrash, "0.8 - 11", "0.9 - 12", 1)} {
		written := writtenCrash(t, read(t, []byte(text)))
		facts := appletest.CrashFacts(written)
		for _, line := range appletest.CrashFacts(text) {
			i := slices.Index(facts, line)
			if i < 0 {
				t.Errorf("%s: lost: %s", name, line)
				continue
			}
			facts = slices.Delete(facts, i, i+1)
		}
		for _, line := range facts {
			t.Errorf("%s: invented: %s", name, line)
		}
		for _, behind := range []string{"rax: 0x0000000000000000", "task_for_pid: 5", "pc: 0x0000000196b9b1ec", "Logical CPU:"} {
			if strings.Contains(text, behind) != strings.Contains(written, behind) {
				t.Errorf("%s: %q is lost", name, behind)
			}
		}
	}
}

// The thread that is to blame is that of the number, not the one at its place in the report.
func TestCrashBlamesByNumber(t *testing.T) {
	text := strings.Replace(resourceCrash, "Thread 2 Attributed:", "Thread 2:", 1)
	p := read(t, []byte(text))
	if c := p.Target.Crash; c.Thread != 2 {
		t.Errorf("thread %d is to blame", c.Thread)
	}
	if written := writtenCrash(t, p); !strings.Contains(written, "\nThread 2 Attributed:\n") || strings.Contains(written, "Crashed:") {
		t.Errorf("written %s", written)
	}
	text = strings.Replace(text, "Triggered by Thread:  2", "Triggered by Thread:  9", 1)
	if c := read(t, []byte(text)).Target.Crash; c.Thread != 0 {
		t.Errorf("thread %d is to blame, and the report names 9, which has no stack", c.Thread)
	}
}

// What a report has besides is kept up to a bound, and it is said when more is left out.
func TestCrashRestIsBounded(t *testing.T) {
	long := "Key: " + strings.Repeat("x", 1000) + "\n"
	text := strings.Replace(thrownCrash, "Exception Note", strings.Repeat(long, maxRest/len(long)+2)+"Exception Note", 1)
	p := read(t, []byte(text))
	if !slices.ContainsFunc(p.Notes, func(note string) bool { return strings.Contains(note, "too large") }) {
		t.Errorf("notes %q", p.Notes)
	}
	if n := len(writtenCrash(t, p)); n > maxRest+len(thrownCrash)*2 {
		t.Errorf("%d bytes written", n)
	}
}
