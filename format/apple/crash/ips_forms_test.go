package crash

import (
	"bufio"
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/apple/internal/appletest"
	"stacksnap/format/apple/internal/notation"
)

// fullIPS is made up, with what Apple's files have besides stacks.
const fullIPS = `{"app_name":"tray","timestamp":"2024-01-25 19:25:26.00 -0500","app_version":"1.0","slice_uuid":"c0f9","platform":2,"bug_type":"309","os_version":"iPhone OS 17.1.2 (21B101)","incident_id":"F71C","name":"tray"}
{
  "uptime" : 3600,
  "version" : 2,
  "modelCode" : "iPhone11,8",
  "osVersion" : {"isEmbedded":true,"train":"iPhone OS 17.1.2","releaseType":"User","build":"21B101"},
  "captureTime" : "2024-01-25 19:25:25.7990 -0500",
  "pid" : 748,
  "cpuType" : "ARM-64",
  "bug_type" : "309",
  "procLaunch" : "2024-01-25 19:25:02.9991 -0500",
  "procName" : "tray",
  "procPath" : "\/private\/var\/tray",
  "bundleInfo" : {"CFBundleShortVersionString":"1.0","CFBundleVersion":"7","CFBundleIdentifier":"org.example.tray"},
  "parentProc" : "launchd",
  "parentPid" : 1,
  "exception" : {"codes":"0x0000000000000001, 0x00000004cdfaf798","rawCodes":[1,20635645848,18446744073709551615],"message":"what it says","type":"EXC_BAD_ACCESS","signal":"SIGSEGV","subtype":"KERN_INVALID_ADDRESS at 0x00000004cdfaf798"},
  "termination" : {"flags":0,"code":11,"namespace":"SIGNAL","indicator":"Segmentation fault: 11","reasons":["one"],"byProc":"exc handler","byPid":748},
  "vmRegionInfo" : "0x4cdfaf798 is not in any region.\n  REGION TYPE",
  "asi" : {"libsystem_c.dylib":["abort() called"]},
  "asiBacktraces" : ["0   CoreFoundation                      0x00000001a0000010 __raise + 16\n1   tray                                0x0000000100004010 tray + 16"],
  "faultingThread" : 1,
  "threads" : [{"id":100,"queue":"com.apple.main-thread","frames":[{"imageOffset":16,"symbol":"main","symbolLocation":4,"imageIndex":0}]},
   {"triggered":true,"id":101,"threadState":{"x":[{"value":18446744073709551615}],"flavor":"ARM_THREAD_STATE64"},"frames":[{"imageOffset":32,"imageIndex":0}]}],
  "usedImages" : [{"source":"P","arch":"arm64","base":4294983680,"CFBundleShortVersionString":"1.0","CFBundleIdentifier":"org.example.tray","size":16384,"uuid":"c0f91e04-6738-3a4c-b067-56f0d0b9b0d0","path":"\/private\/var\/tray","name":"tray","CFBundleVersion":"7"}],
  "sharedCache" : {"base":6442450944,"size":3375824896,"uuid":"10dd3309-5b4b-30aa-9f0e-3d4b4c4f6e6e"},
  "vmSummary" : "ReadOnly portion",
  "trialInfo" : {"rollouts":[{"rolloutId":"6","factorPackIds":{"X":"\u202e"}}]}
}
`

// All that is in an .ips file comes back.
func TestIPSComesBack(t *testing.T) {
	p := read(t, []byte(fullIPS))
	if notes := []string{"what it says", "one", "ended by Segmentation fault: 11", "libsystem_c.dylib: abort() called"}; !slices.Equal(p.Notes, notes) {
		t.Errorf("notes %q", p.Notes)
	}
	lines := []string{
		`100 "" "com.apple.main-thread"`, "0x100004010 main + 4 in tray at 0x100004000 :0",
		`101 "" ""`, "0x100004020  + 32 in tray at 0x100004000 :0",
		`0 "Application Specific Backtrace 1" ""`,
		"0x100004010  + 16 in tray at 0x100004000 :0", "0x1a0000010 __raise + 16 in CoreFoundation at 0x0 :0",
	}
	if diff := cmp.Diff(lines, outlineOf(p)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	text := writtenIPS(t, p)
	want, got := appletest.IPSFacts(fullIPS), appletest.IPSFacts(string(text))
	got = slices.DeleteFunc(got, func(s string) bool {
		return strings.Contains(s, "CoreFoundation") && strings.HasPrefix(s, ".usedImages")
	})
	missing := slices.DeleteFunc(slices.Clone(want), func(s string) bool { return slices.Contains(got, s) })
	more := slices.DeleteFunc(got, func(s string) bool { return slices.Contains(want, s) || strings.Contains(s, notation.NoID) })
	if len(missing)+len(more) > 0 {
		t.Errorf("lost %q\ninvented %q", missing, more)
	}
	if !bytes.Contains(text, []byte(`\u202e`)) {
		t.Error("a character that turns text round is written as it is")
	}
	again := read(t, text)
	if diff := cmp.Diff(outlineOf(p), outlineOf(again)); diff != "" || !slices.Equal(p.Notes, again.Notes) {
		t.Errorf("read again: %q -want +got:\n%s", again.Notes, diff)
	}
}

// The stacks that an application reported are in an .ips file as the text that they were.
func TestIPSOfBacktraces(t *testing.T) {
	p := read(t, []byte(thrownCrash))
	again := read(t, writtenIPS(t, p))
	if diff := cmp.Diff(outlineOf(p), outlineOf(again)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestIPSBounds: a report that is too large is read as far as there is room, and says so.
func TestIPSBounds(t *testing.T) {
	const begin, frame = `{"bug_type":"309"}` + "\n" + `{"pid":1,"procName":"it",`, `{"imageOffset":1,"imageIndex":0},`
	const end = `"usedImages":[{"base":4096,"size":4096,"path":"/it"}]}`
	thread := `{"id":1,"frames":[` + strings.Repeat(frame, 1000) + `{}]},`
	small := `"threads":[{"id":1,"frames":[{"imageOffset":1,"imageIndex":0}]}],`
	for name, c := range map[string]struct {
		text string
		full bool
		most int // frames
	}{
		"small":             {begin + small + end, false, 1},
		"asi":               {begin + small + `"asi":{"it":[` + strings.Repeat("1,", 1<<18) + `1]},` + end, true, 1},
		"unknown":           {begin + small + strings.Repeat(`"x":[`+strings.Repeat("1,", 1<<15)+`1],`, 20) + end, true, 1},
		"threads":           {begin + `"threads":[` + strings.Repeat(thread, maxIPSFrames/1000) + `{}],` + end, true, maxIPSFrames},
		"an exception":      {begin + `"lastExceptionBacktrace":[` + strings.Repeat(frame, maxIPSFrames+1) + `{}],` + end, true, maxIPSFrames},
		"much of a thread":  {begin + `"threads":[{"id":1,"frames":[` + frame + `{}],"x":[` + strings.Repeat(`"`+strings.Repeat("x", 1<<19)+`",`, 20) + `1]}],` + end, true, 2},
		"as many as can be": {begin + `"threads":[{"id":1,"frames":[` + strings.Repeat(frame, 1000) + `{}]}],` + end, false, 1001},
	} {
		p, err := ReadIPS(bufio.NewReader(strings.NewReader(c.text)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if full := slices.ContainsFunc(p.Notes, func(n string) bool { return strings.Contains(n, "too large") }); full != c.full || p.Frames > c.most || p.Frames == 0 {
			t.Errorf("%s: %d frames, %q", name, p.Frames, p.Notes)
		}
	}
}
