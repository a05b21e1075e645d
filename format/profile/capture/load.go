package capture

import (
	"strings"

	"stacksnap/images"
	"stacksnap/images/elf"
	"stacksnap/task"
)

// load loads the images of a memory map, or of a later one if they turn out to be from another
// moment.
func (f *tracker) load(l memoryMap) {
	var m *images.Map
	var whole bool
	for try := range f.tries {
		if try > 0 {
			_ = m.Close()
		}
		var errs []error
		m, errs = f.find(f.process)
		f.noteErrors(errs)
		if whole = l.agree(m, false); whole {
			break
		}
		before := l
		l = readMemoryMap(f.process)
		f.latest = l
		if whole = l.stamp == before.stamp && l.agree(m, true); whole {
			break
		}
		if l.stamp != before.stamp && f.useKept(l) {
			_ = m.Close()
			return
		}
	}
	l.distrust(m)
	f.makeRoom()
	f.kept = append(f.kept, keptMap{memoryMap: l, whole: whole, loaded: m})
	f.use(len(f.kept)-1, false)
}

// noteErrors adds notes on what could not be read of images. If the target has ended meanwhile,
// or has become another program, it adds none.
func (f *tracker) noteErrors(errs []error) {
	if len(errs) == 0 {
		return
	}
	if _, err := f.process.Threads(); isExit(err) {
		return
	}
	for _, err := range errs {
		f.note(err.Error())
	}
}

// agree reports whether each mapping of a file has its image. With gaps, a mapping may also have
// none, because the files of other loaders' code are no images (.NET's assemblies, Wine's
// libraries). A library without an image was unmapped at the moment when the images were found.
func (l memoryMap) agree(m *images.Map, gaps bool) bool {
	for i, path := range l.paths {
		if l.maps[i].Inode == 0 {
			continue
		}
		im, found := m.Find(l.code[i].Start)
		if !found && gaps && !elf.IsFile(path) {
			continue
		}
		if !found || im.Path != path || l.isMixed(i, im) {
			return false
		}
	}
	return true
}

// isMixed reports whether the image of a mapping was made from memory that showed something else
// by then: it differs from the file at its path, although that was not replaced since.
func (l memoryMap) isMixed(i int, im *images.Image) bool {
	return strings.HasPrefix(im.Note, elf.NoteReplaced) && !l.regions[i].PathDeleted
}

// distrust makes every frame be left out that is in a mapping to which another file's image was
// loaded.
func (l memoryMap) distrust(m *images.Map) {
	for i, path := range l.paths {
		if im, found := m.Find(l.code[i].Start); found && (im.Path != path || l.isMixed(i, im)) {
			l.maps[i] = task.Mapping{Inode: unknownFile}
		}
	}
}
