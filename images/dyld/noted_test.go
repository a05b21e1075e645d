package dyld

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"stacksnap/images/internal/machotest"
	"stacksnap/images/macho"
	"stacksnap/task"
)

// saved is a process that lists images of its own.
type saved struct {
	*target
	images []task.SavedImage
}

func (s saved) Info() task.Info {
	info := s.target.Info()
	info.SavedImages = s.images
	return info
}

// TestNotedUnreadHeader: dyld's list names an image whose header was not saved,
// and whose path cannot be read either.
func TestNotedUnreadHeader(t *testing.T) {
	x := usual(t, 8)
	x.list(libAt, 0x1, 0x66_0000, 0x1, mainAt, x.path("/bin/main"))
	s := saved{x, []task.SavedImage{
		{Path: "/bin/main", Load: mainAt},
		{Path: "/usr/lib/libgone.dylib", ID: []byte("0123456789abcdef"), Load: 0x66_0000, Slide: 0x60_0000, HasSlide: true},
		{Path: "/usr/lib/libnext.dylib", Segments: []task.SavedSegment{{Name: "__DATA", Addr: 0x90_0000}, {Name: textSegment, Addr: 0x67_0000}}},
		{Path: "/usr/lib/libnowhere.dylib"},
		{Path: "/usr/lib/libtwice.dylib", Load: 0x66_0000},
	}}
	l, errs := (&Loader{}).Load(s)
	check(t, l, "0x300000 ", "0x660000 /usr/lib/libgone.dylib", lineMain, lineDyld, "0x670000 /usr/lib/libnext.dylib")
	if len(errs) != 2 || !strings.Contains(errs[1].Error(), "2 images (/usr/lib/libgone.dylib, …)") {
		t.Error(errs)
	}
	gone := l.Images[1]
	if seg := gone.File.Segments(); len(seg) != 1 || seg[0].VMAddr != 0x6_0000 || seg[0].Size != 0x1_0000 ||
		gone.Slide != 0x60_0000 || string(gone.File.ID()) != "0123456789abcdef" || gone.Note == "" || gone.Err != nil {
		t.Errorf("%+v, %+v", gone, seg)
	}
}

// TestNotedAlone: there is no list, and of hundreds of images there are notes
// alone. One line says so; the last has no bounds, as nothing tells its end.
func TestNotedAlone(t *testing.T) {
	x := newTarget(t, 8)
	x.I.LoaderInfo = 0
	s := saved{target: x}
	for i := range 300 {
		s.images = append(s.images, task.SavedImage{Path: fmt.Sprintf("/image%d", i), Load: 0x1000_0000 + task.Addr(i)<<20})
	}
	l, errs := (&Loader{}).Load(s)
	if len(l.Images) != 300 || len(errs) != 1 || strings.Contains(errs[0].Error(), "\n") {
		t.Fatalf("%d images, %v", len(l.Images), errs)
	}
	for i, im := range l.Images {
		if n := len(im.File.Segments()); im.Main != (i == 0) || n != min(1, 299-i) {
			t.Errorf("%s: main %v, %d segments", im.Path, im.Main, n)
		}
	}
}

// TestNotedSlide: a note that tells the slide alone is of use with the file.
func TestNotedSlide(t *testing.T) {
	id := []byte("0123456789abcdef")
	x := newTarget(t, 8)
	x.I.LoaderInfo = 0
	file := &machotest.Image{Is64: true, CPU: 0x01000007, Type: 2, Base: mainBase, UUID: id}
	s := saved{x, []task.SavedImage{{Path: "/bin/main", ID: id, Slide: 0x10_0000, HasSlide: true}}}
	if l, errs := (&Loader{}).Load(s); len(l.Images) != 0 || len(errs) != 1 || !errors.Is(errs[0], errNoList) {
		t.Errorf("%+v, %v", l.Images, errs)
	}
	open := func(_ string, want macho.Want) (*macho.File, error) {
		if !bytes.Equal(want.ID, id) {
			return nil, fs.ErrNotExist
		}
		b := file.Encode()
		return macho.NewFile(bytes.NewReader(b), int64(len(b)), want)
	}
	x.I.Arch = task.AMD64
	l, _ := (&Loader{Open: open}).Load(s)
	check(t, l, "0x104000 /bin/main main")
}

func FuzzNoted(f *testing.F) {
	f.Add(uint64(0x1000), uint64(0x2000), uint64(0x1800), uint64(1), true)
	f.Add(uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), false)
	f.Fuzz(func(t *testing.T, a, b, c, slide uint64, has bool) {
		p := saved{newTarget(t, 8), []task.SavedImage{
			{Load: task.Addr(a), Slide: slide, HasSlide: has},
			{Load: task.Addr(b), Segments: []task.SavedSegment{{Name: textSegment, Addr: task.Addr(c)}}},
		}}
		p.I.LoaderInfo = 0
		l, errs := (&Loader{}).Load(p)
		for _, im := range l.Images {
			for _, s := range im.File.Segments() {
				if s.Size == 0 || s.Size > maxNotedText {
					t.Errorf("%+v", s)
				}
			}
		}
		if len(l.Images) > 0 && len(errs) == 0 || errors.Join(errs...) == nil && len(l.Images) > 0 {
			t.Error("nothing was said of images that are notes alone")
		}
	})
}
