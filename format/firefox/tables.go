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

// none stands for what is not known in the tables' numbers.
const none = -1

// firefoxTables are what all threads share: stacks of frames of functions.
type firefoxTables struct {
	system  task.OS // of the process that is written
	strings interned.Table[string]
	libs    interned.Table[firefoxImage]
	symbols interned.Table[firefoxSymbol]
	sources interned.Table[int]
	funcs   interned.Table[firefoxFunc]
	frames  interned.Table[firefoxFrame]
	stacks  interned.Table[firefoxStack]
}

// firefoxImage is a lib, with the system whose IDs it has.
type firefoxImage struct {
	*profile.Image
	system task.OS
}

// firefoxFunc is a function; all are numbers in other tables, or none.
type firefoxFunc struct{ name, lib, source int }

// firefoxSymbol is the function in which the code of a frame is.
type firefoxSymbol struct {
	lib     int
	address uint64 // in the lib
	name    int
}

// firefoxFrame is a place in a function. The category is that of the state of a thread
// whose innermost frame it is, and none of others.
type firefoxFrame struct {
	fn, lib, symbol, category int
	address                   int64 // in the lib
	inlined                   int   // how deep
	line, column              int   // 0: not known
}

// firefoxStack is a frame as called from a stack.
type firefoxStack struct{ prefix, frame int }

func newFirefoxTables() firefoxTables {
	return firefoxTables{
		strings: interned.New[string](), libs: interned.New[firefoxImage](), symbols: interned.New[firefoxSymbol](),
		sources: interned.New[int](), funcs: interned.New[firefoxFunc](), frames: interned.New[firefoxFrame](),
		stacks: interned.New[firefoxStack](),
	}
}

// threadStacks are the stacks of a thread that end in the nodes of its tree.
type threadStacks struct {
	tables *firefoxTables
	ends   map[*profile.Node]stackEnd
}

// stackEnd is the innermost frame of a stack, and what calls it.
type stackEnd struct {
	prefix int
	frame  firefoxFrame
}

// stacksOf finds the stacks of a thread.
func (o *firefoxTables) stacksOf(t *profile.Thread) *threadStacks {
	s := &threadStacks{o, map[*profile.Node]stackEnd{}}
	s.ends[nil] = stackEnd{none, o.mark(words.NoStack)}
	var path []stackEnd // with the frame of each node, and the stack that ends in its caller
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

// of is the number of the stack that ends in a node, of a thread in a state.
func (s *threadStacks) of(n *profile.Node, state task.State) int {
	end := s.ends[n]
	end.frame.category = firefoxCategoryOf(state)
	return s.tables.stacks.Of(firefoxStack{end.prefix, s.tables.frames.Of(end.frame)})
}

// mark is a frame for what is no function.
func (o *firefoxTables) mark(name string) firefoxFrame {
	return firefoxFrame{fn: o.function(name, none, ""), lib: none, symbol: none, category: none, address: none}
}

// frame is that of a node, called by another one.
func (o *firefoxTables) frame(n *profile.Node, outer *firefoxFrame) firefoxFrame {
	f := o.mark(words.AreaLabel(n))
	f.line, f.column = n.Line, n.Column
	if n.Image == nil {
		f.fn = o.function(words.AreaLabel(n), none, n.File)
		return f
	}
	f.lib = o.libs.Of(firefoxImage{n.Image, o.system})
	f.fn = o.function(words.AreaLabel(n), f.lib, n.File)
	if len(n.Also) > 0 || n.More || n.PC < n.Image.Load || n.Image.Generated {
		return f
	}
	at := n.PC
	if n.Return {
		at-- // in the call, as the Profiler wants it
	}
	f.address = int64(at - n.Image.Load)
	if n.Inlined && outer != nil {
		f.inlined, f.symbol = outer.inlined+1, outer.symbol
		return f
	}
	f.symbol = o.symbol(n, f.lib)
	return f
}

// symbol is the function that has the code of a frame, none where it has no name.
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

// breakpadID is the ID of an image as the Profiler, and the servers of symbols that it
// asks, have it: that of Breakpad, of a file of the age 0. Of a build-id it has the first
// 16 bytes, as a GUID whose first three fields are little-endian.
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
