package apple

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/format/apple/internal/appletest"
	"stacksnap/format/apple/internal/notation"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task"
	"stacksnap/unwind"
)

// reports are real ones of sample(1), which are not ours to commit, and our own.
func reports(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	folder := os.Getenv(appletest.ReportsVariable)
	if folder == "" {
		folder = "/work/shared/reports"
	}
	real, _ := filepath.Glob(filepath.Join(folder, "sample_*.txt"))
	if len(real) == 0 {
		t.Logf("no reports of other Macs are in %s (%s names another folder): only our own are tried", folder, appletest.ReportsVariable)
	}
	for _, name := range append(real, "testdata/darwin.txt") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = withoutComments(text)
	}
	return all
}

// withoutComments leaves out lines before the report that tell where it is from.
func withoutComments(text []byte) []byte {
	for bytes.HasPrefix(text, []byte("#")) {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return text
}

func read(t *testing.T, text []byte) *profile.Profile {
	t.Helper()
	p, err := readOne(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// readOne reads a report of one process.
func readOne(text []byte) (*profile.Profile, error) {
	all, err := Read(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// further is the name of a thread behind the end of an excerpt, which is in the lines
// above it.
const further = "<further threads>"

func readExcerpt(t *testing.T, text []byte) *profile.Profile {
	t.Helper()
	p := read(t, text)
	if !bytes.Contains(text, []byte("\nTotal number in stack")) {
		p.Threads = append(p.Threads, &profile.Thread{ID: 1 << 63, Name: further})
	}
	return p
}

func written(t *testing.T, p *profile.Profile) string {
	t.Helper()
	var b bytes.Buffer
	if err := Sample(&b, report.Of(p), words.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// graphOf is the call graph of a report, without what stands for what one that was cut
// short does not have.
func graphOf(report string) []string {
	_, graph, _ := strings.Cut(report, "\nCall graph:\n")
	graph, _, _ = strings.Cut(graph, "\nTotal number in stack")
	graph = strings.TrimRight(graph, "\n")
	return slices.DeleteFunc(strings.Split(graph, "\n"), func(line string) bool {
		return strings.Contains(line, profile.Further) || strings.Contains(line, further)
	})
}

// behindGraph is what follows the call graph.
func behindGraph(report string) string {
	_, tables, _ := strings.Cut(report, "\nTotal number in stack")
	return tables
}

// A report that is read and written is the same, line by line.
func TestSampleIsWrittenAsItWas(t *testing.T) {
	for name, text := range reports(t) {
		t.Run(name, func(t *testing.T) {
			again := written(t, readExcerpt(t, text))
			if diff := cmp.Diff(graphOf(string(text)), graphOf(again)); diff != "" {
				t.Errorf("-report +written:\n%s", diff)
			}
			if tables := behindGraph(string(text)); strings.Contains(tables, "\n"+notation.BinaryImages+"\n") {
				if diff := cmp.Diff(tables, behindGraph(again)); diff != "" {
					t.Errorf("-tables of the report +written:\n%s", diff)
				}
			}
		})
	}
}

// A report is what its samples give, one by one in any order, when they are merged as
// those of a live process are.
func TestSampleIsRebuiltFromItsSamples(t *testing.T) {
	for name, text := range reports(t) {
		t.Run(name, func(t *testing.T) {
			p := readExcerpt(t, text)
			if diff := cmp.Diff(graphOf(string(text)), graphOf(written(t, rebuilt(t, p)))); diff != "" {
				t.Errorf("-report +rebuilt:\n%s", diff)
			}
		})
	}
}

// rebuilt makes the profile anew, of single stacks.
func rebuilt(t *testing.T, p *profile.Profile) *profile.Profile {
	t.Helper()
	where := map[task.Addr]profile.Location{}
	var stacks [][][]unwind.Frame // of each thread
	for _, thread := range p.Threads {
		all := samplesOf(thread, where)
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
		stacks = append(stacks, all)
	}
	b := profile.NewBuilder(p.Target, p.Tool)
	for i := range p.Snapshots {
		s, its := &task.Snapshot{}, []profile.Stack{}
		for k, all := range stacks {
			if i < len(all) {
				s.Threads = append(s.Threads, task.Thread{ID: task.ThreadID(k + 1)})
				its = append(its, profile.Stack{Frames: all[i]})
			}
		}
		b.Add(s, its, nil)
	}
	again := b.Profile()
	for k, th := range p.Threads {
		if th.Samples == 0 {
			again.Threads = append(again.Threads, &profile.Thread{ID: task.ThreadID(k + 1)})
		}
	}
	for _, th := range again.Threads {
		was := p.Threads[th.ID-1]
		if th.Samples != was.Samples {
			t.Errorf("%d samples of thread %d, want %d", th.Samples, was.ID, was.Samples)
		}
		th.ID, th.Name, th.Queue, th.QueueSerial, th.QueueKind, th.Main = was.ID, was.Name, was.Queue, was.QueueSerial, was.QueueKind, was.Main
		th.First, th.Last, th.Priority, th.Used = was.First, was.Last, was.Priority, was.Used
		for _, n := range th.Nodes() {
			n.Location = where[n.PC]
		}
	}
	return again
}

// samplesOf are the stacks of a thread, innermost frame first, and what is at each
// address.
func samplesOf(t *profile.Thread, where map[task.Addr]profile.Location) (all [][]unwind.Frame) {
	var path []*profile.Node
	for depth, n := range t.Nodes() {
		path = append(path[:depth], n)
		where[n.PC] = n.Location
		for i := range n.Self {
			frames := []unwind.Frame{{PC: innermostAt(n, n.Self-i, where)}}
			for _, caller := range slices.Backward(path[:depth]) {
				frames = append(frames, unwind.Frame{PC: caller.PC, Return: true})
			}
			all = append(all, frames)
		}
	}
	return all
}

// innermostAt is where a function was innermost: once at each further address, one of
// which the report may not tell, and else at the first.
func innermostAt(n *profile.Node, left int, where map[task.Addr]profile.Location) task.Addr {
	also := n.Also
	if n.More {
		last := also[len(also)-1].PC
		also = append(slices.Clone(also), profile.Address{PC: max(n.PC, last) + 1, Offset: n.Offset + uint64(max(n.PC, last)+1-n.PC)})
	}
	if left > len(also) {
		return n.PC
	}
	a := also[len(also)-left]
	loc := n.Location
	loc.Offset = a.Offset
	where[a.PC] = loc
	return a.PC
}
