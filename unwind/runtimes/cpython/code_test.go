package cpython

import (
	"fmt"
	"testing"

	"stacksnap/task"
)

// TestCodeCacheIsBounded, by the names of functions as well, and the code objects that were dropped
// are not kept elsewhere.
func TestCodeCacheIsBounded(t *testing.T) {
	var c codeCache
	dropped := 0
	for i := range 2 * maxCached / (1 << 20) {
		co := &code{function: string(make([]byte, 1<<19)), lines: make([]byte, 1<<19)}
		if c.add(task.Addr(i), co) {
			dropped++
		}
		c.add(task.Addr(i), co)
		size := 0
		for _, co := range c.codes {
			size += co.size()
		}
		if size != c.size || size > maxCached {
			t.Fatalf("%d bytes are %d", c.size, size)
		}
	}
	if dropped != 2 {
		t.Errorf("dropped %d times", dropped)
	}
}

// TestLinesOfALiarAreBounded: neither the lines that are kept of a function, nor the work of finding
// them, is without a bound.
func TestLinesOfALiarAreBounded(t *testing.T) {
	p := new(Instance)
	c := &code{lines: make([]byte, 1<<20), lineOf: map[int]int{}}
	n := 0
	for ; n < 2*maxWork>>20; n++ {
		if _, err := p.line(c, n); err != nil {
			break
		}
	}
	if n != maxWork>>20 {
		t.Errorf("%d searches", n)
	}
	p.work, c.lines = 0, nil
	for i := range 2 * maxKnown {
		if _, err := p.line(c, i); err != nil || len(c.lineOf) > maxKnown {
			t.Fatalf("%d lines: %v", len(c.lineOf), err)
		}
	}
}

// TestFreshCodeIsBounded.
func TestFreshCodeIsBounded(t *testing.T) {
	p := &Instance{layout: layout312()}
	p.forget()
	for i := range 2 * maxFresh {
		if _, err := p.codeAt(zeros{}, task.Addr(i)); err == nil {
			t.Fatal(fmt.Errorf("code object %d of zeros", i))
		}
		if len(p.fresh) > maxFresh+1 {
			t.Fatalf("%d are kept", len(p.fresh))
		}
	}
}
