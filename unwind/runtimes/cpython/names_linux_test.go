package cpython_test

import (
	"bytes"
	"maps"
	"testing"

	"stacksnap/task"
)

// TestNamesAreThoseThatThreadingTells compares the names of all threads with threading.enumerate.
func TestNamesAreThoseThatThreadingTells(t *testing.T) {
	eachPython(t, func(t *testing.T, py python) {
		for _, args := range [][]string{
			{"testdata/target.py", "OUT", "1", "plain"},
			{"testdata/target.py", "OUT", "20", "plain"},
			{"testdata/target.py", "OUT", "1", "plain", "subinterpreter"},
			{"testdata/target.py", "OUT", "200", "sleeps"},
		} {
			g := start(t, py, args...)
			p := g.instance(t)
			if _, err := p.Chains(g.memory, g.thread); err != nil {
				t.Fatal(err)
			}
			if got := p.ThreadNames(g.memory); len(g.names) < 2 || !maps.Equal(got, g.names) {
				t.Errorf("%v: %d names of %d:\n%v, want\n%v", args, len(got), len(g.names), got, g.names)
			}
		}
	})
}

// TestDamagedNames changes what is read of a process in random places: nothing may panic or go on
// for ever, and only threads of the process have names.
func TestDamagedNames(t *testing.T) {
	eachPython(t, func(t *testing.T, py python) {
		g := start(t, py, "testdata/target.py", "OUT", "20", "plain")
		saved := savedMemory{}
		p := g.instance(t)
		if _, err := p.Chains(g.memory, g.thread); err != nil {
			t.Fatal(err)
		}
		if got := p.ThreadNames(keeper{g.memory, saved}); len(got) != len(g.names) {
			t.Fatalf("%d names of %d", len(got), len(g.names))
		}
		for damaged := range saved.damaged {
			for id, name := range p.ThreadNames(damaged) {
				if g.names[id] == "" || len(name) > 4<<10 {
					t.Errorf("thread %d is called %q", id, name)
				}
			}
		}
	})
}

// TestNamesThatChange: a name that is another at the second reading is left out.
func TestNamesThatChange(t *testing.T) {
	eachPython(t, func(t *testing.T, py python) {
		g := start(t, py, "testdata/target.py", "OUT", "8", "plain")
		p := g.instance(t)
		if _, err := p.Chains(g.memory, g.thread); err != nil {
			t.Fatal(err)
		}
		m := &changing{memory: g.memory, from: "worker-0", to: "worker-9"}
		got := p.ThreadNames(m)
		if !m.seen || len(got) != len(g.names)-1 {
			t.Errorf("names %v", got)
		}
	})
}

// changing is memory in which a text becomes another once it has been read.
type changing struct {
	memory   task.Memory
	from, to string
	seen     bool
}

func (c *changing) ReadMemory(b []byte, a task.Addr) (int, error) {
	n, err := c.memory.ReadMemory(b, a)
	if i := bytes.Index(b[:n], []byte(c.from)); i >= 0 {
		if c.seen {
			copy(b[i:], c.to)
		}
		c.seen = true
	}
	return n, err
}
