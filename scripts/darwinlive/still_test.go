//go:build darwinlive

package darwinlive

import (
	"strings"
	"testing"
)

// stillDump is what was left of a watch, in part.
const stillDump = `goroutine 2 gp=0x1b958e464d20 m=nil [force gc (idle)]:
runtime.gopark(0x0?, 0x0?, 0x0?, 0x0?, 0x0?)
	runtime/proc.go:462 +0xce fp=0x1b958e49efa8 sp=0x1b958e49ef88 pc=0x10007ff6e

goroutine 18 gp=0x1b958e504000 m=nil [runnable]:
runtime.bgsweep(0x1b958e500000)
	runtime/mgcsweep.go:279 +0x94 fp=0x1b958e49a7c8 sp=0x1b958e49a788 pc=0x100036774

goroutine 22 gp=0x1b958e504b40 m=nil [runnable]:
runtime.sigNoteSleep(0x0?)
	runtime/os_darwin.go:138 +0x18 fp=0x1b958e49bfa0 sp=0x1b958e49bf68 pc=0x100045fd8
os/signal.signal_recv()
	runtime/sigqueue.go:149 +0x85 fp=0x1b958e49bfc0 sp=0x1b958e49bfa0 pc=0x100081e65

goroutine 1362 gp=0x1b958ecfad20 m=3 mp=0x1b958e4a3008 [running]:
	goroutine running on other thread; stack unavailable
created by runtime.gcBgMarkStartWorkers in goroutine 1360
	runtime/mgc.go:1695 +0x105

`

func TestStandsStill(t *testing.T) {
	const ours = "goroutine 7 gp=0x1 m=4 mp=0x2 [running]:\nstacksnap/task.loop()\n\ttask.go:1 +0x1\n\n"
	for dump, want := range map[string]bool{
		stillDump:        true,
		"":               false,
		stillDump + ours: false, // something of ours runs, and may be what the others wait for
		strings.Replace(stillDump, "gcBgMarkStartWorkers", "startOthers", 1): false,
		strings.ReplaceAll(stillDump, "[runnable]", "[chan receive]"):        false, // all wait
	} {
		if standsStill(dump) != want {
			t.Errorf("%t, want %t:\n%s", !want, want, dump)
		}
	}
}
