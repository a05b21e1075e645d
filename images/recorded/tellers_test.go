package recorded_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"testing"

	"stacksnap/images"
	"stacksnap/images/internal/machotest"
	"stacksnap/images/macho"
	"stacksnap/images/object"
	"stacksnap/images/recorded"
	"stacksnap/task"
	"stacksnap/task/recording"
	"stacksnap/unwind"
)

const (
	textBase  = 0x1_0000_0000
	textSlide = 0x4000_0000
	stackAt   = 0x7000_0000
	cpuAMD64  = 0x100_0007
	cpuARM    = 12
)

// tabled is a Mach-O image with two functions in its __text. In the first a table of
// jumps, which LC_DATA_IN_CODE tells of, looks like returns that do not balance.
func tabled() []byte {
	first, _ := hex.DecodeString("55" + "4889e5" + "ffe0" + "c3c3c3e8" + "5d" + "c3") // push; mov; jmp *rax; data; pop; ret
	second, _ := hex.DecodeString("55" + "4889e5" + "e8e7ffffff" + "5d" + "c3")       // push; mov; call; pop; ret
	im := machotest.Image{
		Is64: true, CPU: cpuAMD64, Type: 2, Base: textBase,
		Starts:     []byte{0x80, 0x20, 0x10, 0}, // at 0x1000 and 0x1010
		DataInCode: binary.LittleEndian.AppendUint32(nil, machotest.Text+6),
	}
	im.DataInCode = append(im.DataInCode, 4, 0, 4, 0)
	b := im.Encode()
	copy(b[machotest.Text:], append(slices.Concat(first, make([]byte, 0x10-len(first))), second...))
	return b
}

