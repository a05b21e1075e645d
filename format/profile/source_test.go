package profile

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
)

// sourced is a file with debugging information: of work, that it has inner inlined at
// 0x1150, and that inlined in outer; of 0x1300, which no symbol covers, the name.
type sourced struct {
	file
	asked int
}

func (f *sourced) Source(v uint64) []object.Source {
	f.asked++
	at := func(name string, line int) object.Source {
		return object.Source{Function: name, File: "/src/a.c", Line: line, Column: line + 1}
	}
	switch {
	case v == 0x114f, v == 0x1150:
		return []object.Source{at("inner", 3), at("_Z5outerv", 20), at("work", 30)}
	case v >= 0x1100 && v < 0x1200:
		return []object.Source{at("work", 31)}
	case v >= 0x1300 && v < 0x1400:
		f := at("nameless", 0)
		f.Low, f.High = 0x1300, 0x1400
		return []object.Source{f}
	}
	return nil
}

// outlineOfSources writes a tree with what the source tells.
func outlineOfSources(nodes []*Node) string {
	var b strings.Builder
	for depth, n := range preorder(nodes) {
		fmt.Fprintf(&b, "%s%s+%d", strings.Repeat(" ", depth), n.Function, n.Offset)
		if n.Inlined {
			b.WriteString(" inlined")
		}
		fmt.Fprintf(&b, " %s:%d:%d %d/%d\n", n.File, n.Line, n.Column, n.Count, n.Self)
	}
	return b.String()
}

func (f *sourced) SourceNote() string {
	if f.asked == 0 {
		return ""
	}
	return "demo: no lines of code from /src/b.o: it is missing"
}

func profileOfSources(f *sourced, walks ...Stack) (*Builder, *Profile) {
	b := NewBuilder(task.Info{PID: 1}, "test")
	m := mapOf(&f.file, "/bin/demo", load)
	m.Images[0].File = f
	for _, w := range walks {
		b.Add(snapshot(task.Thread{ID: 1}), []Stack{w}, m)
	}
	return b, b.Profile()
}

func TestSource(t *testing.T) {
	f := &sourced{file: file{names: demo.names}}
	b, p := profileOfSources(f, walk(0x10, 0x150, 0x250), walk(0x10, 0x150), walk(0x10, 0x320), walk(0x10, 0x150))
	const want = `main+16 :0:0 4/0
 work+80 /src/a.c:30:31 2/0
  outer()+0 inlined /src/a.c:20:21 2/0
   inner+0 inlined /src/a.c:3:4 2/2
 work+80 /src/a.c:30:31 1/0
  outer()+0 inlined /src/a.c:20:21 1/0
   inner+0 inlined /src/a.c:3:4 1/0
    leaf+80 :0:0 1/1
 nameless+32 :0:0 1/1
`
	if got := outlineOfSources(p.Threads[0].Roots); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if again := outlineOfSources(b.Profile().Threads[0].Roots); again != want {
		t.Errorf("asked again:\n%s", again)
	}
	if want := []string{f.SourceNote()}; !slices.Equal(p.Notes, want) || !slices.Equal(b.Profile().Notes, want) || !slices.Equal(b.SourceNotes(), want) {
		t.Errorf("notes %q, want %q", p.Notes, want)
	}
	const plain = `main+16 :0:0 4/0
 work+80 /src/a.c:30:31 2/2
 work+80 /src/a.c:30:31 1/0
  leaf+80 :0:0 1/1
 nameless+32 :0:0 1/1
`
	if got := outlineOfSources(p.WithoutInlined().Threads[0].Roots); got != plain {
		t.Errorf("without inlined calls:\n%swant\n%s", got, plain)
	}
	if got := outlineOfSources(p.Threads[0].Roots); got != want {
		t.Errorf("WithoutInlined has changed the profile:\n%s", got)
	}
}

