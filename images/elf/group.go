package elf

import (
	"debug/elf"
	"fmt"
	"iter"
	"slices"

	"stacksnap/images/object"
	"stacksnap/task"
)

// vdso is the name of the shared object that the kernel maps into a process.
const vdso = "[vdso]"

// group is the mappings of one file, lowest first.
type group []task.Region

// fileKey identifies a file. In a core only the path is known.
type fileKey struct {
	dev, inode uint64
	path       string
}

// groupRegions groups the file mappings by file, in the order of their first mapping.
// On an error of the listing, the groups so far are returned with it.
func groupRegions(regions iter.Seq2[task.Region, error]) ([]group, error) {
	var groups []group
	index := make(map[fileKey]int)
	for r, err := range regions {
		if err != nil {
			return groups, fmt.Errorf("list the mappings: %w", err)
		}
		if r.Path == "" || r.Path[0] != '/' && r.Path != vdso {
			continue
		}
		key := fileKey{r.Dev, r.Inode, r.Path}
		i, ok := index[key]
		if !ok {
			i = len(groups)
			index[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups, nil
}

func (g group) path() string { return g[0].Path }

// code returns the executable mappings.
func (g group) code() group {
	var code group
	for _, r := range g {
		if r.Prot&task.Execute != 0 {
			code = append(code, r)
		}
	}
	return code
}

// header reads the ELF header from memory. It returns nil and no error if the file's
// first byte is not mapped.
func (g group) header(mem task.Memory) (*header, error) {
	for _, r := range g {
		if r.Offset == 0 && r.Prot != 0 {
			return readHeader(mem, r.Start)
		}
	}
	return nil, nil
}

// places returns each slide at which the file is loaded, by its mappings. A file that
// is mapped twice has two.
func (g group) places(progs []elf.ProgHeader, pageSize uint64) []uint64 {
	var places []uint64
	for _, r := range g {
		slides := regionSlides(progs, r, pageSize)
		if len(slides) == 0 || len(places) == maxImages {
			continue
		}
		known := slices.ContainsFunc(places, func(known uint64) bool { return slices.Contains(slides, known) })
		if !known {
			places = append(places, slides[0])
		}
	}
	return places
}

// regionSlides returns the slides at which r can be a mapping of a segment: one,
// unless segments share a page of the file. The executable segment's is first.
//
// A segment is mapped in whole pages, so file offset o of the mapping is vmaddr
// p_vaddr + (o − p_offset), also just before and after the segment proper.
func regionSlides(progs []elf.ProgHeader, r task.Region, pageSize uint64) []uint64 {
	var slides []uint64
	for _, p := range progs {
		first := p.Off &^ (pageSize - 1)
		end := padded(p.Off+p.Filesz, pageSize)
		if p.Type != elf.PT_LOAD || p.Filesz == 0 || r.Offset < first || r.Offset >= end {
			continue
		}
		slide := uint64(r.Start) - (p.Vaddr + r.Offset - p.Off)
		if p.Flags&elf.PF_X != 0 {
			slides = slices.Insert(slides, 0, slide)
		} else {
			slides = append(slides, slide)
		}
	}
	return slides
}

// firstByte returns the vmaddr of the file's first byte, which need not be mapped.
func firstByte(progs []elf.ProgHeader) uint64 {
	for _, p := range progs {
		if p.Type == elf.PT_LOAD {
			return p.Vaddr - p.Off // PT_LOAD entries are in ascending order
		}
	}
	return 0
}

// holdsStart reports whether the start of the file's first segment is mapped.
func (g group) holdsStart(progs []elf.ProgHeader, slide uint64) bool {
	for _, p := range progs {
		if p.Type == elf.PT_LOAD {
			a := task.Addr(p.Vaddr + slide)
			return slices.ContainsFunc(g, func(r task.Region) bool { return a >= r.Start && a < r.End })
		}
	}
	return false
}

// wholePlace returns the first slide at which the start of the file is mapped, or
// else the first slide.
func (g group) wholePlace(slides []uint64, progs []elf.ProgHeader) uint64 {
	i := slices.IndexFunc(slides, func(slide uint64) bool { return g.holdsStart(progs, slide) })
	return slides[max(i, 0)]
}

// clip returns the parts of segments that are mapped at a slide.
func (g group) clip(segments []object.Segment, f *File, slide, pageSize uint64) []object.Segment {
	var clipped []object.Segment
	progs := progHeaders(f.elf)
	for _, r := range g {
		if !slices.Contains(regionSlides(progs, r, pageSize), slide) {
			continue
		}
		low, high := uint64(r.Start)-slide, uint64(r.End)-slide
		for _, s := range segments {
			start, end := max(s.VMAddr, low), min(s.VMAddr+s.Size, high)
			if start >= end || len(clipped) == maxSegments {
				continue
			}
			skipped := start - s.VMAddr
			fileSize := min(s.FileSize-min(skipped, s.FileSize), end-start)
			clipped = append(clipped, object.Segment{
				VMAddr: start, Size: end - start, Offset: s.Offset + skipped, FileSize: fileSize, Prot: s.Prot,
			})
		}
	}
	return clipped
}
