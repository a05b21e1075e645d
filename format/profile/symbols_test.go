package profile

import (
	"encoding/hex"
	"testing"

	"stacksnap/images"
	"stacksnap/images/debugfile/binaries"
	"stacksnap/task"
	"stacksnap/unwind"
)

// reported is a profile as a report has it: an image by its UUID where it was loaded, of
// which functions have no name, and one that nobody has a file of.
func reported(t *testing.T) (*Profile, *Node) {
	t.Helper()
	uuid, err := hex.DecodeString("34f3dcd36fd039de9ff55cb98b5451f8") // macho/testdata/mapped
	if err != nil {
		t.Fatal(err)
	}
	mapped := &Image{Path: "/Applications/mapped", Load: 0x10a000000, End: 0x10a001000, ID: uuid, Arch: task.AMD64}
	other := &Image{Path: "/usr/lib/other", Load: 0x10b000000, End: 0x10b001000, ID: make([]byte, 16), Arch: task.AMD64}
	unplaced := &Image{Path: "unplaced"}
	at := func(im *Image, pc task.Addr, below ...*Node) *Node {
		n := &Node{Location: Location{Image: im}, PC: pc, Return: len(below) > 0, By: unwind.ByReport, Count: 1, Children: below}
		if im.Load != 0 {
			n.Offset = uint64(pc - im.Load)
		}
		return n
	}
	// The call in main returns to the first byte of _far: the one before it is main's.
	top := at(mapped, 0x10a0004c4)
	named := at(mapped, 0x10a0004a0, top)
	named.Function, named.Offset = "as the report has it", 16
	root := at(other, 0x10b000100, at(unplaced, 0x77, at(mapped, 0x10a000540, named)))
	return &Profile{
		Target: task.Info{OS: task.Darwin, Arch: task.AMD64}, Images: []*Image{mapped, other, unplaced}, Snapshots: 1,
		Threads: []*Thread{{ID: 1, Samples: 1, Roots: []*Node{root}}},
	}, top
}

func TestAddSymbols(t *testing.T) {
	index, err := binaries.NewIndex(binaries.Places{Symbols: []string{"../../images/macho/testdata/mapped"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, arch := range []task.Arch{task.AMD64, task.UnknownArch} { // of the images: not all reports tell it
		p, _ := reported(t)
		for _, im := range p.Images {
			im.Arch = arch
		}
		checkSymbols(t, p, index)
	}
}

func checkSymbols(t *testing.T, p *Profile, index *binaries.Index) {
	t.Helper()
	if !p.AddSymbols(index) {
		t.Error("tables were left out")
	}
	var got []string
	var offsets []uint64
	for _, n := range p.Threads[0].Nodes() {
		if !n.Inlined {
			got, offsets = append(got, n.Function), append(offsets, n.Offset)
		}
	}
	want := []string{"", "", "main", "as the report has it", "hidden"}
	wantOffsets := []uint64{0x100, 0, 0x60, 16, 4}
	for i := range want {
		if i >= len(got) || got[i] != want[i] || offsets[i] != wantOffsets[i] {
			t.Fatalf("functions %q at %#x, want %q at %#x", got, offsets, want, wantOffsets)
		}
	}
	if im := p.Images; !im[0].Symbols || im[1].Symbols {
		t.Errorf("symbols: %t, %t", im[0].Symbols, im[1].Symbols)
	}
}

// TestNeighboursNameNothing: where a report tells of an image that another one overlaps,
// what it places in one gets no name of the other.
func TestNeighboursNameNothing(t *testing.T) {
	index, err := binaries.NewIndex(binaries.Places{Symbols: []string{"../../images/macho/testdata/mapped"}})
	if err != nil {
		t.Fatal(err)
	}
	p, top := reported(t)
	below := *p.Images[0]
	below.Path, below.Load = "/Applications/below", below.Load-0x1000
	top.Image, top.Offset = &below, uint64(top.PC-below.Load)
	p.Images = append([]*Image{&below}, p.Images...)
	p.AddSymbols(index)
	for _, n := range p.Threads[0].Nodes() {
		if n.Image == &below && n.Function != "" {
			t.Errorf("%s in %s", n.Function, n.Image.Path)
		}
	}
}

// A node that was at several places has no one place in the source.
func TestSourceOfSeveralPlaces(t *testing.T) {
	p, top := reported(t)
	s := &sources{files: map[*Image]*images.Image{p.Images[0]: {}}}
	if _, ok := s.key(top); !ok {
		t.Error("of one place nobody is asked")
	}
	top.Also = []Address{{PC: top.PC + 2, Offset: 6}}
	if _, ok := s.key(top); ok {
		t.Error("of two places one is asked for")
	}
}
