package profile

import (
	"iter"
	"path"

	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind"
)

// Node is a frame as called from one place: the frame of one snapshot, or the
// equal frames of many, under the node of their caller. A function inlined at
// the address of a frame is a node of its own, below that of the frame.
type Node struct {
	Location
	PC     task.Addr // an instruction, or with Return the one after a call
	Return bool
	By     unwind.Method // how it was found; of several ways the least sure
	More   bool          // there are further addresses than Also has: too many, or the report that was opened leaves them out
	number uint32        // in the [Builder] that made it
	Why    string        // why a better way than By was left; empty when none was
	Cut    *Cut          // on an outermost frame whose caller is missing; nil at the true bottom
	Also   []Address     // further addresses of the function, in a tree by function: the first of them
	Folded *Folded       // branches that it stands for; nil: it is one frame

	Count    int     // samples in which the frame was on the stack here
	Self     int     // of these, samples in which it was the innermost
	States   *States // in how many of these the thread was in each state, as far as that is known
	Spent    Spent   // of the time that goes with these
	Children []*Node
}

// Address is one place in a function.
type Address struct {
	PC     task.Addr
	Offset uint64 // from the function's start
}

// Location is what is known of a code address.
type Location struct {
	Image    *Image    // nil: no image was mapped there
	Function string    // as people know it, demangled; empty when no symbol covers the address
	Raw      string    // the symbol as the file has it
	Overload string    // tells functions apart that have the same name, as Swift's do; empty for others
	Offset   uint64    // from the function's start, from the image's load address when there is none
	Start    task.Addr // of a function without a name; 0 when it is not known
	Inlined  bool      // inlined into the parent's function
	Kernel   bool      // of the system's kernel, not of the program
	File     string    // source file, line and column, empty and 0 when not known
	Line     int
	Column   int
}

// regionSize is how much code without a name is taken together where no function
// is known, as of a JIT compiler: its addresses, one by one, tell nobody anything.
const regionSize = 4 << 10

// Placeless tells of a node that stands for no place in the code: a line of a report
// that has a text and no address.
func (n *Node) Placeless() bool { return n.PC == 0 && n.Function != "" }

// Area is where the code begins that a node without a function stands for when
// nodes are merged: the function, though it has no name, else a region of 4 KB.
func (n *Node) Area() task.Addr {
	if n.Start != 0 {
		return n.Start
	}
	return n.PC &^ (regionSize - 1)
}

// Cut is why a stack is not known to its bottom: there may be callers that are
// not shown.
type Cut struct {
	Reason unwind.Reason
	Need   task.Addr // with NotCaptured: the first address that was missed
	Detail string    // more about it; may be empty
}

// String returns the reason in one line.
func (c *Cut) String() string {
	s := c.Reason.String()
	if c.Need != 0 {
		s += " at " + c.Need.String()
	}
	if c.Detail != "" {
		s += ": " + c.Detail
	}
	return s
}

// Image is one file loaded into the target.
type Image struct {
	Path      string
	Load, End task.Addr // of its first byte; above the last byte of its code
	ID        []byte    // LC_UUID or GNU build-id; nil when it has none
	Arch      task.Arch
	Main      bool   // the program itself
	Symbols   bool   // it has a symbol table that could be read
	Note      string // what a reader should know, such as "deleted"
	Err       string // why nothing could be read of it; empty when it could
	Generated bool   // it names code that a compiler made at run time, and has no place: Load and End are 0

	// Of a Mac program itself: its architecture as Apple's tools name it ("arm64e"),
	// and what its maker calls it. A report of Apple's tells the latter of every image.
	Variant string
	Bundle  object.Bundle
}

// Placed reports whether it is known where the image is.
func (im *Image) Placed() bool { return im.Load != 0 || im.End != 0 }

// Name returns the last element of the path.
func (im *Image) Name() string {
	if im.Path == "" {
		return ""
	}
	return path.Base(im.Path)
}

// preorder gives nodes with their depth, each before its children.
func preorder(roots []*Node) iter.Seq2[int, *Node] {
	return Preorder(roots, func(n *Node) []*Node { return n.Children })
}

// Preorder walks trees of any nodes without recursion: a stack may be very deep.
func Preorder[N any](roots []*N, children func(*N) []*N) iter.Seq2[int, *N] {
	type item struct {
		depth int
		node  *N
	}
	return func(yield func(int, *N) bool) {
		var todo []item
		push := func(depth int, nodes []*N) {
			for i := len(nodes) - 1; i >= 0; i-- {
				todo = append(todo, item{depth, nodes[i]})
			}
		}
		for push(0, roots); len(todo) > 0; {
			it := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !yield(it.depth, it.node) {
				return
			}
			push(it.depth+1, children(it.node))
		}
	}
}
