package task

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Chain is a linked list in the target's memory that is copied while a thread is stopped:
// the frames that an interpreter keeps on the heap.
type Chain struct {
	Runtime int  // whose it is, as the caller numbers them
	At      Addr // of the first object
	Size    int  // bytes copied of the first object
	// Links lead from each object to the next: the first from the first object, and so on.
	// The last link repeats.
	Links []Link
}

// Link leads to the next object of a [Chain]: its address is the pointer at Offset of the object
// before it, and Size bytes of it are copied.
type Link struct{ Offset, Size int }

// Object is a piece of the target's heap that was copied.
type Object struct {
	At    Addr
	Bytes []byte
}

// CopiedChain is what was copied of a [Chain].
type CopiedChain struct {
	Runtime int
	Objects []Object
	// Cut: it goes on beyond the last object, which could not be read or for which there was no
	// room.
	Cut bool
}

// ManagedFrame is an activation of a function of an interpreter's language. Without a function,
// it is a native frame of the interpreter that runs none.
type ManagedFrame struct {
	Runtime  string // with its version: "CPython 3.12.1"
	Function string // qualified as the language's users write it
	File     string // as the runtime gives it; empty: not known
	Line     int    // 0: not known
	// Entry: native code called the interpreter to run this function. The frames before it, up
	// to another entry, were called without a native frame of their own.
	Entry bool
	// Shim is an address in the native frame that runs an entry, and the frames before it; 0:
	// not known.
	Shim Addr
}

// The bounds of what is copied of chains in one stop.
const (
	maxChains       = 4       // of one thread
	maxChainObjects = 4096    // of one chain
	maxObjectSize   = 1 << 10 // bytes
	allObjects      = 1 << 15 // of all threads
	fewObjects      = 1 << 12 // room for them where there are few chains
	objectRoom      = 128     // bytes expected of each
	maxChainReads   = 1 << 13 // of memory, for all of them: each takes about 1 µs
)

// Pointer returns the little-endian pointer of 8 bytes at an offset, 0 where the copy does
// not have it.
func (o *Object) Pointer(offset int) Addr {
	if offset < 0 || offset+8 > len(o.Bytes) {
		return 0
	}
	return Addr(binary.LittleEndian.Uint64(o.Bytes[offset:]))
}

// chainRoom is where chains are copied to. Nothing is allocated while it has room.
type chainRoom struct {
	objects []Object
	bytes   []byte
	chains  []CopiedChain
	block   []byte // read last: from an address up to the end of an object
	from    Addr
	reads   int
}

// reserve makes room for n chains.
func (r *chainRoom) reserve(n int) {
	r.clear()
	if n == 0 {
		return
	}
	objects := min(max(64*n, fewObjects), allObjects)
	r.objects = slices.Grow(r.objects, objects)
	r.bytes = slices.Grow(r.bytes, objects*objectRoom)
	r.chains = slices.Grow(r.chains, n)
	if r.block == nil {
		r.block = make([]byte, 0, pageSize+maxObjectSize)
	}
}

// copyAll copies chains while their thread is stopped: it allocates nothing. Those for which
// there is no room are left out.
func (r *chainRoom) copyAll(m Memory, chains []Chain) []CopiedChain {
	from := len(r.chains)
	for i := range chains {
		if len(r.chains) == cap(r.chains) || i == maxChains {
			break
		}
		r.block = r.block[:0]
		r.chains = append(r.chains, r.copy(m, &chains[i]))
	}
	return r.chains[from:len(r.chains):len(r.chains)]
}

func (r *chainRoom) copy(m Memory, c *Chain) CopiedChain {
	out, from := CopiedChain{Runtime: c.Runtime}, len(r.objects)
	at, size := c.At, c.Size
	for i := 0; at != 0; i++ {
		if i == maxChainObjects || !r.copyObject(m, at, size) {
			out.Cut = true
			break
		}
		if len(c.Links) == 0 {
			break
		}
		next := c.Links[min(i, len(c.Links)-1)]
		at, size = r.objects[len(r.objects)-1].Pointer(next.Offset), next.Size
	}
	out.Objects = r.objects[from:len(r.objects):len(r.objects)]
	return out
}

// copyObject reports false if an object cannot be read, or if there is no room for it.
func (r *chainRoom) copyObject(m Memory, at Addr, size int) bool {
	if size <= 0 || size > maxObjectSize || at+Addr(size) < at ||
		len(r.objects) == cap(r.objects) || len(r.bytes)+size > cap(r.bytes) || !r.read(m, at, size) {
		return false
	}
	begin := len(r.bytes)
	r.bytes = append(r.bytes, r.block[at-r.from:][:size]...)
	r.objects = append(r.objects, Object{at, r.bytes[begin:len(r.bytes):len(r.bytes)]})
	return true
}

// read has an object in the block. It reads from the start of the object's page on, because a
// chain usually leads downwards through memory.
func (r *chainRoom) read(m Memory, at Addr, size int) bool {
	if at >= r.from && uint64(at-r.from)+uint64(size) <= uint64(len(r.block)) {
		return true
	}
	if r.reads++; r.reads > maxChainReads {
		return false
	}
	r.from = at &^ (pageSize - 1)
	r.block = r.block[:int(at-r.from)+size]
	if n, _ := m.ReadMemory(r.block, r.from); n < len(r.block) {
		r.block = r.block[:n]
		return false
	}
	return true
}

// holds reports whether the first two objects of each chain are still as they were copied.
func (r *chainRoom) holds(m Memory, chains []CopiedChain) bool {
	for i := range chains {
		for _, o := range chains[i].Objects[:min(2, len(chains[i].Objects))] {
			again := r.block[:len(o.Bytes)]
			if n, _ := m.ReadMemory(again, o.At); n < len(again) || !bytes.Equal(again, o.Bytes) {
				return false
			}
		}
	}
	return true
}

// clear forgets what was copied.
func (r *chainRoom) clear() {
	r.objects, r.bytes, r.chains, r.reads = r.objects[:0], r.bytes[:0], r.chains[:0], 0
}

// keep makes chains that of the room, which has copies of them.
func (r *chainRoom) keep(chains []CopiedChain) []CopiedChain {
	objects, size := 0, 0
	for i := range chains {
		objects += len(chains[i].Objects)
		for _, o := range chains[i].Objects {
			size += len(o.Bytes)
		}
	}
	r.objects = slices.Grow(r.objects[:0], objects)
	r.bytes = slices.Grow(r.bytes[:0], size)
	r.chains = slices.Grow(r.chains[:0], len(chains))
	for _, c := range chains {
		from := len(r.objects)
		for _, o := range c.Objects {
			begin := len(r.bytes)
			r.bytes = append(r.bytes, o.Bytes...)
			r.objects = append(r.objects, Object{o.At, r.bytes[begin:len(r.bytes):len(r.bytes)]})
		}
		c.Objects = r.objects[from:len(r.objects):len(r.objects)]
		r.chains = append(r.chains, c)
	}
	return r.chains
}

// sameChains reports whether two copies of a thread's chains are equal.
func sameChains(a, b []CopiedChain) bool {
	return slices.EqualFunc(a, b, func(a, b CopiedChain) bool {
		return a.Runtime == b.Runtime && a.Cut == b.Cut && slices.EqualFunc(a.Objects, b.Objects, func(a, b Object) bool {
			return a.At == b.At && bytes.Equal(a.Bytes, b.Bytes)
		})
	})
}
