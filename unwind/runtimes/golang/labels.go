package golang

import (
	"encoding/binary"

	"stacksnap/task"
)

// The bounds of the labels of a goroutine.
const (
	maxLabels = 16
	maxLabel  = 256 // bytes
)

// labelsAreList is the first minor version in which labels are a list; before, they were a map.
const labelsAreList = 24

// labels reads the labels that runtime/pprof has set for a goroutine: a key, its value, the next key and
// so on. It returns none where they are not readable, or where the goroutine has others by now than when it was
// copied: those that it had then may be overwritten.
func (r *Runtime) labels(m task.Memory, at task.Addr, copied words) []string {
	l := r.layout
	set := copied.addr(l.labels)
	if set == 0 || l.minor < labelsAreList || !r.Known {
		return nil
	}
	labels := r.labelsAt(m, set)
	now := make(words, l.goroutineBytes())
	if task.ReadFull(m, now, at) != nil || now.addr(l.labels) != set || now.word(l.id) != copied.word(l.id) {
		return nil
	}
	return labels
}

// labelsAt reads a set of labels (internal/runtime/pprof/label.Set): a list of pairs of strings.
func (r *Runtime) labelsAt(m task.Memory, set task.Addr) (labels []string) {
	var head [16]byte
	if task.ReadFull(m, head[:], set) != nil {
		return nil
	}
	list, n := task.Addr(binary.LittleEndian.Uint64(head[:])), binary.LittleEndian.Uint64(head[8:])
	for i := range 2 * min(n, maxLabels) {
		text, err := readString(m, list+task.Addr(16*i), maxLabel)
		if err != nil {
			return nil
		}
		labels = append(labels, text)
	}
	return labels
}