func openMachO(t *testing.T, b []byte) *macho.File {
	t.Helper()
	f, err := macho.NewFile(bytes.NewReader(b), int64(len(b)), macho.Want{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// mapped is memory that has a file where it is placed.
type mapped []byte

func (m mapped) ReadMemory(p []byte, a task.Addr) (int, error) {
	at := a - textBase - textSlide
	if at >= task.Addr(len(m)) {
		return 0, &task.FaultError{Addr: a}
	}
	return copy(p, m[at:]), nil
}

// returning is a thread before the return of the first function, which the second called
// at its end.
func returning() *task.Thread {
	const text = textBase + textSlide + machotest.Text
	th := &task.Thread{ID: 1}
	th.Registers.Arch = task.AMD64
	th.Registers.Set(task.AMD64.PC(), text+11)
	th.Registers.Set(task.AMD64.SP(), stackAt)
	th.Registers.Set(task.AMD64.FP(), stackAt+8)
	var stack []byte
	for _, word := range []uint64{text + 0x19, stackAt + 24, text + 0x15, 0, 0} { // to the second, its saved fp, its own return
		stack = binary.LittleEndian.AppendUint64(stack, word)
	}
	th.Stacks = []task.Stack{{Base: stackAt, Bytes: stack, Top: stackAt + task.Addr(len(stack))}}
	return th
}

func pcsOf(th *task.Thread, m *images.Map, mem task.Memory) (list []task.Addr) {
	frames, _ := unwind.New(unwind.Options{}).Walk(nil, th, m, mem)
	for _, f := range frames {
		list = append(list, f.PC)
	}
	return list
}

// TestDataInCodeIsKept: a walk that needs to know what is data gives the same stack with
// a recording, while that is made, and of it.
func TestDataInCodeIsKept(t *testing.T) {
	b := tabled()
	file := openMachO(t, b)
	p := object.Placed{Path: "/tabled", Load: textBase + textSlide, Slide: textSlide, File: file}
	plain := pcsOf(returning(), images.NewMap([]object.Placed{p}), mapped(b))

	var out bytes.Buffer
	w, err := recording.NewWriter(&out, recording.Header{})
	if err != nil {
		t.Fatal(err)
	}
	s := recorded.NewSaver(w, mapped(b), prune)
	m := images.NewMap(s.Place([]object.Placed{p}, noRegions))
	th := returning()
	live := pcsOf(th, m, s.Memory())
	if err := s.Save(&recording.Sample{Snapshot: &task.Snapshot{Threads: []task.Thread{*th}}}, m, slices.Values(live)); err != nil {
		t.Fatal(err)
	}
	r := (&session{t: t, file: out, w: w}).reopen()
	again := pcsOf(returning(), recorded.Map(r), r.Memory())

	const text = textBase + textSlide + machotest.Text
	if want := []task.Addr{text + 11, text + 0x19, text + 0x15}; len(plain) < 3 || !slices.Equal(plain[:3], want) {
		t.Errorf("without a recording %v, want %v", plain, want)
	}
	if !slices.Equal(live, plain) || !slices.Equal(again, plain) {
		t.Errorf("%v without a recording, %v with one, %v of it", plain, live, again)
	}
}

// TestThumbIsKept, by what was asked: LC_FUNCTION_STARTS has the set in the lowest bit.
func TestThumbIsKept(t *testing.T) {
	im := machotest.Image{CPU: cpuARM, Type: 2, Base: 0x4000, Starts: []byte{0x80, 0x20, 0x11, 0x0f, 0}} // 0x1000, 0x1011, 0x1020
	f := openMachO(t, im.Encode())
	s := newSession(t)
	s.place(placed(&library{}), object.Placed{Path: "/arm", Load: 0x4000, File: f})
	n := slices.IndexFunc(s.m.Images, func(im *images.Image) bool { return im.Path == "/arm" })
	asked := []uint64{0x5000, 0x5010, 0x501e, 0x5020, 0x9000}
	ask := func(f object.File) (answers [][2]bool) {
		for _, v := range asked {
			thumb, known := f.(object.ThumbReporter).Thumb(v)
			answers = append(answers, [2]bool{thumb, known})
		}
		return answers
	}
	want := [][2]bool{{false, true}, {true, true}, {true, true}, {false, true}, {}}
	if got := ask(s.m.Images[n].File); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := ask(s.m.Images[1-n].File); !slices.Equal(got, make([][2]bool, len(asked))) {
		t.Errorf("of a file that cannot tell: %v", got)
	}
	s.save()
	files := recorded.Place(s.reopen())
	if got := ask(files[1].File); !slices.Equal(got, want) {
		t.Errorf("of the recording %v, want %v", got, want)
	}
	if _, known := files[1].File.(object.ThumbReporter).Thumb(0x5012); known {
		t.Error("there is an answer to what was not asked")
	}
}

// TestDataThatGoesBack: data that a recording tells of is none unless it ends above what
// was asked, so that who goes from one to the next comes to an end.
func TestDataThatGoesBack(t *testing.T) {
	s := newSession(t)
	s.place(placed(&library{}))
	for asked, data := range map[uint64]recording.Answer{
		0x1000: {VMAddr: 0xff0, Size: 0x10}, 0x1010: {VMAddr: 0x1020, Size: 1<<64 - 8}, 0x1020: {VMAddr: 0x1018, Size: 9},
	} {
		data.Asked, data.Found = asked, true
		s.w.AddData(&data)
	}
	s.save()
	f := recorded.Place(s.reopen())[0].File.(object.DataReporter)
	for asked, want := range map[uint64]bool{0x1000: false, 0x1010: false, 0x1020: true} {
		if start, end, ok := f.DataInCode(asked); ok != want {
			t.Errorf("%#x: from %#x to %#x, %v", asked, start, end, ok)
		}
	}
}

// TestAnswersAreKeptOnce, however often the same is asked.
func TestAnswersAreKeptOnce(t *testing.T) {
	made := func(times int) []byte {
		s := newSession(t)
		s.place(object.Placed{Path: "/tabled", Load: textBase, File: openMachO(t, tabled())})
		f := s.m.Images[0].File
		for range 2 {
			for range times {
				_, _, _ = f.(object.DataReporter).DataInCode(textBase + machotest.Text)
				_, _ = f.Symbol(textBase + machotest.Text)
			}
			s.save()
		}
		s.reopen()
		return s.file.Bytes()
	}
	if once, often := made(1), made(50); !bytes.Equal(once, often) {
		t.Errorf("%d bytes of what was asked once, %d of what was asked often", len(once), len(often))
	}
}

// TestVariablesAreFound while a recording is made.
func TestVariablesAreFound(t *testing.T) {
	im := machotest.Image{Is64: true, CPU: cpuAMD64, Type: 6, Base: textBase,
		Symbols: []machotest.Symbol{{Name: "_offsets", Type: 0xf, Sect: 4, Value: textBase + machotest.Data + 8}}}
	f := openMachO(t, im.Encode())
	s := newSession(t)
	s.place(object.Placed{Path: "/found", File: f}, placed(&library{}))
	for _, im := range s.m.Images {
		at, ok := im.File.(interface{ DataSymbol(string) (uint64, bool) }).DataSymbol("_offsets")
		if want := im.Path == "/found"; ok != want || want && at != textBase+machotest.Data+8 {
			t.Errorf("%s: at %#x, %v", im.Path, at, ok)
		}
	}
}
