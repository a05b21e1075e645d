package capture

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"iter"
	"slices"

	"stacksnap/images"
	"stacksnap/images/generated"
	"stacksnap/task"
)

// layout is where a process has executable memory.
type layout struct {
	stamp   uint64 // equal for equal layouts; 0 when it could not be read
	files   uint64 // the same of those that show a file: others come and go as code is compiled
	code    []images.Range
	maps    []task.Mapping    // what each of code shows
	paths   []string          // and the path of that file
	regions []task.Region     // which code is made of
	jit     []generated.Range // of these, those that a compiler can have made

	cache *regionCache // where not all is listed: then the rest but stamp and files is empty
}

// readLayout lists the executable mappings, or is ready to be asked about them.
func readLayout(p task.Process) layout {
	if l := p.Capabilities().Loader; l != nil {
		return locatedLayout(l)
	}
	var l layout
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

// renew reads the layout again. One that is asked keeps what code it knows of, as
// an unwinder does, and is asked anew about all other places.
func (l layout) renew(p task.Process) layout {
	if l.cache == nil {
		return readLayout(p)
	}
	again := locatedLayout(l.cache.loader)
	again.cache.spans, again.cache.codes = l.cache.onlyCode(), l.cache.codes
	return again
}

// all lists the regions as a process does, those that are known.
func (l layout) all() iter.Seq2[task.Region, error] {
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
func (l layout) executable(a task.Addr) bool {
	if l.cache != nil {
		return l.cache.executable(a)
	}
	return l.find(a) >= 0
}

// find returns the index of the mapping that a is in, −1 when it is in none.
func (l layout) find(a task.Addr) int {
	i, found := slices.BinarySearchFunc(l.code, a, func(r images.Range, a task.Addr) int {
		switch {
		case r.Start < a:
			return -1
		case r.Start > a:
			return 1
		}
		return 0
	})
	if !found {
		i--
	}
	if i < 0 || a >= l.code[i].End {
		return -1
	}
	return i
}

// starts reports whether a mapping of the layout begins at a.
func (l layout) starts(a task.Addr) bool {
	i := l.find(a)
	return i >= 0 && l.code[i].Start == a
}

// has reports whether the layout has a mapping at a.
func (l layout) has(a task.Addr, m task.Mapping) bool {
	i := l.find(a)
	return i >= 0 && l.maps[i] == m
}

// shows reports whether what was seen at an address is what the layout has there.
// One mapping of no file is as good as another.
func (l layout) shows(s *task.Seen) bool {
	i := l.find(s.At)
	if i < 0 || s.End == 0 {
		return i < 0 && s.End == 0
	}
	return l.maps[i] == s.Mapping || l.maps[i].Inode == 0 && s.Inode == 0
}

// differs counts what of a sight the layout does not show.
func (l layout) differs(s *task.Sight) (n int) {
	for i := range s.Mapped {
		if !l.shows(&s.Mapped[i]) {
			n++
		}
	}
	return n
}

// misses counts the same of some threads of a snapshot.
func (l layout) misses(s *task.Snapshot, of func(i int) bool) (n int) {
	for i := range s.Threads {
		if of(i) {
			n += l.differs(&s.Threads[i].Sight)
		}
	}
	return n
}
