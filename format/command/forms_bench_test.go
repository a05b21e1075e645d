package command

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"

	"stacksnap/format"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
)

// large is ten million samples of 500 threads, with about half a million nodes, which
// is what a profile keeps at most: stacks of up to 60 frames through 20,000 functions. A
// thread stays in a stack for 20 samples.
func large() *profile.Profile {
	const threads, samples, stacks, depth, functions = 500, 20_000, 50, 60, 20_000
	random := rand.New(rand.NewPCG(1, 2))
	im := &profile.Image{Path: "/opt/service/bin/service", Load: 0x400000, End: 0x4000000, Arch: task.AMD64, Symbols: true, Main: true}
	names := make([]string, functions)
	for i := range names {
		names[i] = fmt.Sprintf("service::module%d::Handler<std::string, %d>::process(request const&)", i%97, i)
	}
	frame := func() *profile.Node {
		f := random.IntN(functions)
		offset := uint64(random.IntN(64))
		return &profile.Node{
			Location: profile.Location{Image: im, Function: names[f], Offset: offset},
			PC:       0x400000 + task.Addr(f)*64 + task.Addr(offset), Return: true,
		}
	}
	p := &profile.Profile{
		Target: task.Info{PID: 1, Name: "service", OS: task.Linux}, Tool: "bench", Images: []*profile.Image{im}, Main: im,
		Snapshots: samples, Interval: time.Millisecond, Start: time.Unix(1e9, 0), End: time.Unix(1e9+samples/1000, 0),
	}
	for i := range threads {
		t := &profile.Thread{ID: task.ThreadID(i + 1), Name: fmt.Sprint("worker-", i), Main: i == 0, Samples: samples, Roots: []*profile.Node{frame()}}
		for range stacks {
			n, share := t.Roots[0], samples/stacks
			for level := range depth {
				n.Count += share
				if level+1 == depth {
					n.Self += share
					n.Spent.OnCPU += time.Duration(share) * time.Millisecond
					t.Spent.OnCPU += time.Duration(share) * time.Millisecond
					break
				}
				if len(n.Children) == 0 || level < 43 && random.IntN(80) == 0 {
					n.Children = append(n.Children, frame())
				}
				n = n.Children[random.IntN(len(n.Children))]
			}
		}
		t.Samples, t.Last = t.Roots[0].Count, samples-1
		t.Timeline = shuffled(t, random)
		p.Threads = append(p.Threads, t)
	}
	return p
}

// shuffled is a timeline that ends in each node as often as that was innermost, in runs.
func shuffled(t *profile.Thread, random *rand.Rand) *profile.Timeline {
	const run = 20
	var leaves []*profile.Node
	for _, n := range t.Nodes() {
		for range n.Self / run {
			leaves = append(leaves, n)
		}
	}
	random.Shuffle(len(leaves), func(i, k int) { leaves[i], leaves[k] = leaves[k], leaves[i] })
	var b profile.TimelineBuilder
	for i, n := range leaves {
		b.Add(i*run, run, n, []task.State{task.Running, task.Sleeping}[random.IntN(2)])
	}
	return b.Timeline()
}

// heap is what the heap has now, also what is dropped but not collected yet.
func heap() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// peak looks again and again at how large the heap is, until it is told to end.
func peak() (end func() uint64) {
	runtime.GC()
	before := heap()
	var most atomic.Uint64
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			most.Store(max(most.Load(), heap()))
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-done
		return most.Load() - min(before, most.Load())
	}
}

// counter counts bytes.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

var _ io.Writer = (*counter)(nil)

// BenchmarkForms tells of each the size of what it writes, and by how much the heap
// grows meanwhile.
func BenchmarkForms(b *testing.B) {
	p := large()
	nodes, samples := 0, 0
	for _, t := range p.Threads {
		samples += t.Samples
		for range t.Nodes() {
			nodes++
		}
	}
	b.Logf("%d samples, %d nodes", samples, nodes)
	for _, f := range format.All() {
		b.Run(f.Name, func(b *testing.B) {
			b.ReportAllocs()
			var size counter
			end := peak()
			for b.Loop() {
				size = 0
				if err := f.Write(&size, report.Of(p), words.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(end())/(1<<20), "MB-heap")
			b.ReportMetric(float64(size)/(1<<20), "MB-written")
		})
	}
}
