package cpython_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"stacksnap/task"
	"stacksnap/unwind/runtimes/cpython"
)

// TestDamagedChains changes a chain that was copied. The frames before the damage are
// given, with an error.
func TestDamagedChains(t *testing.T) {
	for name, s := range openSaved(t) {
		p, err := cpython.Find(s.image(), s.Memory)
		if err != nil {
			t.Fatal(err)
		}
		chains, err := p.Chains(s.Memory, s.thread)
		if err != nil {
			t.Fatal(err)
		}
		for id, chain := range chains {
			whole := copyChain(s.Memory, chain)
			last := len(whole) - 1
			for what, c := range map[string]struct {
				chain []task.Object
				err   string
			}{
				"nothing copied":  {nil, "not copied"},
				"state alone":     {whole[:1], "cut"},
				"last frame cut":  {whole[:last], "cut"},
				"one left out":    {slices.Delete(slices.Clone(whole), last-1, last), "damaged"},
				"a frame again":   {append(slices.Clone(whole), whole[last]), "damaged"},
				"frames shorter":  {shortened(whole, last), "damaged"},
				"another's state": {otherState(whole, s, id), "no longer the thread's"},
			} {
				frames, err := p.Frames(nil, id, c.chain, s.Memory)
				frames = withoutShims(frames)
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%s, %s: %v", name, what, err)
				}
				if !begins(s.Frames[id], frames) {
					t.Errorf("%s, %s: %v is not the start of %v", name, what, frames, s.Frames[id])
				}
			}
		}
	}
}

// begins reports whether start is the start of frames. Whether its last frame is an
// entry may be shown by one that is missing.
func begins(frames, start []task.ManagedFrame) bool {
	if len(start) > len(frames) {
		return false
	}
	start = slices.Clone(start)
	if last := len(start) - 1; last >= 0 {
		start[last].Entry = frames[last].Entry
	}
	return slices.Equal(start, frames[:len(start)])
}

func shortened(chain []task.Object, i int) []task.Object {
	c := slices.Clone(chain)
	c[i].Bytes = c[i].Bytes[:len(c[i].Bytes)-1]
	return c
}

// otherState changes the thread that a copied state is of.
func otherState(chain []task.Object, s *saved, id task.ThreadID) []task.Object {
	c := slices.Clone(chain)
	b := slices.Clone(c[0].Bytes)
	for handle, of := range s.Handles {
		for i := 0; of == id && i+8 <= len(b); i += 8 {
			if binary.LittleEndian.Uint64(b[i:]) == uint64(handle) {
				b[i] ^= 0x40
			}
		}
	}
	c[0].Bytes = b
	return c
}

// TestFramesAreAppended keeps what is there.
func TestFramesAreAppended(t *testing.T) {
	for name, s := range openSaved(t) {
		p, _ := cpython.Find(s.image(), s.Memory)
		chains, _ := p.Chains(s.Memory, s.thread)
		for id, chain := range chains {
			there := []task.ManagedFrame{{Function: "there"}}
			frames, err := p.Frames(there, id, copyChain(s.Memory, chain), s.Memory)
			if err != nil || !slices.Equal(withoutShims(frames), append(there, s.Frames[id]...)) {
				t.Errorf("%s: %v, %v", name, frames, err)
			}
		}
	}
}
