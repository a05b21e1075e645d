package rule

import (
	"runtime"
	"sync"
	"weak"

	"stacksnap/images"
)

// PerImage caches one T for each image. It is computed once, on first use, and
// dropped with the image. T must not refer to the image itself. The zero value is
// ready for use, by many goroutines at once.
type PerImage[T any] struct {
	mu   sync.RWMutex
	kept map[weak.Pointer[images.Image]]*perImage[T]
}

type perImage[T any] struct {
	once sync.Once
	v    T
}

// Of returns the T of im. The first call for an image calls fill to compute it.
func (p *PerImage[T]) Of(im *images.Image, fill func(*T, *images.Image)) *T {
	kept := p.find(weak.Make(im), im)
	kept.once.Do(func() { fill(&kept.v, im) })
	return &kept.v
}

func (p *PerImage[T]) find(key weak.Pointer[images.Image], im *images.Image) *perImage[T] {
	p.mu.RLock()
	kept := p.kept[key]
	p.mu.RUnlock()
	if kept != nil {
		return kept
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if kept := p.kept[key]; kept != nil {
		return kept
	}
	if p.kept == nil {
		p.kept = map[weak.Pointer[images.Image]]*perImage[T]{}
	}
	kept = new(perImage[T])
	p.kept[key] = kept
	runtime.AddCleanup(im, p.forget, key)
	return kept
}

func (p *PerImage[T]) forget(key weak.Pointer[images.Image]) {
	p.mu.Lock()
	delete(p.kept, key)
	p.mu.Unlock()
}
