package counts

import (
	"bytes"
	"encoding/json"
	"maps"
	"testing"
)

// Speedscope is the part of speedscope's file format that is written.
type Speedscope struct {
	Schema   string `json:"$schema"`
	Exporter string
	Name     string
	Active   int `json:"activeProfileIndex"`
	Profiles []struct {
		Type, Name, Unit     string
		StartValue, EndValue int64
		Samples              [][]int
		Weights              []int64
		Events               []speedscopeEvent
	}
	Shared struct {
		Frames []struct{ Name, File string }
	}
}

func ReadSpeedscope(t *testing.T, report []byte) *Speedscope {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(report))
	d.DisallowUnknownFields()
	f := &Speedscope{}
	if err := d.Decode(f); err != nil {
		t.Fatal(err)
	}
	return f
}

// speedscopeEvent is the start or the end of a frame.
type speedscopeEvent struct {
	Type  string
	Frame int
	At    int64
}

// AddEvents adds the time of functions to c. It fails the test unless each frame that is
// closed is the last one opened, and none is open at the end.
func (f *Speedscope) AddEvents(t *testing.T, c Counts, events []speedscopeEvent) {
	t.Helper()
	var stack []string
	at := int64(0)
	for _, e := range events {
		if e.At < at {
			t.Errorf("at %d after %d", e.At, at)
		}
		if len(stack) > 0 {
			on := map[string]bool{}
			for _, name := range stack {
				on[name] = true
			}
			c.Add(stack[len(stack)-1], on, e.At-at)
		}
		at = e.At
		name := f.Shared.Frames[e.Frame].Name
		switch last := len(stack) - 1; {
		case e.Type == "O":
			stack = append(stack, name)
		case e.Type != "C" || last < 0 || stack[last] != name:
			t.Fatalf("%s of %s on %q", e.Type, name, stack)
		default:
			stack = stack[:last]
		}
	}
	if len(stack) > 0 {
		t.Errorf("%q are open at the end", stack)
	}
}

// Counts returns the weights by function.
func (f *Speedscope) Counts() Counts {
	c := Counts{}
	for _, p := range f.Profiles {
		for i, stack := range p.Samples {
			on, self := map[string]bool{}, ""
			for _, index := range stack {
				self = f.Shared.Frames[index].Name
				on[self] = true
			}
			c.Add(self, on, p.Weights[i])
		}
	}
	maps.DeleteFunc(c, func(_ string, n [2]int64) bool { return n[1] == 0 })
	return c
}
