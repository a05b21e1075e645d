package object

import (
	"cmp"
	"iter"
	"slices"
)

// Entry is the symbol of a function or variable in a [Table]. Its name is read on demand.
type Entry struct {
	VMAddr  uint64
	Size    uint64 // 0 when the file does not say
	Name    uint32 // argument for the table's name function, such as an offset in a string table
	Section uint16 // the symbol counts only for addresses of this section
	Rank    uint8  // of symbols at one address, the lowest rank wins
}

// Table finds the symbol that contains a vmaddr. Names are read on demand. It is
// immutable.
type Table struct {
	entries []Entry // by section, then vmaddr; of those at one address the best is last
	longest uint64  // maximum Size of all entries
	name    func(uint32) string
}

// maxWalkBack is how many symbols at and below the nearest one are tried for one that
// reaches the address. Symbols nest only a few levels deep.
const maxWalkBack = 64

// NewTable returns a table of entries, which it keeps and reorders. Of several at one
// address the lowest rank wins, then the largest size, then the first. The name
// function returns "" for a symbol that must not be used.
func NewTable(entries []Entry, name func(uint32) string) *Table {
	slices.Reverse(entries)
	entries = sortEntries(entries)
	t := &Table{entries: entries, name: name}
	for _, e := range entries {
		t.longest = max(t.longest, e.Size)
	}
	return t
}

func compareEntries(a, b Entry) int {
	return cmp.Or(
		cmp.Compare(a.Section, b.Section),
		cmp.Compare(a.VMAddr, b.VMAddr),
		cmp.Compare(b.Rank, a.Rank),
		cmp.Compare(a.Size, b.Size),
	)
}

// Len returns the number of entries.
func (t *Table) Len() int { return len(t.entries) }

// All yields the entries, by section and vmaddr.
func (t *Table) All() iter.Seq[Entry] { return slices.Values(t.entries) }

// Symbol returns the symbol that contains vmaddr, an address of the given section.
func (t *Table) Symbol(vmaddr uint64, section uint16) (Symbol, bool) {
	var name string
	e, ok := t.Pick(vmaddr, section, func(e Entry) bool {
		n := t.name(e.Name)
		if n != "" {
			name = n
		}
		return n != ""
	})
	if !ok {
		return Symbol{}, false
	}
	return Symbol{Name: name, VMAddr: e.VMAddr, Size: e.Size}, true
}

// Variable is Symbol for a table of variables: a symbol without a size has only its own
// address.
func (t *Table) Variable(vmaddr uint64, section uint16) (Symbol, bool) {
	var name string
	e, ok := t.Pick(vmaddr, section, func(e Entry) bool {
		if e.Size == 0 && e.VMAddr != vmaddr {
			return false
		}
		name = t.name(e.Name)
		return name != ""
	})
	return Symbol{Name: name, VMAddr: e.VMAddr, Size: e.Size}, ok
}

// At yields the entries at exactly vmaddr, an address of the given section, with
// their names, best first.
func (t *Table) At(vmaddr uint64, section uint16) iter.Seq2[Entry, string] {
	return func(yield func(Entry, string) bool) {
		for i := t.above(vmaddr, section) - 1; i >= 0; i-- {
			e := t.entries[i]
			if e.VMAddr != vmaddr || e.Section != section || !yield(e, t.name(e.Name)) {
				return
			}
		}
	}
}

// Find is Symbol for entries of any name, and returns the entry.
func (t *Table) Find(vmaddr uint64, section uint16) (Entry, bool) {
	return t.Pick(vmaddr, section, func(Entry) bool { return true })
}

// Pick returns, among the accepted entries, the one that contains vmaddr, an address
// of the given section: the nearest at or below it that reaches it, else the nearest
// without a size, unless a symbol with a size ends between the two. (The rule of
// elfutils' dwfl_module_addrsym.)
func (t *Table) Pick(vmaddr uint64, section uint16, accept func(Entry) bool) (Entry, bool) {
	var label Entry
	var found, ended bool // an entry without a size; a symbol that ends below vmaddr
	reach := vmaddr       // symbols that end at or below it no longer matter
	for i, steps := t.above(vmaddr, section)-1, 0; i >= 0 && steps < maxWalkBack; i, steps = i-1, steps+1 {
		e := t.entries[i]
		if e.Section != section || (found || ended) && reach-e.VMAddr >= t.longest {
			break
		}
		switch {
		case vmaddr-e.VMAddr < e.Size:
			if accept(e) {
				return e, true
			}
		case e.Size == 0 && !found && !ended:
			if accept(e) {
				label, found, reach = e, true, e.VMAddr
			}
		case e.Size != 0 && found && reach-e.VMAddr < e.Size:
			found, ended, reach = false, true, vmaddr // the label is inside a symbol that has ended
		case e.Size != 0 && !found:
			ended = true
		}
	}
	return label, found
}

// above returns the index of the first entry in the section above vmaddr.
func (t *Table) above(vmaddr uint64, section uint16) int {
	i, _ := slices.BinarySearchFunc(t.entries, vmaddr, func(e Entry, vmaddr uint64) int {
		if e.Section != section {
			return cmp.Compare(e.Section, section)
		}
		if e.VMAddr <= vmaddr {
			return -1
		}
		return 1
	})
	return i
}
