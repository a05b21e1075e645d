package task

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Chain is a linked list in the target's memory that is copied while a thread is stopped, such
// as the frames that an interpreter keeps on the heap.
type Chain struct {
	Runtime int  // the runtime that owns it, as the caller numbers them
	Beside  bool // it has no frames
	At      Addr // of the first object
	Size    int  // bytes copied of the first object
	// Links lead from each object to the next: Links[0] from the first object to the second, and
	// so on. The last link repeats.
	Links []Link
}

// Link leads to the next object of a [Chain]: its address is the pointer at Offset of the object
// before it, and Size bytes of it are copied.
type Link struct {
	Offset, Size int
	// Fixed are offsets of words of 8 bytes in the object, which stay as they are while it is in
	// the chain at that place.
	Fixed []int
}

// link returns the link to the object at an index, counted from 1.
func (c *Chain) link(i int) *Link { return &c.Links[min(i, len(c.Links))-1] }

// Object is a piece of the target's heap that was copied.
type Object struct {
	At    Addr
	Bytes []byte
}

// CopiedChain is what was copied of a [Chain].
type CopiedChain struct {
	Runtime int
	Beside  bool
	Objects []Object
	// Cut means that the chain goes on beyond the last object, because the next one could not be
	// read or there was no room for it.
	Cut bool
}

// ManagedFrame is an activation of a function of an interpreter's language. Without a Function
// it is a native frame of the interpreter that runs no such function.
type ManagedFrame struct {
	Runtime  string // with its version: "CPython 3.12.1"
	Function string // qualified as the language's users write it
	File     string // as the runtime gives it; empty: not known
	Line     int    // 0: not known
	// Entry means that native code called the interpreter to run this function. The frames
	// before it, back to the previous entry, were called without a native frame of their own.
	Entry bool
	// Shim is an address in the native frame that runs an entry and the frames before it; 0 if
	// not known.
	Shim Addr
}

// The bounds of what is copied of chains in one stop.
const (
	maxChains       = 4       // of one thread
	maxChainObjects = 4096    // of one chain
	maxObjectSize   = 1 << 10 // bytes
	allObjects      = 1 << 15 // of all threads
	fewObjects      = 1 << 12 // least room for objects, if there are any chains
	objectRoom      = 128     // bytes expected of each object
	maxChainReads   = 1 << 13 // reads of memory for all chains: each takes about 1 µs
)

// Pointer returns the 8-byte little-endian pointer at an offset, 0 if the copy does not contain
// it.
func (o *Object) Pointer(offset int) Addr {
	if offset < 0 || offset+8 > len(o.Bytes) {
		return 0
	}
	return Addr(binary.LittleEndian.Uint64(o.Bytes[offset:]))
}

// chainRoom holds copied chains. Nothing is allocated while it has room.
type chainRoom struct {
	objects []Object
	bytes   []byte
	chains  []CopiedChain
	blocks  [maxBlocks]block // last read from the memory of one thread
	next    int              // index of the block to overwrite next
	reads   int
	stacks  []Stack // of the thread whose chains are copied, as far as they need not be read again
}

// maxBlocks is how many blocks are kept. A chain alternates between the interpreter's memory and
// the native stack.
const maxBlocks = 4

// block is a copy of one or two pages.
type block struct {
	from  Addr
	bytes []byte
}

// of returns size bytes at an address, nil if the block does not have them.
func (b *block) of(at Addr, size int) []byte {
	if at < b.from || uint64(at-b.from)+uint64(size) > uint64(len(b.bytes)) {
		return nil
	}
	return b.bytes[at-b.from:][:size]
}

// reserve makes room for n chains.
func (r *chainRoom) reserve(n int) {
	r.clear()
	if n == 0 {
		return
	}
	objects := min(max(64*n, fewObjects), allObjects)
	if cap(r.objects) < objects || cap(r.bytes) < objects*objectRoom { // what is made anew, unlike what grows, has no pages yet
		r.objects = make([]Object, 0, objects)
		r.bytes = make([]byte, 0, objects*objectRoom)
		r.touch(n)
	}
	r.chains = slices.Grow(r.chains, n)
	for i := range r.blocks {
		if r.blocks[i].bytes == nil {
			r.blocks[i].bytes = make([]byte, 2*pageSize)[:0]
		}
	}
}

// touch makes the system provide the memory for the usual objects of n chains now, not in the
// stop.
func (r *chainRoom) touch(n int) {
	const usual = 8 // objects expected in each of the chains that a thread may have
	objects := r.objects[:min(usual*n, cap(r.objects))]
	for i := 0; i < len(objects); i += pageSize / 64 {
		objects[i] = Object{}
	}
	b := r.bytes[:min(usual*n*objectRoom, cap(r.bytes))]
	for i := 0; i < len(b); i += pageSize {
		b[i] = 0
	}
}

