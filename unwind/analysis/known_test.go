package analysis

import (
	"bytes"
	"runtime"
	"testing"

	"stacksnap/task"
)

// compareKnown wants what is known of a function to lead to the same rules as an
// analysis for each place.
func compareKnown(t *testing.T, file *text, a task.Arch, pcs []uint32, first bool) {
	t.Helper()
	var known Source
	q := file.query(a, 0)
	q.First = first
	for range 3 {
		for _, pc := range pcs {
			q.PC = task.Addr(file.at) + task.Addr(pc)
			var fresh Source
			want, wantErr := fresh.Rule(q)
			if got, err := known.Rule(q); got != want || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Fatalf("at %#x: %s, %v, want %s, %v", pc, got.Format(a), err, want.Format(a), wantErr)
			}
		}
	}
}

// Nothing is kept of a function that is asked for once.
func TestKnownOnce(t *testing.T) {
	code, starts := assemble(t, programs[0].arch, programs[0].lines)
	q := (&text{at: 0x1000, code: code, starts: []uint64{0x1000}}).query(programs[0].arch, 0x1000)
	var s Source
	for i, pc := range starts[:3] {
		q.PC = 0x1000 + task.Addr(pc)
		if _, err := s.Rule(q); err != nil {
			t.Fatal(err)
		}
		for _, k := range s.known.of {
			if k != nil != (i > 0) {
				t.Errorf("asked for %d times: %v", i+1, k)
			}
		}
	}
}

func TestKnown(t *testing.T) {
	for _, p := range programs {
		code, starts := assemble(t, p.arch, p.lines)
		file := &text{at: 0x1000, code: code, starts: []uint64{0x1000, 0x1000 + uint64(len(code))}}
		for _, first := range []bool{true, false} {
			compareKnown(t, file, p.arch, starts, first)
		}
	}
}

// A return that does not balance counts only for what was reached as it was.
func TestKnownUnbalanced(t *testing.T) {
	code := []byte{0x55, 0x74, 0x01, 0xc3, 0x5d, 0xc3, 0x90, 0xc3} // push rbp; je; ret; pop rbp; ret; nop; ret
	file := &text{at: 0x1000, code: code, starts: []uint64{0x1000, 0x1008}}
	compareKnown(t, file, task.AMD64, []uint32{0, 1, 3, 4, 5, 6, 7}, true)
	var w walk
	w.code = code
	if _, err := w.rule(&amd64, 4, false); err != ErrUnbalanced {
		t.Errorf("%v, want it not to balance", err)
	}
}

// What is known of a function that calls what pops its arguments is apart from what was
// found when that was not supposed.
func TestKnownPopped(t *testing.T) {
	code, starts := assemble(t, task.AMD64, []line{
		{code: "4883ec18"},   // sub 24, rsp
		{code: "e800000100"}, // call
		{code: "4883ec10"},   // sub 16, rsp
		{code: "4883c418"},   // add 24, rsp
		{code: "c3"},
	})
	file := &text{at: 0x1000, code: code, starts: []uint64{0x1000, 0x1000 + uint64(len(code))}}
	compareKnown(t, file, task.AMD64, starts, true)
	var s Source
	for q, n := file.query(task.AMD64, 0x1000+task.Addr(starts[2])), 0; n < 3; n++ {
		if r, err := s.Rule(q); err != nil || r.Format(q.Arch) != "cfa = sp + 16; pc = *(cfa - 8)" {
			t.Errorf("%s, %v", r.Format(q.Arch), err)
		}
	}
}

// Control runs out of a function that ends otherwise than with a call, which may never
// return, and what fills up behind it.
func TestRunsOut(t *testing.T) {
	for code, want := range map[string]bool{
		"\xe8\x00\x01\x00\x00": false, "\xe8\x00\x01\x00\x00\x90": false,
		"\xe8\x00\x01\x00\x00\x31\xc0": true, "\xe8\x00\x01\x00\x00\x55": true,
	} {
		w := walk{machine: &amd64, code: []byte(code)}
		if err := w.run(); err != nil || w.fell != want {
			t.Errorf("%x: %v, %v", code, w.fell, err)
		}
	}
}

