package golang

import "stacksnap/task"

// queued is a goroutine in the queue of a semaphore.
type queued struct {
	semaphore, sudog task.Addr
}

// The table of semaphores (runtime.semtable): so many roots, each in cache lines of its own.
const semRoots = 251

// rootBytes is the size of a root.
func (r *Runtime) rootBytes() int {
	if r.arch == task.ARM64 && r.layout.minor >= 20 {
		return 128
	}
	return 64
}

// readQueues reads the queues of all semaphores, which change meanwhile.
func (c *reader) readQueues() {
	for _, at := range c.semaphoreTables {
		c.queue = map[task.Addr]queued{}
		if c.readTable(at) || !c.unproven {
			return
		}
	}
	c.queue = map[task.Addr]queued{}
}

// readTable reads the queues of the table at an address. It reports whether all that is in it are queues, and one is.
func (c *reader) readTable(at task.Addr) bool {
	size := c.rootBytes()
	table := make(words, semRoots*size)
	if task.ReadFull(c.memory, table, at) != nil {
		return false
	}
	for i := range semRoots {
		if tree := table.addr(i*size + c.layout.treap); tree != 0 {
			if before := len(c.queue); c.readTree(tree, i) == before && c.unproven {
				return false
			}
		}
	}
	return len(c.queue) > 0
}

// readTree reads the tree of a root: each node is the first of those that wait for one semaphore. It returns how many
// wait for any that was read so far.
func (c *reader) readTree(root task.Addr, number int) int {
	l, b := c.layout, c.sudog
	next := []task.Addr{root}
	for len(next) > 0 {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		if !c.readQueued(at, number) {
			continue
		}
		for _, child := range []task.Addr{b.addr(l.left), b.addr(l.right)} {
			if child != 0 {
				next = append(next, child)
			}
		}
		for more := b.addr(l.more); more != 0 && c.readQueued(more, number); {
			more = b.addr(l.more)
		}
	}
	return len(c.queue)
}

// readQueued reads one that waits into the buffer. It returns false for one that was read before, and for what
// cannot be in the queue.
func (c *reader) readQueued(at task.Addr, number int) bool {
	if len(c.queue) == maxGoroutines || task.ReadFull(c.memory, c.sudog, at) != nil {
		return false
	}
	g, semaphore := c.sudog.addr(0), c.sudog.addr(c.layout.elem)
	if _, before := c.queue[g]; before || g == 0 || int(semaphore>>3%semRoots) != number {
		return false
	}
	c.queue[g] = queued{semaphore, at}
	return true
}
