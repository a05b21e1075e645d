package files

import (
	"path"

	"stacksnap/task/mounts"
)

// question is a mount that is to be asked before something is touched.
type question struct {
	mount mounts.Mount
	point string // where a layer's is, as this program sees it; empty: of no layer
}

// maxNested bounds overlays with layers on overlays. The kernel allows two
// (FILESYSTEM_MAX_STACK_DEPTH).
const maxNested = 4

// questions are what is asked before a mount is touched.
func (r *Root) questions(m mounts.Mount) []question {
	if kept, ok := r.asked.Load(m.ID); ok {
		return kept.([]question)
	}
	all := r.layered(m, maxNested)
	r.asked.Store(m.ID, all)
	return all
}

// layered asks a mount that is remote, and of an overlay those that its layers lie on. They
// are named as who mounted it saw them: they are looked up below this root and below our own.
func (r *Root) layered(m mounts.Mount, depth int) (all []question) {
	if m.IsRemote() {
		return []question{{mount: m}}
	}
	if depth == 0 {
		return nil
	}
	for _, layer := range m.Layers() {
		if !path.IsAbs(layer) {
			all = append(all, question{mount: m})
			continue
		}
		all = append(all, r.below(r.table, r.path, layer, m, depth-1)...)
		all = append(all, r.below(r.ours, "/", layer, m, depth-1)...)
	}
	return all
}

// below asks the mounts that a layer of an overlay lies on in a table.
func (r *Root) below(t mounts.Table, root, layer string, overlay mounts.Mount, depth int) (all []question) {
	for m := range t.Way(layer) {
		if m.Device == overlay.Device {
			continue // it leads to the overlay itself: it is of another table
		}
		for _, q := range r.layered(m, depth) {
			if q.point == "" {
				q.point = path.Join(root, q.mount.Point)
			}
			all = append(all, q)
		}
	}
	return all
}
