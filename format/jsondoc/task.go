package jsondoc

import (
	"fmt"

	"stacksnap/format/profile"
)

type jsonTask struct {
	Runtime string       `json:"runtime"`
	ID      uint64       `json:"id"`
	Name    string       `json:"name,omitempty"`
	Wait    string       `json:"wait,omitempty"`
	Since   int64        `json:"waits_ns,omitempty"`
	System  bool         `json:"system,omitempty"`
	Count   int          `json:"count"`
	Created *jsonCreator `json:"created,omitempty"`
	Nodes   []jsonNode   `json:"nodes"`
}

type jsonCreator struct {
	Function string `json:"function"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Image    *int   `json:"image,omitempty"`
}

func newJSONTasks(p *profile.Profile) (tasks []jsonTask) {
	if len(p.Tasks) == 0 {
		return nil
	}
	images := imageIndexes(p)
	for _, t := range p.Tasks {
		j := jsonTask{
			Runtime: t.Runtime, ID: t.ID, Name: t.Name, Wait: t.Wait, Since: int64(t.Since), System: t.System, Count: t.Count,
			Nodes: []jsonNode{},
		}
		if l := t.Created; l != nil {
			j.Created = &jsonCreator{Function: l.Function, File: l.File, Line: l.Line}
			if i, ok := images[l.Image]; ok {
				j.Created.Image = &i
			}
		}
		for i, n := range t.Path {
			j.Nodes = append(j.Nodes, newJSONNode(n, i, i-1, images))
		}
		tasks = append(tasks, j)
	}
	return tasks
}

// readTask reads a task.
func (d *documentReader) readTask() error {
	j := jsonTask{}
	if err := d.in.Decode(&j); err != nil {
		return err
	}
	i := len(d.tasks)
	if d.nodes += 1 + len(j.Nodes); d.nodes > d.room || d.kept > maxDocumentText {
		return errDocumentSize
	}
	if j.Count < 1 || int64(j.Count) > maxCounted {
		return fmt.Errorf("task %d: there are %d", i, j.Count)
	}
	t := &profile.Task{Runtime: d.name(j.Runtime), ID: j.ID, Name: d.name(j.Name), Wait: d.name(j.Wait), System: j.System, Count: j.Count}
	if err := timesOf([]int64{j.Since}, &t.Since); err != nil {
		return fmt.Errorf("task %d: %w", i, err)
	}
	if err := d.taskPath(t, &j); err != nil {
		return fmt.Errorf("task %d: %w", i, err)
	}
	d.tasks = append(d.tasks, t)
	return nil
}

// taskPath reads the stack of a task, and where it was made.
func (d *documentReader) taskPath(t *profile.Task, j *jsonTask) error {
	for i := range j.Nodes {
		n, err := d.node(&j.Nodes[i])
		if err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
		if j.Nodes[i].Parent != i-1 {
			return fmt.Errorf("node %d is below node %d", i, j.Nodes[i].Parent)
		}
		if i > 0 {
			t.Path[i-1].Children = []*profile.Node{n}
		}
		t.Path = append(t.Path, n)
	}
	if c := j.Created; c != nil {
		im, err := d.image(c.Image)
		if err != nil {
			return err
		}
		t.Created = &profile.Location{Function: d.name(c.Function), Raw: d.name(c.Function), File: d.name(c.File), Line: c.Line, Image: im}
	}
	return nil
}
