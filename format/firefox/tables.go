package firefox

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"stacksnap/format/internal/interned"
	"stacksnap/format/profile"
	"stacksnap/format/words"
	"stacksnap/task"
)

// none is the number for a missing entry in the tables.
const none = -1

// firefoxTables are the tables that all threads share: stacks of frames of functions.
type firefoxTables struct {
	system  task.OS // system of the current process
	strings interned.Table[string]
	libs    interned.Table[firefoxImage]
	symbols interned.Table[firefoxSymbol]
	sources interned.Table[int]
	funcs   interned.Table[firefoxFunc]
	frames  interned.Table[firefoxFrame]
	stacks  interned.Table[firefoxStack]
}

// firefoxImage is a lib, with the system that its ID is for.
type firefoxImage struct {
	*profile.Image
	system task.OS
}

// firefoxFunc is a function; the fields are numbers in other tables, or none.
type firefoxFunc struct{ name, lib, source int }

// firefoxSymbol is the function that contains the code of a frame.
type firefoxSymbol struct {
	lib     int
	address uint64 // address in the lib
	name    int
}

// firefoxFrame is a place in a function. The category is the thread's state if the frame is
// innermost, otherwise none.
type firefoxFrame struct {
	fn, lib, symbol, category int
	address                   int64 // address in the lib
	inlined                   int   // depth of inlining
	line, column              int   // 0: unknown
}

// firefoxStack is a frame and the stack of its callers.
type firefoxStack struct{ prefix, frame int }

func newFirefoxTables() firefoxTables {
	return firefoxTables{
		strings: interned.New[string](), libs: interned.New[firefoxImage](), symbols: interned.New[firefoxSymbol](),
		sources: interned.New[int](), funcs: interned.New[firefoxFunc](), frames: interned.New[firefoxFrame](),
		stacks: interned.New[firefoxStack](),
	}
}

// threadStacks are the stacks of a thread, by the nodes that they end in.
type threadStacks struct {
	tables *firefoxTables
	ends   map[*profile.Node]stackEnd
}

// stackEnd is the innermost frame of a stack, and the stack that calls it.
type stackEnd struct {
	prefix int
	frame  firefoxFrame
}

// stacksOf returns the stacks of a thread.
func (o *firefoxTables) stacksOf(t *profile.Thread) *threadStacks {
	s := &threadStacks{o, map[*profile.Node]stackEnd{}}
	s.ends[nil] = stackEnd{none, o.mark(words.NoStack)}
	var path []stackEnd // for each depth, the node's frame and the stack of its callers
	for depth, n := range t.Nodes() {
		end := stackEnd{none, firefoxFrame{}}
		var outer *firefoxFrame
		if depth > 0 {
			outer = &path[depth-1].frame
			end.prefix = o.stacks.Of(firefoxStack{path[depth-1].prefix, o.frames.Of(*outer)})
		} else if n.Cut != nil {
			end.prefix = o.stacks.Of(firefoxStack{none, o.frames.Of(o.mark(words.CutLabel(n.Cut)))})
		}
		end.frame = o.frame(n, outer)
		path = append(path[:depth], end)
		if n.Self > 0 {
			s.ends[n] = end
		}
	}
	return s
}

// of returns the number of the stack that ends in a node, for a thread in that state.
func (s *threadStacks) of(n *profile.Node, state task.State) int {
	end := s.ends[n]
	end.frame.category = firefoxCategoryOf(state)
	return s.tables.stacks.Of(firefoxStack{end.prefix, s.tables.frames.Of(end.frame)})
}

// mark returns a frame that is no function, such as a truncation.
func (o *firefoxTables) mark(name string) firefoxFrame {
	return firefoxFrame{fn: o.function(name, none, ""), lib: none, symbol: none, category: none, address: none}
}

// frame returns the frame of a node that is called by outer.
func (o *firefoxTables) frame(n *profile.Node, outer *firefoxFrame) firefoxFrame {
	f := o.mark(words.AreaLabel(n))
	f.line, f.column = n.Line, n.Column
	if n.Image == nil {
		f.fn = o.function(words.AreaLabel(n), none, n.File)
		return f
	}
	f.lib = o.libs.Of(firefoxImage{n.Image, o.system})
	f.fn = o.function(words.AreaLabel(n), f.lib, n.File)
	if len(n.Also) > 0 || n.More || n.PC < n.Image.Load || n.Image.Generated || n.Image.Runtime {
		return f
	}
	at := n.PC
	if n.Return {
		at-- // within the call instruction, as the Profiler expects
	}
	f.address = int64(at - n.Image.Load)
	if n.Inlined && outer != nil {
		f.inlined, f.symbol = outer.inlined+1, outer.symbol
		return f
	}
	f.symbol = o.symbol(n, f.lib)
	return f
}

// symbol returns the function that contains the code of a frame, none if it has no name.
func (o *firefoxTables) symbol(n *profile.Node, lib int) int {
	start := n.PC - task.Addr(n.Offset)
	if n.Function == "" || n.Function == profile.Trampoline || start > n.PC || start < n.Image.Load {
		return none
	}
	return o.symbols.Of(firefoxSymbol{lib, uint64(start - n.Image.Load), o.strings.Of(words.Unmarked(n, n.Offset, n.PC))})
}

func (o *firefoxTables) function(name string, lib int, file string) int {
	source := none
	if file != "" {
		source = o.sources.Of(o.strings.Of(words.Clean(file, words.MaxPath)))
	}
	return o.funcs.Of(firefoxFunc{o.strings.Of(name), lib, source})
}

// breakpadID returns an image's ID in the form of Breakpad with the age 0, which the
// Profiler and its symbol servers use. For a build-id, it takes the first 16 bytes as a
// GUID whose first three fields are little-endian.
func breakpadID(os task.OS, id []byte) string {
	if len(id) == 0 {
		return ""
	}
	var guid [16]byte
	copy(guid[:], id)
	if os == task.Linux {
		binary.BigEndian.PutUint32(guid[0:], binary.LittleEndian.Uint32(guid[0:]))
		binary.BigEndian.PutUint16(guid[4:], binary.LittleEndian.Uint16(guid[4:]))
		binary.BigEndian.PutUint16(guid[6:], binary.LittleEndian.Uint16(guid[6:]))
	}
	return fmt.Sprintf("%s0", strings.ToUpper(hex.EncodeToString(guid[:])))
}
