package managed

import (
	"errors"

	"stacksnap/task"
	"stacksnap/unwind/runtimes"
)

// Only has [Runtimes.Meets] select threads by a condition.
func (r *Runtimes) Only(c runtimes.Condition) { r.only = c }

var (
	errNoRuntime  = errors.New("no CPython was found in the process: leave out --only")
	errUnknowable = errors.New("that is not known of its runtime")
)

// OnlyErr returns why threads cannot be selected by the condition of Only; nil: they can be.
func (r *Runtimes) OnlyErr() error {
	if r.only != runtimes.Any && !r.Any() {
		return errNoRuntime
	}
	return r.onlyErr
}

// addEvidence requests what shows whether threads of a runtime meet the condition.
func (r *Runtimes) addEvidence(runtime int) {
	if r.only == runtimes.Any {
		return
	}
	c, ok := r.found[runtime].Instance.(runtimes.Conditioner)
	if !ok {
		r.onlyErr = errUnknowable
		return
	}
	all, err := c.Evidence(r.only, r.memory)
	if err != nil {
		r.onlyErr = err
	}
	for own, chains := range all {
		id, ok := r.threads.outer(own)
		for i := 0; ok && i < len(chains); i++ {
			chains[i].Runtime, chains[i].Beside = runtime, true
			r.chains[id] = append(r.chains[id], chains[i])
		}
	}
}

// Meets reports whether a thread met the condition of Only when it was captured.
func (r *Runtimes) Meets(t *task.Thread) bool {
	if r == nil || r.only == runtimes.Any {
		return true
	}
	for i := range r.found {
		c, ok := r.found[i].Instance.(runtimes.Conditioner)
		if ok && c.Meets(r.only, r.threads.inner(t.ID), evidenceOf(t, i), r.memory) {
			return true
		}
	}
	return false
}

// evidenceOf returns what was copied of a thread for a runtime beside its frames.
func evidenceOf(t *task.Thread, runtime int) (all []task.CopiedChain) {
	for i := range t.Chains {
		if c := &t.Chains[i]; c.Beside && c.Runtime == runtime {
			all = append(all, *c)
		}
	}
	return all
}
