package capture

import (
	"fmt"
	"strings"
	"time"

	"stacksnap/images"
	"stacksnap/images/generated"
	"stacksnap/images/jitdump"
	"stacksnap/images/object"
	"stacksnap/images/perfmap"
	"stacksnap/task"
)

// jitNames has the names of the code that a compiler in the target makes at run time.
type jitNames struct {
	maps   task.MapReader    // nil: the process has no names for it
	memory task.Memory       // of the process
	reader *generated.Reader // nil: no file was found so far
	path   string
	isDump bool
	noDump bool // the dump cannot be read, and is not used
	sought time.Time
	names  *generated.Names // in use
}

// seekEvery is how often to look for a file that does not exist yet.
const seekEvery = 500 * time.Millisecond

// update reads what was written since the last time. It reports whether the names have changed.
func (g *jitNames) update(l *memoryMap, note func(string)) bool {
	if g.reader == nil && !g.seek(l) {
		return false
	}
	before := g.names
	err := g.reader.Update()
	g.names = g.reader.Names()
	if err != nil {
		note(fmt.Sprintf("the names of generated code in %s are not used: %v", g.path, err))
		g.giveUpDump()
	}
	return g.names != before
}

// seek looks for a dump, which has more information, or else for a perf map.
func (g *jitNames) seek(l *memoryMap) bool {
	now := time.Now()
	if now.Sub(g.sought) < seekEvery {
		return false
	}
	g.sought = now
	if !g.noDump {
		if f, path, err := g.maps.OpenJITDump(l.dumps()); err == nil {
			g.reader, g.path, g.isDump = jitdump.NewReader(f), path, true
			g.reader.Compare(g.memory)
			return true
		}
	}
	if f, path, err := g.maps.OpenPerfMap(); err == nil {
		g.reader, g.path = perfmap.NewReader(f), path
	}
	return g.reader != nil
}

// giveUpDump makes later calls look for a perf map instead of a dump.
func (g *jitNames) giveUpDump() {
	if g.isDump {
		g.close()
		g.reader, g.isDump, g.noDump, g.sought = nil, false, true, time.Time{}
	}
}

func (g *jitNames) close() {
	if g.reader != nil {
		_ = g.reader.Close() // it was only read
	}
}

// dumps returns the files of the memory map that have the name of a jitdump.
func (l *memoryMap) dumps() (paths []string) {
	for _, path := range l.paths {
		if strings.HasSuffix(path, ".dump") && strings.Contains(path, "/jit-") {
			paths = append(paths, path)
		}
	}
	return paths
}

// renewNames updates the names of generated code. It is called before a snapshot is walked,
// because code that was named by then keeps its name.
func (f *tracker) renewNames() {
	if f.jit.maps == nil || len(f.kept) == 0 || len(f.memoryMap.jit) == 0 {
		return
	}
	if f.jit.update(&f.memoryMap, f.note) {
		last := f.kept[len(f.kept)-1]
		f.images = f.saving.place(f.withNames(last.loaded, last.memoryMap), last.memoryMap)
	}
}

// withNames returns a map with the names of the memory map's code that belongs to no image.
func (f *tracker) withNames(m *images.Map, l memoryMap) *images.Map {
	if f.jit.names == nil || len(l.jit) == 0 {
		return m
	}
	return m.WithGenerated(object.Placed{
		Path: f.jit.path, Generated: true, File: f.jit.names.File(f.process.Info().Arch, l.jit),
	})
}

// isGenerated reports whether a compiler can have made the code of a mapping: it has no file, or
// one that is only in memory.
func isGenerated(r *task.Region) bool {
	switch {
	case r.Path == "", strings.HasPrefix(r.Path, "[anon"), r.Path == "[heap]":
		return true
	}
	return strings.HasPrefix(r.Path, "/memfd:") || strings.HasPrefix(r.Path, "/dev/zero")
}
