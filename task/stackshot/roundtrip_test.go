package stackshot_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"stacksnap/task"
	"stacksnap/task/needs"
	"stacksnap/task/stackshot"
	"stacksnap/task/stackshot/kcdata"
	"stacksnap/task/stackshot/stackshottest"
)

// filled is a stackshot in which every field is set, each number to another one from
// first on.
func filled(first uint64) *stackshot.Shot {
	return filledBy(filler{next: first, each: 2})
}

func filledBy(f filler) *stackshot.Shot {
	s := &stackshot.Shot{}
	f.fill(reflect.ValueOf(s).Elem())
	s.Unknown, s.Bad, s.Cut = 0, 0, nil
	for _, t := range slices.Concat(s.Tasks, s.Ending) {
		for k := range t.Threads {
			clearSP(t.Threads[k].Async)
			t.Threads[k].Still = false // which is known once a delta was put onto another
		}
	}
	return s
}

// clearSP takes away what that sort of frames does not have.
func clearSP(frames []stackshot.Frame) {
	for i := range frames {
		frames[i].SP = 0
	}
}

// filler makes lists of so many elements.
type filler struct {
	next uint64
	each int
}

func (f *filler) fill(v reflect.Value) {
	f.next++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.fill(v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), f.each, f.each))
		for i := range f.each {
			f.fill(v.Index(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.String:
		v.SetString(strings.Repeat("n", int(f.next%20)+1))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(f.next & (1<<v.Type().Bits() - 1))
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(-int64(f.next % 100))
	}
}

// TestEveryFieldIsReadAsWritten has addresses of both widths.
func TestEveryFieldIsReadAsWritten(t *testing.T) {
	for _, first := range []uint64{0, 1 << 40} {
		want := filled(first)
		if first > 0 {
			small32(want)
		}
		got, err := stackshot.Read(bytes.NewReader(stackshottest.Bytes(want)))
		if err != nil || len(got) != 1 {
			t.Fatal(got, err)
		}
		if !reflect.DeepEqual(got[0], want) {
			t.Errorf("from %d: read\n%+v, wrote\n%+v", first, got[0], want)
		}
	}
}

// small32 makes those numbers small that have 32 bits in a file.
func small32(s *stackshot.Shot) {
	for _, n := range []*uint64{s.PageSize, s.JetsamLevel, s.PolicyVersion} {
		*n = 1<<32 - 5
	}
	for _, list := range [][]stackshot.Task{s.Tasks, s.Ending} {
		for i := range list {
			*list[i].CacheID = 6
			for k := range list[i].Threads {
				*list[i].Threads[k].AsyncStart = 7
			}
		}
	}
}

// TestSamplesReadAgain reads what was written of the samples.
func TestSamplesReadAgain(t *testing.T) {
	found, _ := filepath.Glob("../../../../shared/stackshots/*stackshot*")
	if len(found) == 0 {
		found, _ = filepath.Glob("/work/shared/stackshots/*stackshot*")
	}
	tested := 0
	for _, name := range found {
		shots, err := stackshot.Open(name)
		if errors.Is(err, stackshot.ErrNotStackshot) {
			continue // its property list
		}
		if err != nil {
			t.Fatal(err)
		}
		tested++
		again, err := stackshot.Read(bytes.NewReader(stackshottest.Bytes(shots...)))
		for _, s := range shots {
			s.Unknown = 0
		}
		if err != nil || !reflect.DeepEqual(shots, again) {
			t.Errorf("%s: not the same again, %v", name, err)
		}
		if !stackshot.Is(name) {
			t.Errorf("%s is none by its begin", name)
		}
	}
	if tested == 0 {
		needs.Skip(t, "../shared/stackshots", "no samples")
	}
}

// use asks for all that there is of stackshots.
func use(shots []*stackshot.Shot) (threads int) {
	var places []stackshot.Place
	for s := range stackshot.Whole(shots) {
		s.Time()
		for _, p := range s.Processes() {
			p.Info()
			images := p.Images()
			for _, list := range images {
				for _, im := range list.Images {
					load := im.Load + task.Addr(list.Slide)
					if at, ok := images.At(load); ok && (at.Load != load || at.End <= at.Load) {
						panic("an image is not where it is")
					}
				}
			}
			p.Cache()
			p.Waits()
			ids, _ := p.Threads()
			for _, id := range ids {
				var th task.Thread
				_ = p.Describe(id, &th)
				places, _ = p.Stack(places[:0], id)
				p.Main(id)
				p.Async(id)
				threads++
			}
		}
	}
	return threads
}

// TestCutAndFlipped reads what is left of a file that ends at each byte, and in which
// bits of each byte are others.
func TestCutAndFlipped(t *testing.T) {
	whole := stackshottest.Bytes(filledBy(filler{0, 1}), &stackshot.Shot{Delta: true})
	t.Logf("%d bytes", len(whole))
	shots, err := stackshot.Read(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	all := use(shots)
	for i := range whole {
		shots, err := stackshot.Read(bytes.NewReader(whole[:i]))
		switch {
		case err == nil && shots[len(shots)-1].Cut == nil && len(shots) == 2:
			t.Fatalf("cut at %d: nothing tells so", i)
		case err == nil && use(shots) > all:
			t.Fatalf("cut at %d: %d threads", i, use(shots))
		}
	}
	for i := range whole {
		for _, mask := range []byte{1, 0x80, 0xff} {
			whole[i] ^= mask
			if shots, err := stackshot.Read(bytes.NewReader(whole)); err == nil {
				use(shots)
			}
			whole[i] ^= mask
		}
	}
}

func TestBadItemsAreCounted(t *testing.T) {
	var w kcdata.Writer
	w.Begin(kcdata.Stackshot)
	w.Item(0x32, []byte{1})            // a timebase of a byte
	w.Item(0x910, []byte{1})           // a page size of a byte
	w.Item(0x912, []byte{1, 2, 3})     // a time of three
	w.Array(0x927, 3, make([]byte, 3)) // load infos of a byte
	w.Array(0x918, 2, make([]byte, 4)) // unique pids of two bytes
	w.Item(0x7777, nil)                // unknown
	w.Array(0x7777, 1, nil)
	w.Open(0x7778, 1)
	w.Number(0x33, 5) // of an unknown container
	w.Open(0x7779, 2)
	w.Close(2)
	w.Close(1)
	w.Open(0x903, 3)
	w.Open(0x7778, 4)
	w.Close(4)
	w.Open(0x904, 5)
	w.Open(0x904, 6) // a thread in a thread
	w.Close(6)
	w.Array(0x90b, 1, make([]byte, 12))
	w.Close(99) // of another id
	w.Close(3)
	w.Close(0) // of none
	w.Raw(kcdata.Item{Type: kcdata.ContainerBegin})
	w.Close(0)
	w.End()
	shots, err := stackshot.Read(bytes.NewReader(w.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	s := shots[0]
	if s.Bad != 9 || s.Unknown != 5 || s.AbsoluteTime != nil || len(s.Tasks) != 1 || len(s.Tasks[0].Threads) != 1 || s.Cut != nil {
		t.Errorf("%d bad, %d unknown: %+v", s.Bad, s.Unknown, s)
	}
}

func TestOtherFiles(t *testing.T) {
	var other kcdata.Writer
	other.Begin(kcdata.ExitReason)
	other.End()
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"text": {[]byte("a text that is long enough to be read"), stackshot.ErrNotStackshot}, "nothing": {nil, stackshot.ErrNotStackshot},
		"exit reason": {other.Bytes(), stackshot.ErrNotStackshot},
	} {
		if _, err := stackshot.Read(bytes.NewReader(c.data)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		if stackshot.Is(path) != (name == "exit reason") {
			t.Errorf("%s is one by its begin: %v", name, stackshot.Is(path))
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(stackshottest.Bytes(filled(0)))
	f.Add(stackshottest.Bytes(filled(1<<40), &stackshot.Shot{Delta: true}))
	var w kcdata.Writer
	w.Begin(kcdata.CrashInfo)
	w.Begin(kcdata.CrashInfo)
	w.End()
	f.Add(w.Bytes())
	f.Add(crashOf(func(w *kcdata.Writer) { w.Item(kcdata.Nested, stackshottest.Bytes(filled(0))) }))
	f.Fuzz(func(t *testing.T, data []byte) {
		if shots, err := stackshot.Read(bytes.NewReader(data)); err == nil {
			use(shots)
			again, err := stackshot.Read(bytes.NewReader(stackshottest.Bytes(shots...)))
			if err != nil || len(again) != len(shots) {
				t.Errorf("%d stackshots written, %d read: %v", len(shots), len(again), err)
			}
		}
	})
}
