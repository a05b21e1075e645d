package images

import (
	"testing"

	"stacksnap/images/dyld"
)

func TestSharedCacheOfAMap(t *testing.T) {
	if m := NewDarwinMap(dyld.Loaded{}); m.Cache != nil {
		t.Errorf("%+v of a process without one", m.Cache)
	}
	l := dyld.Loaded{Infos: dyld.Infos{Cache: dyld.SharedCache{UUID: [16]byte{7}, Base: 0x18c0a4000, Slide: 0xc0a4000}}}
	if m := NewDarwinMap(l); m.Cache == nil || *m.Cache != (SharedCache{[16]byte{7}, 0x18c0a4000, 0xc0a4000}) {
		t.Errorf("%+v", m.Cache)
	}
}