// TestCalls are those of a node of a path, as in the profile, while samples are still added; each
// address is asked about once.
func TestCalls(t *testing.T) {
	f := &sourced{file: file{names: demo.names}}
	b := NewBuilder(task.Info{PID: 1}, "test")
	m := mapOf(&f.file, "/bin/demo", load)
	m.Images[0].File = f
	for range 2 {
		b.Add(snapshot(task.Thread{ID: 1}), []Stack{walk(0x10, 0x150)}, m)
		path, _ := b.Path(1)
		got := ""
		for _, n := range path {
			for _, call := range b.Calls(n) {
				got += fmt.Sprintf("%s:%d %v, ", call.Function, call.Line, call.Inlined)
			}
		}
		if want := "main:0 false, work:30 false, outer():20 true, inner:3 true, "; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if f.asked != 2 {
		t.Errorf("asked %d times", f.asked)
	}
	if got := outlineOfSources(b.Profile().Threads[0].Roots); !strings.Contains(got, "   inner+0 inlined /src/a.c:3:4 2/2\n") {
		t.Error(got)
	}
}

// TestSourceAskedOnce: of each address once, however many threads and samples have it,
// and not before the profile is made.
func TestSourceAskedOnce(t *testing.T) {
	f := &sourced{file: file{names: demo.names}}
	b := NewBuilder(task.Info{PID: 1}, "test")
	m := mapOf(&f.file, "/bin/demo", load)
	m.Images[0].File = f
	for range 5 {
		b.Add(snapshot(task.Thread{ID: 1}, task.Thread{ID: 2}), []Stack{walk(0x10, 0x150), walk(0x10, 0x150)}, m)
	}
	if f.asked != 0 {
		t.Errorf("asked %d times while samples were taken", f.asked)
	}
	if b.Profile(); f.asked != 2 {
		t.Errorf("asked %d times for two addresses", f.asked)
	}
}

// TestSourceByFunction: what is merged to one function keeps a line that all share.
func TestSourceByFunction(t *testing.T) {
	f := &sourced{file: file{names: demo.names}}
	_, p := profileOfSources(f, walk(0x10, 0x110), walk(0x10, 0x120), walk(0x10, 0x150))
	const want = `main+16 :0:0 3/0
 work+80 :0:0 3/2
  outer()+0 inlined /src/a.c:20:21 1/0
   inner+0 inlined /src/a.c:3:4 1/1
`
	got := outlineOfSources(p.ByFunction().Threads[0].Roots)
	got = strings.NewReplacer("work+16", "work+80", "work+32", "work+80").Replace(got)
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestSourceOfDeepStack expands a stack as deep as a runaway recursion.
func TestSourceOfDeepStack(t *testing.T) {
	f := &sourced{file: file{names: demo.names}}
	const depth = 50_000
	deep := walk(0x10, 0x150)
	for len(deep.Frames) < depth {
		deep.Frames = append(deep.Frames, deep.Frames[1])
	}
	_, p := profileOfSources(f, deep)
	n := 0
	for range preorder(p.WithoutInlined().Threads[0].Roots) {
		n++
	}
	if n != depth {
		t.Errorf("%d nodes of %d", n, depth)
	}
}

// meeting is a file that tells nothing before another one is asked, too.
type meeting struct {
	sourced
	here, there chan struct{}
	met         sync.Once
	alone       bool
}

func (f *meeting) Source(v uint64) []object.Source {
	f.met.Do(func() {
		close(f.here)
		select {
		case <-f.there:
		case <-time.After(time.Minute):
			f.alone = true
		}
	})
	return f.sourced.Source(v)
}

// TestSourceOfSeveralImages is read at once, and of each address once.
func TestSourceOfSeveralImages(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	const further = 0x1000_0000
	a, b := make(chan struct{}), make(chan struct{})
	one := &meeting{sourced: sourced{file: file{names: demo.names}}, here: a, there: b}
	other := &meeting{sourced: sourced{file: file{names: demo.names}}, here: b, there: a}
	m := images.NewMap([]object.Placed{
		{Path: "/bin/demo", Load: load, Slide: load - 0x1000, Main: true, File: one},
		{Path: "/lib/other", Load: load + further, Slide: load + further - 0x1000, File: other},
	})
	builder := NewBuilder(task.Info{PID: 1}, "test")
	for range 3 {
		builder.Add(snapshot(task.Thread{ID: 1}), []Stack{walk(0x10, further+0x150, 0x150, further+0x320)}, m)
	}
	got := outlineOfSources(builder.Profile().Threads[0].Roots)
	const want = `main+16 :0:0 3/0
 work+80 /src/a.c:30:31 3/0
  outer()+0 inlined /src/a.c:20:21 3/0
   inner+0 inlined /src/a.c:3:4 3/0
    work+80 /src/a.c:30:31 3/0
     outer()+0 inlined /src/a.c:20:21 3/0
      inner+0 inlined /src/a.c:3:4 3/0
       nameless+32 :0:0 3/3
`
	if got != want || one.asked != 2 || other.asked != 2 || one.alone || other.alone {
		t.Errorf("asked %d and %d times:\n%s", one.asked, other.asked, got)
	}
}