// copyAll copies chains while their thread is stopped: it allocates nothing. It omits chains for
// which there is no room. Stacks are copies from the same moment, which may have some of the
// objects.
func (r *chainRoom) copyAll(m Memory, stacks []Stack, chains []Chain) []CopiedChain {
	r.stacks = stacks
	from := len(r.chains)
	for i := range chains {
		if len(r.chains) == cap(r.chains) || i == maxChains {
			break
		}
		r.forgetBlocks()
		r.chains = append(r.chains, r.copy(m, &chains[i]))
	}
	return r.chains[from:len(r.chains):len(r.chains)]
}

func (r *chainRoom) copy(m Memory, c *Chain) CopiedChain {
	out, from := CopiedChain{Runtime: c.Runtime, Beside: c.Beside}, len(r.objects)
	at, size := c.At, c.Size
	for i := 0; at != 0; i++ {
		if i == maxChainObjects || !r.copyObject(m, at, size) {
			out.Cut = true
			break
		}
		if len(c.Links) == 0 {
			break
		}
		next := c.link(i + 1)
		at, size = r.objects[len(r.objects)-1].Pointer(next.Offset), next.Size
	}
	out.Objects = r.objects[from:len(r.objects):len(r.objects)]
	return out
}

// copyObject reports false if the object cannot be read or there is no room for it.
func (r *chainRoom) copyObject(m Memory, at Addr, size int) bool {
	if size <= 0 || size > maxObjectSize || at+Addr(size) < at ||
		len(r.objects) == cap(r.objects) || len(r.bytes)+size > cap(r.bytes) {
		return false
	}
	b := r.read(m, at, size)
	if b == nil {
		return false
	}
	begin := len(r.bytes)
	r.bytes = append(r.bytes, b...)
	r.objects = append(r.objects, Object{at, r.bytes[begin:len(r.bytes):len(r.bytes)]})
	return true
}

// read returns the bytes of an object, nil if they cannot be read. The copied stacks may have them:
// an interpreter keeps the frames by which it was entered on the native stack. It reads whole pages, because
// other objects of the chain are usually on them.
func (r *chainRoom) read(m Memory, at Addr, size int) []byte {
	for i := range r.stacks {
		if s := &r.stacks[i]; s.Contains(at, size) {
			return s.Bytes[at-s.Base:][:size]
		}
	}
	for i := range r.blocks {
		if b := r.blocks[i].of(at, size); b != nil {
			return b
		}
	}
	if r.reads++; r.reads > maxChainReads {
		return nil
	}
	b := &r.blocks[r.next]
	r.next = (r.next + 1) % maxBlocks
	b.from = at &^ (pageSize - 1)
	end := (at + Addr(size) + pageSize - 1) &^ (pageSize - 1)
	n, _ := m.ReadMemory(b.bytes[:end-b.from], b.from)
	b.bytes = b.bytes[:n]
	return b.of(at, size)
}

func (r *chainRoom) forgetBlocks() {
	for i := range r.blocks {
		r.blocks[i].bytes = r.blocks[i].bytes[:0]
	}
}

// holds reports whether copies of chains, of a thread that may run, are of one moment: read again, the
// same objects are linked, and what is fixed in them is as it was. That one was left and entered
// again between the two readings is not seen.
func (r *chainRoom) holds(m Memory, chains []Chain, copies []CopiedChain) bool {
	r.stacks = nil
	r.forgetBlocks()
	for i := range copies {
		if !r.holdsOne(m, &chains[i], &copies[i]) {
			return false
		}
	}
	return true
}

func (r *chainRoom) holdsOne(m Memory, c *Chain, copied *CopiedChain) bool {
	for i := range copied.Objects {
		o := &copied.Objects[i]
		now := Object{o.At, r.read(m, o.At, len(o.Bytes))}
		if now.Bytes == nil {
			return false
		}
		if len(c.Links) == 0 && !bytes.Equal(now.Bytes, o.Bytes) {
			return false
		}
		if len(c.Links) > 0 && now.Pointer(c.link(i+1).Offset) != o.Pointer(c.link(i+1).Offset) {
			return false
		}
		for k := 0; i > 0 && k < len(c.link(i).Fixed); k++ {
			if at := c.link(i).Fixed[k]; now.Pointer(at) != o.Pointer(at) {
				return false
			}
		}
	}
	return !copied.Cut || len(copied.Objects) > 0
}

// mark returns how much was copied, for rewind.
func (r *chainRoom) mark() [3]int { return [3]int{len(r.objects), len(r.bytes), len(r.chains)} }

// rewind forgets what was copied after a mark.
func (r *chainRoom) rewind(to [3]int) {
	r.objects, r.bytes, r.chains = r.objects[:to[0]], r.bytes[:to[1]], r.chains[:to[2]]
}

// clear forgets what was copied.
func (r *chainRoom) clear() {
	r.objects, r.bytes, r.chains, r.reads, r.stacks = r.objects[:0], r.bytes[:0], r.chains[:0], 0, nil
}

// keep copies chains into r and returns the copies.
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
		return a.Runtime == b.Runtime && a.Beside == b.Beside && a.Cut == b.Cut && slices.EqualFunc(a.Objects, b.Objects, func(a, b Object) bool {
			return a.At == b.At && bytes.Equal(a.Bytes, b.Bytes)
		})
	})
}
