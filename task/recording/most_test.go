package recording

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"stacksnap/task"
)

// TestMost takes each of a recording's bounds by one.
func TestMost(t *testing.T) {
	thread7 := appendUint(nil, 1, 7)
	stack := appendBytes(nil, 13, appendBytes(appendUint(appendUint(nil, 1, 0x1000), 2, 8), 4, appendBytes(nil, 2, "12345678")))
	for name, attempt := range map[string]func(more int) error{
		"threads": func(more int) error {
			s := state{effort: effortFor(0), threads: map[task.ThreadID]*thread{}}
			for i := range task.ThreadID(2*maxThreads - 1 + more) {
				s.threads[i+100] = nil
			}
			return s.setThread(thread7)
		},
		"threads of a snapshot": func(more int) error {
			s := state{line: line{ids: make([]task.ThreadID, maxThreads-1+more)}}
			return s.list(7)
		},
		"bytes of stacks": func(more int) error {
			s := state{effort: effortFor(0), threads: map[task.ThreadID]*thread{}, stackBytes: maxHeld - 8 + more}
			return s.setThread(append(bytes.Clone(thread7), stack...))
		},
		"images": func(more int) error {
			_, err := parseMap(appendBytes(nil, 1, make([]byte, maxMapped+more)))
			return err
		},
		"segments": func(more int) error {
			_, err := parseImage(times(maxSegments+more, 10, nil))
			return err
		},
		"inlined calls": func(more int) error {
			_, err := parseSource(times(maxPlaces+more, 3, nil))
			return err
		},
	} {
		if err := attempt(0); err != nil {
			t.Errorf("as many %s as there may be: %v", name, err)
		}
		if err := attempt(1); !errors.Is(err, errTooBig) {
			t.Errorf("more %s: %v", name, err)
		}
	}
}

// TestBlockOfAnyLength is refused by what it claims, before anything is read.
func TestBlockOfAnyLength(t *testing.T) {
	b, err := newStreamReader(bytes.NewReader(binary.AppendUvarint([]byte(magic+"1\n"), maxBlock+1)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.next(); !errors.Is(err, errTooBig) {
		t.Errorf("error %v", err)
	}
}

// TestThreadListedTwice is no thread.
func TestThreadListedTwice(t *testing.T) {
	s := state{effort: effortFor(0), threads: map[task.ThreadID]*thread{7: {}}, line: line{ids: []task.ThreadID{7, 7}}}
	if err := s.gather(&Sample{Snapshot: new(task.Snapshot)}, true); !errors.Is(err, errReused) {
		t.Errorf("error %v", err)
	}
}

// TestForgottenThread gives back its share of what may be held.
func TestForgottenThread(t *testing.T) {
	gone := &thread{Thread: task.Thread{Stacks: []task.Stack{{Bytes: make([]byte, 8)}}}}
	s := state{effort: effortFor(0), threads: map[task.ThreadID]*thread{7: {}, 8: gone}, line: line{ids: []task.ThreadID{7}}, stackBytes: 10}
	if err := s.gather(&Sample{Snapshot: new(task.Snapshot)}, true); err != nil || s.stackBytes != 2 || len(s.threads) != 1 {
		t.Errorf("%d bytes and %d threads are held, %v", s.stackBytes, len(s.threads), err)
	}
}

// TestFactsOutOfRange are taken for none.
func TestFactsOutOfRange(t *testing.T) {
	for n, want := range map[int64]int{-127: 0, -126: -126, 127: 127, 128: 0, -1 << 40: 0} {
		if got := priority(&message{n: zigzag(n)}); got != want {
			t.Errorf("priority %d is read as %d, want %d", n, got, want)
		}
	}
	if last, more := stateOf(uint64(task.Ended)), stateOf(uint64(task.Ended)+1); last != task.Ended || more != task.StateUnknown {
		t.Errorf("the last state is read as %v, one more as %v", last, more)
	}
}
