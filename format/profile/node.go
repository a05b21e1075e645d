package profile

import (
	"iter"
	"math"
	"path"
	"strings"

	"stacksnap/images/object"
	"stacksnap/task"
	"stacksnap/unwind"
)

// Node is a frame of a call tree: one frame of one snapshot, or the equal frames of many,
// below the node of their caller. An inlined call has a node of its own, below that of the
// frame's function.
type Node struct {
	Location
	PC     task.Addr // address of an instruction; with Return, of the one after a call
	Return bool
	By     unwind.Method // unwinding method; of several, the least reliable
	More   bool          // there are more addresses than in Also: too many, or not in the report that was read

	// Recursion is how deep the function called itself at most, after
	// [Profile.FoldSelfCalls]; [DeepRecursion] is that or more. A function and a part that was
	// split off it are one. It is small, for there may be millions of nodes.
	Recursion uint8

	number uint32    // number in its [Builder]
	Why    string    // why a more reliable method than By failed; empty if none did
	Cut    *Cut      // for an outermost frame: why its callers are missing; nil if none are
	Also   []Address // in a tree merged by function: further addresses of the function, up to a limit
	Folded *Folded   // frames that the node replaces; nil: the node is one frame

	Count    int     // samples with the frame at this place in their stack
	Self     int     // samples in which the frame was innermost
	States   *States // number of the Self samples in each state, as far as known
	Spent    Spent   // time of the Self samples
	Children []*Node
}

// DeepRecursion is the largest value of [Node].Recursion.
const DeepRecursion = math.MaxUint8

// Address is an address within a function.
type Address struct {
	PC     task.Addr
	Offset uint64 // from the function's start
}

// Location is what is known about a code address.
type Location struct {
	Image    *Image    // nil: no image was mapped there
	Function string    // demangled name; empty if no symbol covers the address
	Raw      string    // the symbol in the file
	Overload string    // distinguishes functions with the same name, as in Swift; mostly empty
	Offset   uint64    // bytes from the function's start; without a function, from the image's load address
	Start    task.Addr // start of a function without a name; 0 if unknown
	Inlined  bool      // inlined into the parent's function
	Kernel   bool      // code of the system's kernel
	File     string    // source file, line and column; empty and 0 if unknown
	Line     int
	Column   int
}

// regionSize is the size of the regions by which code without functions is merged, such as
// that of a JIT compiler, whose single addresses mean nothing to the user.
const regionSize = 4 << 10

// Placeless reports whether the node has a text but no place in the code, as some lines of
// reports do.
func (n *Node) Placeless() bool { return n.PC == 0 && n.Function != "" }

// Area returns the start of the code by which a node without a name is merged: its function
// if that is known, otherwise a region of 4 KB.
func (n *Node) Area() task.Addr {
	if n.Start != 0 {
		return n.Start
	}
	return n.PC &^ (regionSize - 1)
}

// Cut is the reason why a stack is incomplete: there may be callers that are not shown.
type Cut struct {
	Reason unwind.Reason
	Need   task.Addr // for NotCaptured: the first address that was missing
	Detail string    // details; may be empty
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

// Image is a file mapped into the target.
type Image struct {
	Path      string
	Load, End task.Addr // address of its first byte; end of its code
	ID        []byte    // LC_UUID or GNU build-id; nil if it has none
	Arch      task.Arch
	Main      bool   // the main program
	KnownAs   string // name under which people started the main program, if its file has another; see [Profile.NameMain]
	Symbols   bool   // the image has a readable symbol table
	Note      string // a note for the reader, such as "deleted"
	Err       string // why it could not be read; empty if it could
	Generated bool   // code that a compiler made at run time; Load and End are 0
	// Runtime: its functions are those of an interpreter's language, and Path is the name of the
	// interpreter. Load and End are 0.
	Runtime bool

	// Variant is the architecture as Apple's tools name it ("arm64e"), for the main program.
	// Bundle is its bundle's name and version; Apple's reports have that for every image.
	Variant string
	Bundle  object.Bundle
}

// Placed reports whether the image's address is known.
func (im *Image) Placed() bool { return im.Load != 0 || im.End != 0 }

// Name returns the last element of the path.
func (im *Image) Name() string {
	if im.Path == "" {
		return ""
	}
	return path.Base(im.Path)
}

// NameMain sets the name under which the main program was started, if its file has another, as where
// several programs are one file. That is certain if the system's name of the process and its
// command line agree, and the file's name does not begin with it, as that of "python3.11" does. A
// script's process has the script's name and the interpreter's command line.
func (p *Profile) NameMain() {
	name, args := p.Target.Name, p.Target.Command.Args
	if p.Main == nil || name == "" || len(args) == 0 || strings.HasPrefix(p.Main.Name(), name) {
		return
	}
	title, _, _ := strings.Cut(args[0], " ") // of a program that has written its state behind its name
	if path.Base(args[0]) == name || strings.TrimSuffix(path.Base(title), ":") == name {
		p.Main.KnownAs = name
	}
}

// preorder iterates over nodes with their depth, each before its children.
func preorder(roots []*Node) iter.Seq2[int, *Node] {
	return Preorder(roots, func(n *Node) []*Node { return n.Children })
}

// Preorder iterates over trees of any type of node with their depth, each before its
// children. It does not recurse, as a stack may be very deep.
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
