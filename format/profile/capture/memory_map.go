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
	files   uint64 // the same for the mappings of files only: others come and go as code is compiled
	code    []images.Range
	maps    []task.Mapping    // what each element of code shows
	paths   []string          // the path of its file
	regions []task.Region     // the regions from which code was made
	jit     []generated.Range // those of regions whose code a compiler can have made

	cache *regionCache // used if regions are not listed: all other fields except stamp and files are empty then
}

// readMemoryMap lists the executable mappings, or prepares to look them up one by one.
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

// renew reads the memory map again. A map with a cache keeps the code that it knows, as an
// unwinder does, and looks up all other addresses again.
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

// find returns the index of the mapping that contains a, −1 when there is none.
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

// shows reports whether a probed mapping is the one that the memory map has at that address. All
// mappings without a file count as equal.
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

// misses adds up differs for the probes of the threads for which of returns true.
func (l memoryMap) misses(s *task.Snapshot, of func(i int) bool) (n int) {
	for i := range s.Threads {
		if of(i) {
			n += l.differs(&s.Threads[i].Probe)
		}
	}
	return n
}

// Some earlier memory maps are kept, so that one that comes back need not be read again. For
// programs with many libraries fewer are kept, because their files are open.
const (
	keptImages = 512 // in all memory maps
	leastMaps  = 8
	mostMaps   = 32
)

// keptMap has the images of a memory map.
type keptMap struct {
	memoryMap memoryMap
	whole     bool            // each file of the memory map has its image
	loaded    *images.Map     // as it was loaded
	placed    []object.Placed // for a live Darwin process: what loaded was made of
}

// makeRoom makes room for one more map. It drops the maps that lack something, because there are
// better ones by now, and the oldest when there are too many. Nothing in them gets a name any
// more.
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

// roomFor returns how many maps to keep.
func roomFor(kept []keptMap) int {
	most := 1
	for _, k := range kept {
		most = max(most, len(k.loaded.Images))
	}
	return min(max(keptImages/most, leastMaps), mostMaps)
}

// close closes the files of a map that no other map uses.
func (k *keptMap) close() {
	if k.placed == nil {
		_ = k.loaded.Close()
	}
}
