package profile

import "testing"

// TestAbsorb keeps each address once, and the source's line only where both have
// it.
func TestAbsorb(t *testing.T) {
	n := Node{PC: 1, Location: Location{File: "a.c", Line: 3}}
	n.absorb(&Node{PC: 1, Location: Location{File: "a.c", Line: 3}})
	if len(n.Also) != 0 || n.File != "a.c" || n.Line != 3 {
		t.Errorf("of one place it is %+v", n)
	}
	n.absorb(&Node{PC: 2, Location: Location{File: "a.c", Line: 4}})
	if len(n.Also) != 1 || n.File != "" || n.Line != 0 {
		t.Errorf("of two lines it is %+v", n)
	}
}
