package machocore_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"stacksnap/scripts/fixtures/corefile"
	"stacksnap/task"
)

// infosAt is the vmaddr of the list in dyldHeader, whose __TEXT is at 0.
const infosAt = 0x10000

// dyldHeader is a dynamic linker's: the header, __TEXT, and __DATA with the
// section of the list of images.
func dyldHeader() []byte {
	b := []byte{0xcf, 0xfa, 0xed, 0xfe, 12, 0, 0, 1, 0, 0, 0, 0, 7, 0, 0, 0, 2, 0, 0, 0, 224, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	b = append(b, segmentCommand("__TEXT", 0)...)
	b = append(b, segmentCommand("__DATA", 1)...)
	return append(b, sectionAt("__all_image_info", infosAt)...)
}

// segmentCommand is a segment_command_64 of that many sections.
func segmentCommand(name string, sections byte) []byte {
	c := make([]byte, 72)
	c[0], c[4], c[64] = 0x19, 72+80*sections, sections
	copy(c[8:], name)
	return c
}

// sectionAt is a section_64.
func sectionAt(name string, addr uint32) []byte {
	s := make([]byte, 80)
	copy(s, name)
	binary.LittleEndian.PutUint32(s[32:], addr)
	return s
}

// withList is memory with a dyld at its start, and a list of so many images in
// a segment of its own.
func withList(at uint64, prot uint32, list uint64) []corefile.Segment {
	infos := make([]byte, 0x40)
	binary.LittleEndian.PutUint32(infos[4:], uint32(list))
	binary.LittleEndian.PutUint64(infos[8:], list)
	return []corefile.Segment{{Addr: at, Prot: prot, Data: dyldHeader()}, {Addr: at + infosAt, Prot: 3, Data: infos}}
}

func loaderInfo(t *testing.T, notes []corefile.Note, segments []corefile.Segment) task.Addr {
	t.Helper()
	c := corefile.Core{CPU: corefile.ARM64, Notes: notes, Segments: segments}
	return open(t, c.Bytes()).Info().LoaderInfo
}

func TestLoaderInfoOfTheDyldThatHasImages(t *testing.T) {
	old, current := withList(0x1_0000_0000, 5, 0), withList(0x1_8000_0000, 5, 3)
	if got := loaderInfo(t, nil, append(slices.Clone(old), current...)); got != 0x1_8001_0000 {
		t.Errorf("of two dylds: %v", got)
	}
	if got := loaderInfo(t, nil, old); got != 0x1_0001_0000 {
		t.Errorf("of one dyld that has not run: %v", got)
	}
	if got := loaderInfo(t, nil, current[1:]); got != 0 {
		t.Errorf("without dyld: %v", got)
	}
}

func TestLoaderInfoByNote(t *testing.T) {
	segments := append(withList(0x1_0000_0000, 5, 2), withList(0x1_8000_0000, 5, 3)...)
	note := corefile.MainBinSpec(1, 2, 0x1_8000_0000, 0, uuid, 14)
	if got := loaderInfo(t, []corefile.Note{note}, segments); got != 0x1_8001_0000 {
		t.Errorf("%v", got)
	}
}

// TestCommandsOfDyld: there are as many as its header says, whatever lies behind them.
func TestCommandsOfDyld(t *testing.T) {
	for count, want := range map[byte]task.Addr{2: 0x1_8001_0000, 1: 0, 0: 0} {
		segments := withList(0x1_8000_0000, 5, 3)
		segments[0].Data[16] = count
		if got := loaderInfo(t, nil, segments); got != want {
			t.Errorf("of %d commands: %v, want %v", count, got, want)
		}
	}
}

// dyld stands on a page in the middle of other code, or where the header of the
// shared cache says, among memory that is not looked through.
func TestLoaderInfoWithinASegment(t *testing.T) {
	inner := withList(0x1_8000_3000, 5, 3)
	code := corefile.Segment{Addr: 0x1_8000_0000, Prot: 5, Data: append(make([]byte, 0x3000), inner[0].Data...)}
	if got := loaderInfo(t, nil, []corefile.Segment{code, inner[1]}); got != 0x1_8001_3000 {
		t.Errorf("in code: %v", got)
	}
	cache := code
	cache.Prot = 1
	copy(cache.Data, "dyld_v1  arm64e")
	binary.LittleEndian.PutUint64(cache.Data[0x78:], 0x7000_3000)
	binary.LittleEndian.PutUint64(cache.Data[0xe0:], 0x7000_0000)
	if got := loaderInfo(t, nil, []corefile.Segment{cache, inner[1]}); got != 0x1_8001_3000 {
		t.Errorf("in the shared cache: %v", got)
	}
}
