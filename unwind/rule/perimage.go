package rule

import (
	"runtime"
	"sync"
	"weak"

	"stacksnap/images"
)

// PerImage is what a source keeps of each image: made once, by the first who
// asks, and gone when the image is. T must not refer to the image itself. The
// zero value is ready, and is used by many goroutines at once.
type PerImage[T any] struct {
	kept sync.Map // of *perImage[T], by weak.Pointer[images.Image]
}

type perImage[T any] struct {
	once sync.Once
	v    T
}

// Of returns what is kept of im, after having it made by fill the first time.
func (p *PerImage[T]) Of(im *images.Image, fill func(*T, *images.Image)) *T {
	key := weak.Make(im)
	v, ok := p.kept.Load(key)
	if !ok {
		var had bool
		if v, had = p.kept.LoadOrStore(key, new(perImage[T])); !had {
			runtime.AddCleanup(im, func(key weak.Pointer[images.Image]) { p.kept.Delete(key) }, key)
		}
	}
	kept := v.(*perImage[T])
	kept.once.Do(func() { fill(&kept.v, im) })
	return &kept.v
}
