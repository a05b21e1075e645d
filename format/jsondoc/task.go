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
	On      *jsonObject  `json:"waits_for,omitempty"`
	Objects int          `json:"objects,omitempty"`
	Created *jsonCreator `json:"created,omitempty"`
	Nodes   []jsonNode   `json:"nodes"`
}

type jsonObject struct {
	Kind      string `json:"kind"`
	Address   string `json:"address"`
	Len       uint64 `json:"len,omitempty"`
	Cap       uint64 `json:"cap,omitempty"`
	Receivers int    `json:"receivers,omitempty"`
	Senders   int    `json:"senders,omitempty"`
	Waiters   int    `json:"waiters"`
}

func newJSONObject(o *profile.TaskObject) *jsonObject {
	if o == nil {
		return nil
	}
	return &jsonObject{o.Kind, o.Addr.String(), o.Len, o.Cap, o.Receivers, o.Senders, o.Waiters}
}

// taskObject reads what tasks wait for.
func (d *documentReader) taskObject(j *jsonObject) (*profile.TaskObject, error) {
	if j == nil {
		return nil, nil
	}
	for _, n := range []int{j.Receivers, j.Senders, j.Waiters} {
		if n < 0 || int64(n) > maxCounted {
			return nil, fmt.Errorf("a number is %d", n)
		}
	}
	at, err := addressOf(j.Address)
	return &profile.TaskObject{
		Kind: d.name(j.Kind), Addr: at, Len: j.Len, Cap: j.Cap, Receivers: j.Receivers, Senders: j.Senders, Waiters: j.Waiters,
	}, err
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
			On: newJSONObject(t.On), Objects: t.Objects, Nodes: []jsonNode{},
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
	if j.Count < 1 || int64(j.Count) > maxCounted || j.Objects < 0 || j.Objects > j.Count {
		return fmt.Errorf("task %d: there are %d", i, j.Count)
	}
	t := &profile.Task{Runtime: d.name(j.Runtime), ID: j.ID, Name: d.name(j.Name), Wait: d.name(j.Wait), System: j.System, Count: j.Count, Objects: j.Objects}
	var err error
	if t.On, err = d.taskObject(j.On); err != nil {
		return fmt.Errorf("task %d: %w", i, err)
	}
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
