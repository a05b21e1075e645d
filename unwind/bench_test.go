package unwind

import (
	"encoding/binary"
	"testing"

	"stacksnap/images"
	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind/rule"
)

const benchFrames = 50

// ehFrame describes all of the fake's code with one row: a frame of 64 bytes in
// which a function of AMD64 has saved all that calls preserve.
func ehFrame(functions int) object.Section {
	var b []byte
	entry := func(id uint32, body ...byte) {
		for len(body)%4 != 0 {
			body = append(body, 0)
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(4+len(body)))
		b = binary.LittleEndian.AppendUint32(b, id)
		b = append(b, body...)
	}
	// Version 1, "zR", code × 1, data × −8, column 16, udata4; cfa = rsp + 64,
	// pc at cfa − 8, rbp, rbx, r12–r15 below.
	entry(0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x03,
		0x0c, 7, 64, 0x80|16, 1, 0x80|6, 2, 0x80|3, 3, 0x80|12, 4, 0x80|13, 5, 0x80|14, 6, 0x80|15, 7)
	size := uint32((codeEnd - codeBase) / functions)
	for i := range uint32(functions) {
		var body []byte
		body = binary.LittleEndian.AppendUint32(body, codeBase+i*size)
		body = binary.LittleEndian.AppendUint32(body, size)
		entry(uint32(len(b)+4), append(body, 0)...)
	}
	return object.Section{VMAddr: 0x40000, Data: b}
}

func cfiThread(frames int) (*task.Thread, *images.Map) {
	var words []uint64
	for i := range frames {
		words = append(words, 0, 15, 14, 13, 12, 3, 6, 0x10021+uint64(i)*0x100)
	}
	words[len(words)-1] = 0
	f := newFake(task.AMD64)
	f.sections = map[object.Kind]object.Section{object.EHFrame: ehFrame(256)}
	return stacked(task.AMD64, 0x10120, 0, words...), mapOf(f)
}

func TestWalkByCFI(t *testing.T) {
	th, m := cfiThread(benchFrames)
	frames, stop := New(Options{}).Walk(nil, th, m, nil)
	if len(frames) != benchFrames || stop.Reason != Bottom || frames[1].By != ByCFI {
		t.Errorf("%d frames, %+v", len(frames), stop)
	}
}

func benchmark(b *testing.B, th *task.Thread, m *images.Map, cold bool) {
	benchmarkWith(b, Options{CodeMask: 1<<47 - 1}, th, m, cold)
}

func benchmarkWith(b *testing.B, o Options, th *task.Thread, m *images.Map, cold bool) {
	u := New(o)
	dst, stop := u.Walk(make([]Frame, 0, benchFrames+1), th, m, nil)
	if stop.Reason != Bottom || len(dst) < benchFrames {
		b.Fatal(len(dst), stop)
	}
	frames := len(dst)
	twin := *m
	other := &twin
	b.ReportAllocs()
	for b.Loop() {
		if cold { // what is cached is of the other map
			m, other = other, m
		}
		dst, _ = u.Walk(dst[:0], th, m, nil)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*frames), "ns/frame")
}

// distinct is a chain of frame records whose last returns to end.
func distinct(a task.Arch, end uint64) *task.Thread {
	var words []uint64
	for i := range uint64(benchFrames) {
		words = append(words, sb+(i+1)*16, 0x10220+i*0x100)
	}
	return stacked(a, 0x10120, sb, append(words, 0, end)...)
}

func BenchmarkFramePointerCached(b *testing.B) {
	benchmark(b, distinct(task.ARM64, outer), mapOf(newFake(task.ARM64)), false)
}

func BenchmarkFramePointerCold(b *testing.B) {
	benchmark(b, distinct(task.ARM64, outer), mapOf(newFake(task.ARM64)), true)
}

// always is a source of one rule, as that of a table is once it has been found.
type always struct{ r rule.Rule }

func (a always) Rule(rule.Query) (rule.Rule, error) { return a.r, nil }

// The body of a function with a frame record, as compact unwind describes most.
func BenchmarkCompactCached(b *testing.B) {
	o := Options{CodeMask: 1<<47 - 1, Sources: []Ranked{{ByCompact, always{rule.FramePointer(task.ARM64)}}}}
	benchmarkWith(b, o, distinct(task.ARM64, 0), mapOf(newFake(task.ARM64)), false)
}

func BenchmarkCFICached(b *testing.B) {
	th, m := cfiThread(benchFrames)
	benchmark(b, th, m, false)
}

func BenchmarkCFICold(b *testing.B) {
	th, m := cfiThread(benchFrames)
	benchmark(b, th, m, true)
}
