package golang

import (
	"encoding/binary"
	"regexp"
	"strconv"
	"sync"

	"stacksnap/task"
)

// layout has the offsets of fields, in bytes. Pointers have 8 bytes.
type layout struct {
	minor int // version of Go, 1.minor

	sp, pc, lr, bp, self int // its registers when it does not run, and itself (sched)
	status, reason       int // its state, and the number of its wait reason
	id                   int // its number
	since                int // when it began to wait; only a garbage collection sets it
	creator, start       int // return address of the go statement, and the entry function
	m, labels            int // the thread that runs it, and what runtime/pprof has set
	waiting              int // what it waits for in channels, as a list of runtime.sudog

	thread, current, nextM int // of runtime.m: the thread's number, the goroutine that it runs, the next in the list

	// Of runtime.sudog: the next ones in a tree, the semaphore, the next one of the same list, the channel.
	right, left, elem, more, channel int

	capacity int // of runtime.hchan, after the length
	treap    int // of runtime.semaRoot: the tree of those that wait
}

// stackLow and stackHigh are the bounds of a goroutine's stack, in every version.
const (
	stackLow  = 0
	stackHigh = 8
)

// used returns the number of bytes from the start of a goroutine that have all these fields.
func (l *layout) used() int { return l.waiting + 8 }

// release finds the minor version in a program's runtime.buildVersion: "go1.26.1",
// "devel go1.27-a2b3c4d X:nocoverageredesign".
var release = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`go1\.(\d+)`) })

// layoutOf returns the layout of a version, and whether that version is known: for a newer
// one it returns the newest layout. It returns nil for versions that are too old.
func layoutOf(version string) (l *layout, known bool) {
	found := release().FindStringSubmatch(version)
	if found == nil {
		return nil, false
	}
	minor, err := strconv.Atoi(found[1])
	if err != nil {
		return nil, false
	}
	for i := range layouts {
		if layouts[i].minor <= minor {
			l = &layouts[i]
		}
	}
	return l, minor <= layouts[len(layouts)-1].minor
}

// words are the bytes of a goroutine.
type words []byte

func (w words) word(at int) uint64    { return binary.LittleEndian.Uint64(w[at:]) }
func (w words) addr(at int) task.Addr { return task.Addr(w.word(at)) }
func (w words) u32(at int) uint32     { return binary.LittleEndian.Uint32(w[at:]) }