// Blocks that lie over each other are run anew for each place.
func TestKnownOverlapping(t *testing.T) {
	code := []byte{0x74, 0x01, 0xb8, 0x55, 0x5d, 0xc3, 0x90, 0xc3, 0xc3} // je into mov $0xc390c35d55, eax
	file := &text{at: 0x1000, code: code, starts: []uint64{0x1000, 0x1009}}
	compareKnown(t, file, task.AMD64, []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8}, true)
	var w walk
	w.code, w.machine = code, &amd64
	if _ = w.run(); len(w.blocks) < 2 {
		t.Fatal("no blocks")
	}
	if k, ok := w.known(); ok {
		t.Errorf("known: %+v", k.spans)
	}
}

func TestKnownTooLarge(t *testing.T) {
	file := &text{at: 0x1000, code: make([]byte, maxCode), starts: []uint64{0x1000, 0x1000 + maxCode}}
	for i := range file.code {
		file.code[i] = 0x90
	}
	compareKnown(t, file, task.AMD64, []uint32{0, 7}, true)
}

// What is kept is bounded, and asked for by image, place and code.
func TestKnowns(t *testing.T) {
	var k knowns
	first := knownKey{start: 1, size: 2}
	k.keep(first, &known{fell: true})
	for _, other := range []knownKey{{start: 2, size: 2}, {start: 1, size: 3},
		{start: 1, size: 2, mode: mode{peek: true}}, {start: 1, size: 2, mode: mode{pops: true}}, {start: 1, size: 2, mode: mode{withoutFP: true}},
	} {
		if _, again := k.find(other); again {
			t.Errorf("%+v is known", other)
		}
	}
	if v, again := k.find(first); !again || v == nil || !v.fell {
		t.Fatal("lost")
	}
	for i := range 20 {
		k.keep(knownKey{start: task.Addr(100 + i)}, &known{states: make([]state, keptBytes/4000)})
		if k.bytes > keptBytes {
			t.Fatal(k.bytes)
		}
	}
	if v, _ := k.find(knownKey{start: 119}); v == nil || k.of[first] != nil || len(k.of) > 15 {
		t.Errorf("%d are kept", len(k.of))
	}
}

// What is known of an image's functions does not keep the image.
func TestKnownHoldsNoImage(t *testing.T) {
	var s Source
	gone := make(chan struct{})
	func() {
		code, _ := assemble(t, task.AMD64, programs[0].lines)
		q := (&text{at: 0x1000, code: code, starts: []uint64{0x1000}}).query(task.AMD64, 0x1000)
		runtime.AddCleanup(q.Image, func(c chan struct{}) { close(c) }, gone)
		for range 2 {
			if _, err := s.Rule(q); err != nil || len(s.known.of) != 1 {
				t.Fatal(err, len(s.known.of))
			}
		}
	}()
	for range 100 {
		runtime.GC()
		select {
		case <-gone:
			return
		default:
			runtime.Gosched()
		}
	}
	t.Error("the source holds the image")
}

// TestLarge: the largest functions of programs, of which duckdb has some of over 256 KB.
func TestLarge(t *testing.T) {
	code := bytes.Repeat([]byte{0x90}, 400<<10)
	copy(code, "\x55\x48\x89\xe5") // push rbp; mov rsp, rbp
	copy(code[len(code)-2:], "\x5d\xc3")
	q := (&text{at: 0x1000, code: code, starts: []uint64{0x1000, 0x1000 + uint64(len(code))}}).query(task.AMD64, 0x1001)
	var s Source
	if r, err := s.Rule(q); err != nil || r.Format(q.Arch) != pushedAMD64 {
		t.Errorf("%s, %v", r.Format(q.Arch), err)
	}
}
