package elfcore

import (
	"cmp"
	"math/bits"
	"path"
	"slices"
	"strings"

	"stacksnap/task"
	"stacksnap/task/internal/saved"
)

// deletedSuffix is what the kernel appends to the path of an unlinked file.
const deletedSuffix = " (deleted)"

// makeRegions combines the segments and the mapped files: it splits a segment where a file
// begins or ends within it. gcore omits mappings whose contents are in their files: for these
// there is no segment with their permissions.
func (p *Process) makeRegions() {
	files := slices.Clone(p.notes.files)
	slices.SortStableFunc(files, func(a, b mappedFile) int { return cmp.Compare(a.start, b.start) })
	b := regionBuilder{files: files}
	for i := range p.memory.Segments {
		b.segment(&p.memory.Segments[i])
	}
	b.unsaved(^task.Addr(0))
	b.guessCode()
	p.regions = b.regions
	p.nameVDSO()
}

// regionBuilder goes through segments and files together, by ascending address.
type regionBuilder struct {
	files   []mappedFile // files that have not ended yet
	regions []task.Region
	left    []int     // indices of regions without a segment
	end     task.Addr // end of the last region
}

// segment adds the regions of a segment, and those of the files below it.
func (b *regionBuilder) segment(s *saved.Segment) {
	b.unsaved(s.Start)
	for at := s.Start; at < s.End; at = b.end {
		b.dropBelow(at)
		r := task.Region{Start: at, End: s.End, Prot: s.Prot}
		if len(b.files) > 0 {
			if f := &b.files[0]; f.start > at {
				r.End = min(r.End, f.start)
			} else {
				r.End = min(r.End, f.end)
				f.place(&r)
			}
		}
		b.add(r)
	}
}

// unsaved adds the mappings of files below limit that are in no segment.
func (b *regionBuilder) unsaved(limit task.Addr) {
	for {
		b.dropBelow(b.end)
		if len(b.files) == 0 || max(b.files[0].start, b.end) >= limit {
			return
		}
		f := &b.files[0]
		r := task.Region{Start: max(f.start, b.end), End: min(f.end, limit), Prot: task.Read}
		f.place(&r)
		b.left = append(b.left, len(b.regions))
		b.add(r)
	}
}

// guessCode takes a mapping without a segment for code if its file has no other mapping of code.
func (b *regionBuilder) guessCode() {
	hasCode := map[string]bool{}
	for _, r := range b.regions {
		if r.Prot&task.Execute != 0 {
			hasCode[r.Path] = true
		}
	}
	for _, i := range b.left {
		if r := &b.regions[i]; !hasCode[r.Path] {
			r.Prot |= task.Execute
		}
	}
}

func (b *regionBuilder) add(r task.Region) {
	b.regions = append(b.regions, r)
	b.end = r.End
}

// dropBelow drops the files that end at or below a.
func (b *regionBuilder) dropBelow(a task.Addr) {
	for len(b.files) > 0 && b.files[0].end <= a {
		b.files = b.files[1:]
	}
}

// place sets the file of a region that lies in the file's mapping.
func (f *mappedFile) place(r *task.Region) {
	r.Path, r.PathDeleted = strings.CutSuffix(f.path, deletedSuffix)
	r.Offset = f.offset + uint64(r.Start-f.start)
}

// nameVDSO sets the name of the kernel's shared object, the vDSO.
func (p *Process) nameVDSO() {
	vdso, ok := p.notes.aux[auxVDSO]
	if r := p.regionAt(task.Addr(vdso)); ok && r != nil && r.Path == "" {
		r.Path = "[vdso]"
	}
}

// regionAt returns the region that contains a, nil when there is none.
func (p *Process) regionAt(a task.Addr) *task.Region {
	i, found := slices.BinarySearchFunc(p.regions, a, func(r task.Region, a task.Addr) int { return cmp.Compare(r.Start, a) })
	if !found {
		i--
	}
	if i < 0 || a >= p.regions[i].End {
		return nil
	}
	return &p.regions[i]
}

// describe fills in the facts about the process as a whole.
func (p *Process) describe() {
	p.info = task.Info{
		PID: p.notes.program.pid, Name: p.notes.program.name, ParentPID: p.notes.program.parent,
		Arch: p.header.arch, OS: task.Linux, PageSize: p.pageSize(), CodeMask: p.codeMask(),
	}
	if p.info.PID == 0 && len(p.ids) > 0 {
		p.info.PID = int(p.ids[0])
	}
	if at, ok := p.notes.aux[auxProgramHeaders]; ok {
		if r := p.regionAt(task.Addr(at)); r != nil {
			p.info.Path = r.Path
		}
	}
	p.info.Crash = p.crash()
	// The kernel cuts the name; that of the program's file is complete.
	if base := path.Base(p.info.Path); p.info.Path != "" && strings.HasPrefix(base, p.info.Name) {
		p.info.Name = base
	}
}

func (p *Process) pageSize() int {
	const largest = 64 << 10
	if n := p.notes.aux[auxPageSize]; n > 0 && n <= largest && n&(n-1) == 0 {
		return int(n)
	}
	return 4 << 10
}

// codeMask returns the bits below the lowest one that may hold a signature according to the
// kernel. Only arm64 signs pointers.
func (p *Process) codeMask() uint64 {
	const usual, fewest = 48, 36 // bits of a user address
	if p.header.arch != task.ARM64 {
		return ^uint64(0)
	}
	if n := bits.TrailingZeros64(p.notes.pacMask); n >= fewest && n < 64 {
		return 1<<n - 1
	}
	return 1<<usual - 1
}
