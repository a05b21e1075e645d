package files

import (
	"path"

	"stacksnap/task/mounts"
)

// question is a mount to check before another is touched.
type question struct {
	mount mounts.Mount
	point string // where a layer's mount is, as seen by this program; "": not a layer's
}

// maxNested is the maximum depth of overlays on overlays. The kernel allows two
// (FILESYSTEM_MAX_STACK_DEPTH).
const maxNested = 4

// questions returns the mounts to check before m is touched.
func (r *Root) questions(m mounts.Mount) []question {
	if kept, ok := r.asked.Load(m.ID); ok {
		return kept.([]question)
	}
	all := r.layered(m, maxNested)
	r.asked.Store(m.ID, all)
	return all
}

// layered returns m if it is remote, and for an overlay the mounts of its layers.
// Layers have paths as seen by whoever mounted them, so they are looked up below this
// root and our own.
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

// below returns the mounts to check for a layer of an overlay, by a table.
func (r *Root) below(t mounts.Table, root, layer string, overlay mounts.Mount, depth int) (all []question) {
	for m := range t.Way(layer) {
		if m.Device == overlay.Device {
			continue // it leads to the overlay itself, so it belongs to another table
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
