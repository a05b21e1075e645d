package waits

import (
	"encoding/binary"
	"slices"
	"testing"

	"stacksnap/task"
	"stacksnap/unwind"
)

// TestCallee names a function without a name by what its caller calls, and only if that
// is the start of one.
func TestCallee(t *testing.T) {
	const load, returns, target = 0x10000, 0x10120, 0x10200
	le := binary.LittleEndian
	near := func(to task.Addr) []byte { return le.AppendUint32([]byte{0x90, 0xe8}, uint32(to-returns)) }
	byPointer := le.AppendUint32([]byte{0xff, 0x15}, 0x20000-returns)
	bl := func(ins uint32, to task.Addr) []byte {
		return le.AppendUint32(nil, ins|uint32(to-(returns-4))>>2&0x03ffffff)
	}
	for name, test := range map[string]struct {
		arch   task.Arch
		code   []byte
		change func(*process, []unwind.Frame)
		want   string
	}{
		"call":                    {task.AMD64, near(target), nil, "sem_wait"},
		"call backwards":          {task.AMD64, near(load), nil, ""}, // what has no name either
		"into the middle":         {task.AMD64, near(target + 1), nil, ""},
		"to nowhere":              {task.AMD64, near(0x90000), nil, ""},
		"by a pointer":            {task.AMD64, byPointer, nil, "sem_wait"},
		"by one that is away":     {task.AMD64, byPointer, func(p *process, _ []unwind.Frame) { delete(p.memory, 0x20000) }, ""},
		"by a register":           {task.AMD64, []byte{0x90, 0x90, 0x90, 0x90, 0xff, 0xd0}, nil, ""},
		"by another pointer":      {task.AMD64, le.AppendUint32([]byte{0xff, 0x25}, 0x20000-returns), nil, ""},
		"by no call":              {task.AMD64, le.AppendUint32([]byte{0x90, 0x15}, 0x20000-returns), nil, ""},
		"code is away":            {task.AMD64, nil, nil, ""},
		"branch with link":        {task.ARM64, bl(0x94000000, target), nil, "sem_wait"},
		"branch":                  {task.ARM64, bl(0x14000000, target), nil, ""},
		"back":                    {task.ARM64, bl(0x94000000, load), nil, ""},
		"arm64's code is away":    {task.ARM64, nil, nil, ""},
		"of another processor":    {task.I386, near(target), nil, ""},
		"of a guessed caller":     {task.AMD64, near(target), func(_ *process, f []unwind.Frame) { f[1].By = unwind.ByScan }, ""},
		"of what was interrupted": {task.AMD64, near(target), func(_ *process, f []unwind.Frame) { f[1].Return = false }, ""},
		"on macOS":                {task.AMD64, near(target), func(p *process, _ []unwind.Frame) { p.info.OS = task.Darwin }, ""},
	} {
		m, frames := stack("", "main", "sem_wait@plt")
		p := &process{info: task.Info{OS: task.Linux, Arch: test.arch}, memory: map[task.Addr][]byte{
			returns - task.Addr(len(test.code)): test.code, 0x20000: le.AppendUint64(nil, target),
		}}
		frames = frames[:2]
		if test.change != nil {
			test.change(p, frames)
		}
		f := New(p, m, nil)
		if got, want := f.functions(frames), []string{test.want, "main"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if got := f.functions(frames[:1]); !slices.Equal(got, []string{""}) {
			t.Errorf("%s: %q of one that nobody called", name, got)
		}
	}
}

// TestFunctionsAreLookedUpOnce, however many threads wait there and whatever they are asked for.
func TestFunctionsAreLookedUpOnce(t *testing.T) {
	const returns, target = 0x10120, 0x10200
	m, frames := stack("", "main", "sem_wait@plt")
	p := &process{info: task.Info{OS: task.Linux, Arch: task.AMD64}, memory: map[task.Addr][]byte{
		returns - 6: binary.LittleEndian.AppendUint32([]byte{0x90, 0xe8}, target-returns),
	}}
	f := New(p, m, nil)
	for range 50 {
		if got := f.within(frames[:2], semFunctions); got != "sem_wait" {
			t.Fatalf("%q", got)
		}
		f.within(frames[:2], mutexFunctions)
	}
	if p.reads != 1 {
		t.Errorf("%d reads of memory", p.reads)
	}
	if got := f.within(frames[:1], semFunctions); got != "" {
		t.Errorf("%q of one that nobody called", got)
	}
}
