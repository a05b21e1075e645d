package files

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// answers caches which file systems respond, by device. That is a property of the
// machine, and takes a second to find out for one that does not respond.
var answers = struct {
	sync.Mutex
	of map[string]*answer
}{of: map[string]*answer{}}

type answer struct {
	sync.Mutex
	asked  time.Time
	silent bool
}

// believed is how long a file system that has responded is assumed to respond. One
// that has not is never asked again.
const believed = time.Second

// isSilent reports whether a file system does not respond to a look-up of its mount
// point and of a path.
func isSilent(device, point, path string) bool {
	answers.Lock()
	a := answers.of[device]
	if a == nil {
		a = new(answer)
		answers.of[device] = a
	}
	answers.Unlock()
	return a.isSilent([2]string{point, path})
}

func (a *answer) isSilent(paths [2]string) bool {
	a.Lock()
	defer a.Unlock()
	if !a.silent && (a.asked.IsZero() || time.Since(a.asked) > believed) {
		a.silent, a.asked = !probe(paths), time.Now()
	}
	return a.silent
}

// deviceName formats a device as mountinfo does.
func deviceName(device uint64) string {
	return fmt.Sprintf("%d:%d", unix.Major(device), unix.Minor(device))
}
