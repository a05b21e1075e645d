package ptrace

import (
	"regexp"
	"strings"

	"stacksnap/task"
)

// Names of folders in the tree of control groups, that say what a process was put
// into. A container has 64 hexadecimal digits, which the drivers "systemd" and
// "cgroupfs" of its manager put differently: docker-ID.scope and docker/ID.
var (
	containerFolder = regexp.MustCompile(`^(?:([a-z-]+?)-)?([0-9a-f]{64})(?:\.scope)?$`)
	podFolder       = regexp.MustCompile(`^(?:kubepods-?(?:[a-z]+-)?)?pod([0-9a-f]{8}[-_][0-9a-f_-]{27}|[0-9a-f]{32})(?:\.slice)?$`)
	lxcFolder       = regexp.MustCompile(`^lxc\.payload\.(.+)$`)
	unitFolder      = regexp.MustCompile(`^.+\.(?:service|scope|socket|mount|swap)$`)
)

// managers are by the prefixes of their containers' folders, or by the folders in
// which these lie.
var managers = map[string]string{
	"docker": "docker", "libpod": "podman", "libpod_parent": "podman", "crio": "cri-o",
	"cri-containerd": "containerd", "nerdctl": "containerd", "lxc": "lxc",
}

// controlGroup tells from /proc/PID/cgroup (cgroups(7)) what a process was put
// into; nil where that is nothing or not known.
func controlGroup(file []byte) *task.Group {
	for _, path := range groupPaths(file) {
		if g := groupOf(path); g != nil {
			return g
		}
	}
	return nil
}

// groupPaths lists the paths in the order of what they tell: of version 2, of
// systemd's own hierarchy, of the others.
func groupPaths(file []byte) []string {
	var paths [3][]string
	for line := range strings.Lines(string(file)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) < 3 {
			continue
		}
		at := 2
		switch fields[1] {
		case "":
			at = 0
		case "name=systemd":
			at = 1
		}
		paths[at] = append(paths[at], fields[2])
	}
	return append(append(paths[0], paths[1]...), paths[2]...)
}

// groupOf is the innermost container, else the innermost unit, on a path.
func groupOf(path string) *task.Group {
	folders := strings.Split(path, "/")
	pod, unit := "", ""
	var found *task.Group
	for i, name := range folders {
		if m := podFolder.FindStringSubmatch(name); m != nil {
			pod = strings.ReplaceAll(m[1], "_", "-")
		}
		if g := container(folders[:i], name); g != nil {
			found = g
		}
		if unitFolder.MatchString(name) {
			unit = name
		}
	}
	switch {
	case found != nil && pod != "":
		return &task.Group{Manager: "kubernetes", ID: found.ID, Pod: pod}
	case found != nil:
		return found
	case unit != "":
		return &task.Group{Manager: "systemd", ID: unit}
	}
	return nil
}

// container recognises the folder of one, below others. Of 64 digits alone it is
// not known who has made it.
func container(above []string, name string) *task.Group {
	parent := ""
	if len(above) > 0 {
		parent = above[len(above)-1]
	}
	if m := lxcFolder.FindStringSubmatch(name); m != nil {
		return &task.Group{Manager: "lxc", ID: m[1]}
	}
	if parent == "lxc" && name != "" {
		return &task.Group{Manager: "lxc", ID: name}
	}
	m := containerFolder.FindStringSubmatch(name)
	if m == nil || m[1] == "libpod-conmon" || m[1] == "crio-conmon" { // their watchers
		return nil
	}
	manager := managers[m[1]]
	if m[1] == "" {
		manager = managers[parent]
	}
	return &task.Group{Manager: manager, ID: m[2]}
}
