package machotest

import (
	"iter"

	"stacksnap/task"
)

// Process is a task.Process that supports only Info, Memory and Regions.
type Process struct {
	task.Process
	I task.Info
	M *Memory
	R []task.Region
}

// Info implements [task.Process].
func (p *Process) Info() task.Info { return p.I }

// Capabilities implements [task.Process]: it has none.
func (p *Process) Capabilities() task.Capabilities { return task.Capabilities{} }

// Memory implements [task.Process].
func (p *Process) Memory() task.Memory { return p.M }

// Regions implements [task.Process].
func (p *Process) Regions() iter.Seq2[task.Region, error] {
	return func(yield func(task.Region, error) bool) {
		for _, r := range p.R {
			if !yield(r, nil) {
				return
			}
		}
	}
}
