//go:build linux

package ptrace

import (
	"errors"
	"time"

	"stacksnap/task/procfs"
)

var (
	errSealed   = errors.New("not permitted to read where the thread is")
	errUnproven = errors.New("it could not be proven that the thread did not run while it was read")
)

// suspendNone does the work of Suspend when nothing may be stopped: it finds the waiting
// threads.
func (p *Process) suspendNone() (resume func() error, err error) {
	p.suspended, p.copying.how = true, readSuspended
	p.copying.began, p.ordered = time.Now(), time.Time{}
	for i := range p.threads.all {
		if th := &p.threads.all[i]; th.phase == listed {
			p.skipBlocked(th)
		}
	}
	p.noteKernels()
	p.copying.left = p.threads.count(skipped)
	return p.resumeFunc, nil
}

// whyNotRead returns why a thread that was not stopped could not be read.
func (p *Process) whyNotRead(th *thread) error {
	switch {
	case p.Sealed() != nil:
		return errSealed
	case th.ready:
		return procfs.ErrOnProcessor
	}
	return errUnproven
}
