package generated

import "stacksnap/task"

// How code is compared: around bytes on each side of the address; one in
// unlike of them may differ. Compilers patch calls and object addresses in finished code, but
// of two different functions most bytes differ.
const (
	around = 512
	unlike = 4
)

// Compare makes the reader check the code in the file, if the file has it, against
// mem. A writer that buffers reports new code late; until then the file has the code
// that was there before. Call it before the first look-up.
func (r *Reader) Compare(mem task.Memory) { r.memory = mem }

// matches reports whether the code around a still is the entry's, as far as that is
// known.
func (r *Reader) matches(e *Entry, a uint64) bool {
	if r.memory == nil || e.Code == 0 {
		return true
	}
	var written, there [2 * around]byte
	start := max(e.Start, a-min(a, around))
	size := min(e.End, a+around) - start
	n, _ := r.file.ReadAt(written[:size], e.Code+int64(start-e.Start))
	n, _ = r.memory.ReadMemory(there[:n], task.Addr(start))
	others := 0
	for i := range n {
		if written[i] != there[i] {
			others++
		}
	}
	return others*unlike <= n
}
