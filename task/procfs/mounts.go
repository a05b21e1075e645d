//go:build linux

package procfs

import (
	"bytes"
	"fmt"
	"path"
	"strconv"

	"golang.org/x/sys/unix"

	"stacksnap/task"
	"stacksnap/task/files"
)

// The files of a target may be on a file system that does not answer, and any request to it then
// waits for ever: see package files. That also holds for the pages of a mapping.

// root returns the root directory of the live thread.
func (p *Process) root() *files.Root { return files.Of(p.folder) }

// deviceOf returns the device of a mapped file; 0: not known.
func (p *Process) deviceOf(name string) uint64 {
	for line := range bytes.Lines(p.mapsText.Bytes()) {
		if !bytes.Contains(line, []byte(name)) {
			continue
		}
		if r, err := parseRegion(bytes.TrimSuffix(line, []byte("\n"))); err == nil && r.Path == name {
			return r.Dev
		}
	}
	return 0
}

// silentSpans lists the mappings of files on mounts that do not answer: pages of them that are
// not in memory are never read.
func (p *Process) silentSpans(maps []byte) (all []span) {
	root := p.root()
	type file struct {
		path string
		dev  uint64
	}
	silent := map[file]bool{}
	hangs := root.MayHang(0)
	for line := range bytes.Lines(maps) {
		if !hangs && !hasUnnamedDevice(line) {
			continue
		}
		r, err := parseRegion(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil || !path.IsAbs(r.Path) || !root.MayHang(r.Dev) {
			continue
		}
		f := file{r.Path, r.Dev}
		is, asked := silent[f]
		if !asked {
			is = root.Refusal(mapFile(p.PID, r), r.Path, r.Dev) != nil
			silent[f] = is
		}
		if is {
			all = append(all, span{r.Start, r.End})
		}
	}
	return all
}

// hasUnnamedDevice reports whether a line of /proc/PID/maps may be of a file that is on no disk:
// its major number is 0, and its minor number is not.
func hasUnnamedDevice(line []byte) bool {
	return bytes.Contains(line, []byte(" 00:")) && !bytes.Contains(line, []byte(" 00:00 0 "))
}

// mapFile returns the path of a mapping's link in /proc.
func mapFile(pid int, r task.Region) string {
	return fmt.Sprintf("/proc/%d/map_files/%x-%x", pid, uint64(r.Start), uint64(r.End))
}

// statFile returns the stat of a descriptor of the target, unless that would access a mount that
// does not answer.
func (p *Process) statFile(fd int) (st unix.Stat_t, ok bool) {
	link := "fd/" + strconv.Itoa(fd)
	if name, err := p.live.readlink(link); err == nil && mayNotAsk(p.root, p.folder+"/"+link, name) {
		return st, false
	}
	return st, unix.Fstatat(p.live.fd, link, &st, 0) == nil
}

// mayNotAsk reports whether the file that a descriptor's link names is on a mount that does not
// answer. Pipes and sockets are on no mount.
func mayNotAsk(root func() *files.Root, link, name string) bool {
	name, _ = cutDeleted(name)
	return path.IsAbs(name) && root().Refusal(link, name, 0) != nil
}
