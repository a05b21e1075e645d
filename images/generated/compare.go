package generated

import "stacksnap/task"

// What is compared of code: bytes about the address that is asked for, of which one in
// unlike may be another. Compilers change calls and the addresses of objects in code that
// they have made; of two functions most bytes differ.
const (
	around = 512
	unlike = 4
)

// Compare has code that is asked for compared with memory, where the file has its bytes:
// a writer with a buffer tells of new code late, and until then the file has what was
// there before. It is called before anything is asked.
func (r *Reader) Compare(mem task.Memory) { r.memory = mem }

// stands reports whether the code about a is that of the entry, as far as that is known.
func (r *Reader) stands(e *Entry, a uint64) bool {
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
