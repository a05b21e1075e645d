package files

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// answers are what file systems have said, by device. Whether one answers is a fact of the
// machine, and to find out takes a second where it does not.
var answers = struct {
	sync.Mutex
	of map[string]*answer
}{of: map[string]*answer{}}

type answer struct {
	sync.Mutex
	asked  time.Time
	silent bool
}

// believed is for how long a file system is taken to answer that has done so. One that has
// not is never asked again.
const believed = time.Second

// isSilent reports whether a file system does not answer, which is asked about where it is
// mounted, and about a path.
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

// deviceName is a device as mountinfo has it.
func deviceName(device uint64) string {
	return fmt.Sprintf("%d:%d", unix.Major(device), unix.Minor(device))
}
