package capture

import (
	"stacksnap/images"
	"stacksnap/images/object"
)

// Of the memory maps that were seen some are kept: one that comes again is not read
// again. Of programs with many libraries they are fewer, as their files are open.
const (
	keptImages = 512 // in all memory maps
	leastMaps  = 8
	mostMaps   = 32
)

// keptMap has the images of a memory map.
type keptMap struct {
	memoryMap memoryMap
	whole     bool            // each file of memory map has its image
	loaded    *images.Map     // as it was found
	placed    []object.Placed // what it was made of, of a live Darwin process
}

// makeRoom makes room for one more map: it drops those that lack something, of
// which there is better by now, and the oldest when there are too many. Nothing
// in them is named any more.
func (f *tracker) makeRoom() {
	room := roomFor(f.kept)
	n := len(f.kept)
	kept := f.kept[:0]
	for i, k := range f.kept {
		if k.whole && n-i < room {
			kept = append(kept, k)
		} else {
			k.close()
		}
	}
	clear(f.kept[len(kept):])
	f.kept = kept
}

// roomFor is how many maps are kept.
func roomFor(kept []keptMap) int {
	most := 1
	for _, k := range kept {
		most = max(most, len(k.loaded.Images))
	}
	return min(max(keptImages/most, leastMaps), mostMaps)
}

// close closes the files of a map that are no other's.
func (k *keptMap) close() {
	if k.placed == nil {
		_ = k.loaded.Close()
	}
}
