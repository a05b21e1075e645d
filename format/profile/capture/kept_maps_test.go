package capture

import (
	"testing"

	"stacksnap/images"
)

// TestKeptMaps: the newest are kept, and those that lack something are not; of
// programs with many libraries fewer are.
func TestKeptMaps(t *testing.T) {
	for _, tt := range []struct{ images, maps, lacking, left int }{
		{images: 1, maps: 31, left: 31},
		{images: 1, maps: 32, left: 31},
		{images: 16, maps: 100, left: 31},
		{images: 32, maps: 100, left: 15},
		{images: 1000, maps: 7, left: 7},
		{images: 1000, maps: 8, left: 7},
		{images: 8, maps: 10, lacking: 3, left: 7},
	} {
		f := &tracker{}
		for i := range tt.maps {
			m := &images.Map{Images: make([]*images.Image, tt.images)}
			for i := range m.Images {
				m.Images[i] = &images.Image{}
			}
			f.kept = append(f.kept, keptMap{loaded: m, whole: i >= tt.lacking, memoryMap: memoryMap{stamp: uint64(i)}})
		}
		f.makeRoom()
		if len(f.kept) != tt.left {
			t.Errorf("%+v: %d are left", tt, len(f.kept))
		}
		for i, k := range f.kept {
			if !k.whole || k.memoryMap.stamp != uint64(tt.maps-tt.left+i) {
				t.Errorf("%+v: the one from %d is left", tt, k.memoryMap.stamp)
			}
		}
	}
}
