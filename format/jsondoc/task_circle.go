package jsondoc

import "stacksnap/format/profile"

type jsonTaskCircle struct {
	Runtime string             `json:"runtime"`
	Tasks   []jsonTaskInCircle `json:"tasks"`
}

type jsonTaskInCircle struct {
	ID       uint64 `json:"id"`
	Name     string `json:"name,omitempty"`
	Function string `json:"function,omitempty"`
}

func newJSONTaskDeadlocks(p *profile.Profile) (all []jsonTaskCircle) {
	for _, d := range p.TaskDeadlocks {
		j := jsonTaskCircle{Runtime: d.Runtime, Tasks: []jsonTaskInCircle{}}
		for _, t := range d.Tasks {
			j.Tasks = append(j.Tasks, jsonTaskInCircle(t))
		}
		all = append(all, j)
	}
	return all
}

// taskDeadlocks reads circles, and leaves out empty ones.
func taskDeadlocks(all []jsonTaskCircle) (found []profile.TaskDeadlock) {
	for _, j := range all {
		d := profile.TaskDeadlock{Runtime: j.Runtime}
		for _, t := range j.Tasks {
			d.Tasks = append(d.Tasks, profile.TaskInDeadlock(t))
		}
		if len(d.Tasks) > 0 {
			found = append(found, d)
		}
	}
	return found
}
