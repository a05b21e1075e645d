package capture

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"io"
	"iter"
	"slices"

	"stacksnap/images"
	"stacksnap/images/generated"
	"stacksnap/images/object"
	"stacksnap/task"
)

// memoryMap is where a process has executable memory.
type memoryMap struct {
	stamp   uint64 // equal for equal memory maps; 0 when it could not be read
	files   uint64 // the same of those that show a file: others come and go as code is compiled
	code    []images.Range
	maps    []task.Mapping    // what each of code shows
	paths   []string          // and the path of that file
	regions []task.Region     // which code is made of
	jit     []generated.Range // of these, those that a compiler can have made

	cache *regionCache // where regions are not listed: then all but stamp and files is empty
}

// readMemoryMap lists the executable mappings, or is ready to be asked about them.
func readMemoryMap(p task.Process) memoryMap {
	if l := p.Capabilities().Loader; l != nil {
		return askedMemoryMap(l)
	}
	var l memoryMap
	h, files := fnv.New64a(), fnv.New64a()
	for r, err := range p.Regions() {
		if err != nil {
			continue
		}
		if r.Prot&task.Execute == 0 {
			continue
		}
		l.code = append(l.code, images.Range{Start: r.Start, End: r.End, Prot: r.Prot})
		l.maps, l.paths = append(l.maps, r.Mapping()), append(l.paths, r.Path)
		l.regions = append(l.regions, r)
		if isGenerated(&r) {
			l.jit = append(l.jit, generated.Range{Start: r.Start, End: r.End})
		}
		to := io.Writer(h)
		if r.Inode != 0 {
			to = io.MultiWriter(h, files)
		}
		_ = binary.Write(to, binary.LittleEndian, []uint64{uint64(r.Start), uint64(r.End), r.Offset, r.Dev, r.Inode})
		_, _ = io.WriteString(to, r.Path)
	}
	if len(l.code) > 0 {
		l.stamp, l.files = max(1, h.Sum64()), max(1, files.Sum64())
	}
	return l
}

// renew reads the memory map again. One with a cache keeps the code that it knows, as an unwinder
// does, and asks anew about all other addresses.
func (l memoryMap) renew(p task.Process) memoryMap {
	if l.cache == nil {
		return readMemoryMap(p)
	}
	again := askedMemoryMap(l.cache.loader)
	again.cache.spans, again.cache.codes = l.cache.onlyCode(), l.cache.codes
	return again
}

// all lists the regions that are known, as [task.Process].Regions does.
func (l memoryMap) all() iter.Seq2[task.Region, error] {
	regions := l.regions
	if l.cache != nil {
		regions = l.cache.code()
	}
	return func(yield func(task.Region, error) bool) {
		for _, r := range regions {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// executable reports whether code may be at a.
func (l memoryMap) executable(a task.Addr) bool {
	if l.cache != nil {
		return l.cache.executable(a)
	}
	return l.find(a) >= 0
}

// find returns the index of the mapping that a is in, −1 when it is in none.
func (l memoryMap) find(a task.Addr) int {
	i, found := slices.BinarySearchFunc(l.code, a, func(r images.Range, a task.Addr) int {
		return cmp.Compare(r.Start, a)
	})
	if !found {
		i--
	}
	if i < 0 || a >= l.code[i].End {
		return -1
	}
	return i
}

// starts reports whether a mapping of the memory map begins at a.
func (l memoryMap) starts(a task.Addr) bool {
	i := l.find(a)
	return i >= 0 && l.code[i].Start == a
}

// has reports whether the memory map has a mapping at a.
func (l memoryMap) has(a task.Addr, m task.Mapping) bool {
	i := l.find(a)
	return i >= 0 && l.maps[i] == m
}

// shows reports whether what was probed at an address is what the memory map has there.
// Mappings of no file are all alike.
func (l memoryMap) shows(s *task.ProbedMapping) bool {
	i := l.find(s.At)
	if i < 0 || s.End == 0 {
		return i < 0 && s.End == 0
	}
	return l.maps[i] == s.Mapping || l.maps[i].Inode == 0 && s.Inode == 0
}

// differs counts the mappings of a probe that the memory map does not have.
func (l memoryMap) differs(s *task.StopProbe) (n int) {
	for i := range s.Mapped {
		if !l.shows(&s.Mapped[i]) {
			n++
		}
	}
	return n
}

// misses is differs of all probes of some threads of a snapshot.
func (l memoryMap) misses(s *task.Snapshot, of func(i int) bool) (n int) {
	for i := range s.Threads {
		if of(i) {
			n += l.differs(&s.Threads[i].Probe)
		}
	}
	return n
}

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
