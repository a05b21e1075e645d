package machocore_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stacksnap/images"
	"stacksnap/scripts/fixtures/corefile"
	"stacksnap/task"
	"stacksnap/task/machocore"
)

// fixtures opens every core that scripts/fixtures/makecores made, with its
// truth.
func fixtures(t *testing.T, f func(t *testing.T, p *machocore.Process, truth *corefile.Truth)) {
	t.Helper()
	cores, err := filepath.Glob("testdata/*.core")
	if err != nil || len(cores) == 0 {
		t.Fatalf("no cores in testdata: %v", err)
	}
	for _, path := range cores {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p, err := machocore.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			}()
			f(t, p, readTruth(t, path))
		})
	}
}

func readTruth(t *testing.T, core string) *corefile.Truth {
	t.Helper()
	b, err := os.ReadFile(strings.TrimSuffix(core, ".core") + ".json")
	if err != nil {
		t.Fatal(err)
	}
	truth := new(corefile.Truth)
	if err := json.Unmarshal(b, truth); err != nil {
		t.Fatal(err)
	}
	return truth
}

func hexOf(v uint64) string { return fmt.Sprintf("0x%x", v) }

func TestFixturesProcess(t *testing.T) {
	fixtures(t, func(t *testing.T, p *machocore.Process, truth *corefile.Truth) {
		info := p.Info()
		if info.Arch.String() != truth.Arch || info.OS != task.Darwin || info.Live {
			t.Errorf("%v %v, live %v", info.Arch, info.OS, info.Live)
		}
		if got := hexOf(info.CodeMask); got != truth.CodeMask {
			t.Errorf("code mask %s, want %s", got, truth.CodeMask)
		}
		if got := hexOf(uint64(info.LoaderInfo)); got != truth.LoaderInfo {
			t.Errorf("loader info %s, want %s", got, truth.LoaderInfo)
		}
		if problems := p.Info().Problems; len(problems) > 0 {
			t.Error(problems)
		}
	})
}

func TestFixturesThreads(t *testing.T) {
	fixtures(t, func(t *testing.T, p *machocore.Process, truth *corefile.Truth) {
		var s task.Snapshot
		if err := task.Take(p, &s); err != nil {
			t.Fatal(err)
		}
		var got []corefile.TruthThread
		for i := range s.Threads {
			got = append(got, threadOf(&s.Threads[i]))
			checkStack(t, p, &s.Threads[i])
		}
		want := truth.Threads
		for i := range want {
			want[i].Chain = nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error("threads (-want +got):\n" + diff)
		}
	})
}

func threadOf(th *task.Thread) corefile.TruthThread {
	got := corefile.TruthThread{ID: uint64(th.ID), Name: th.Name}
	for i := range th.Registers.Arch.NumRegisters() {
		v, _ := th.Registers.Value(task.Reg(i))
		got.Registers = append(got.Registers, hexOf(v))
	}
	return got
}

// checkStack wants the stack captured from the red zone to its top, as memory
// has it.
func checkStack(t *testing.T, p *machocore.Process, th *task.Thread) {
	t.Helper()
	if len(th.Stacks) != 1 || th.Err != nil {
		t.Fatalf("thread %d: %d stacks, %v", th.ID, len(th.Stacks), th.Err)
	}
	s := &th.Stacks[0]
	if s.Base != th.Registers.SP()-task.RedZone || s.Truncated() || s.End() != s.Top {
		t.Errorf("thread %d: stack %v–%v of top %v, sp %v", th.ID, s.Base, s.End(), s.Top, th.Registers.SP())
	}
	b := make([]byte, len(s.Bytes))
	if err := task.ReadFull(p.Memory(), b, s.Base); err != nil || string(b) != string(s.Bytes) {
		t.Errorf("thread %d: the stack is not what memory has: %v", th.ID, err)
	}
}

func TestFixturesImages(t *testing.T) {
	fixtures(t, func(t *testing.T, p *machocore.Process, truth *corefile.Truth) {
		m, errs := images.Load(p, nil, nil)
		if len(errs) > 0 {
			t.Error(errs)
		}
		got := map[string]corefile.TruthImage{}
		for _, im := range m.Images {
			got[im.Path] = corefile.TruthImage{
				Path: im.Path, UUID: hex.EncodeToString(im.File.ID()),
				Load: hexOf(uint64(im.Load)), Slide: hexOf(im.Slide), Main: im.Main,
			}
		}
		want := map[string]corefile.TruthImage{}
		for _, im := range truth.Images {
			want[im.Path] = im
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error("images (-want +got):\n" + diff)
		}
	})
}

// Every address of the true chains must be found in its image, by its symbol.
func TestFixturesSymbols(t *testing.T) {
	fixtures(t, func(t *testing.T, p *machocore.Process, truth *corefile.Truth) {
		m, _ := images.Load(p, nil, nil)
		for _, th := range truth.Threads {
			for _, call := range th.Chain {
				var pc uint64
				if _, err := fmt.Sscanf(call.PC, "0x%x", &pc); err != nil {
					t.Fatal(err)
				}
				loc := m.Locate(task.Addr(pc), call.Return)
				if loc.Image == nil || loc.Image.Path != call.Image || "_"+loc.Raw != call.Symbol || loc.Offset != call.Offset {
					t.Errorf("%s is %s + %d in %+v, want %s + %d", call.PC, loc.Raw, loc.Offset, loc.Image, call.Symbol, call.Offset)
				}
			}
		}
	})
}

// The notes list the same images, for cores that lack dyld's own list.
func TestFixturesNotedImages(t *testing.T) {
	fixtures(t, func(t *testing.T, p *machocore.Process, truth *corefile.Truth) {
		noted := p.Info().SavedImages
		if len(noted) == 0 {
			return // the kernel's cores have none
		}
		if len(noted) != len(truth.Images) {
			t.Fatalf("%d images noted, want %d", len(noted), len(truth.Images))
		}
		for i, im := range noted {
			want := truth.Images[i]
			if im.Path != want.Path || hex.EncodeToString(im.ID) != want.UUID || hexOf(uint64(im.Load)) != want.Load || im.Main != want.Main {
				t.Errorf("%+v, want %+v", im, want)
			}
			if len(im.Segments) == 0 || im.Segments[0].Name != "__TEXT" || im.Segments[0].Addr != im.Load {
				t.Errorf("segments %+v of an image at %v", im.Segments, im.Load)
			}
		}
	})
}
