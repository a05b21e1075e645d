package object

import (
	"cmp"
	"iter"
	"slices"
)

// Entry is one function symbol of a [Table], not yet named.
type Entry struct {
	VMAddr  uint64
	Size    uint64 // 0 when the file does not say
	Name    uint32 // what the table's name function understands, such as an offset into a string table
	Section uint16 // a symbol answers only for addresses of its own section
	Rank    uint8  // among symbols at one address the lowest rank is the answer
}

// Table finds the symbol that a vmaddr is in. Names are read when they are
// asked for. A Table does not change once it is made.
type Table struct {
	entries []Entry // by section, then vmaddr; the best of one place comes last
	longest uint64  // the largest size of any entry
	name    func(uint32) string
}

// maxWalkBack bounds how many symbols at and below the nearest one are tried
// for one whose size reaches the address. Symbols nest a few deep at most.
const maxWalkBack = 64

// NewTable makes a table of entries, which it keeps and reorders. Where several
// lie at one place, the one of the lowest rank answers, then the one of the
// largest size, then the one that came first. The name function returns "" for
// a symbol that is never an answer.
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

// All gives the entries, by section and vmaddr.
func (t *Table) All() iter.Seq[Entry] { return slices.Values(t.entries) }

// Symbol returns the symbol that vmaddr, an address of the given section, is
// in.
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

// At gives the entries at exactly vmaddr, an address of the given section, with
// their names, in the order in which they are preferred.
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

// Find is like Symbol, without a name and for symbols of any name.
func (t *Table) Find(vmaddr uint64, section uint16) (Entry, bool) {
	return t.Pick(vmaddr, section, func(Entry) bool { return true })
}

// Pick returns, of the entries that are accepted, the one that vmaddr, an
// address of the given section, is in: the nearest at or below it whose size
// reaches it, else the nearest without a size, unless a symbol with a size has
// ended between the two. (The rule of elfutils' dwfl_module_addrsym, too.)
func (t *Table) Pick(vmaddr uint64, section uint16, accept func(Entry) bool) (Entry, bool) {
	var label Entry
	var found, ended bool // a label; a symbol with a size that ends below vmaddr
	reach := vmaddr       // symbols that end at or below it do not matter any more
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
			found, ended, reach = false, true, vmaddr // the label stands inside a symbol that has ended
		case e.Size != 0 && !found:
			ended = true
		}
	}
	return label, found
}

// above returns the index of the first entry above vmaddr in the section.
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
