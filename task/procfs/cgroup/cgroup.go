// Package cgroup recognises the container or systemd unit of a process by its control groups.
package cgroup

import (
	"cmp"
	"slices"
	"strings"

	"stacksnap/task"
)

// managers names the manager of a container by the prefix of its directory, or by the directory
// that contains it.
var managers = map[string]string{
	"docker": "docker", "libpod": "podman", "libpod_parent": "podman", "crio": "cri-o",
	"cri-containerd": "containerd", "nerdctl": "containerd", "lxc": "lxc",
}

// Of returns the group of a process, given its /proc/PID/cgroup (cgroups(7)); nil if it has none
// or it is not known.
func Of(file []byte) *task.Group {
	for _, path := range groupPaths(file) {
		if g := groupOf(path); g != nil {
			return g
		}
	}
	return nil
}

// groupPaths lists the paths, the most informative first: that of version 2, that of systemd's
// own hierarchy, the others.
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

// groupOf returns the innermost container on a path or, if there is none, the innermost unit.
func groupOf(path string) *task.Group {
	folders := strings.Split(path, "/")
	pod, unit := "", ""
	var found *task.Group
	for i, name := range folders {
		pod = cmp.Or(podIn(name), pod)
		if g := container(folders[:i], name); g != nil {
			found = g
		}
		if isUnit(name) {
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

// container recognises the directory of a container, given the directories above it. If the name
// is only 64 digits, they do not show which manager made it.
func container(above []string, name string) *task.Group {
	parent := ""
	if len(above) > 0 {
		parent = above[len(above)-1]
	}
	if web, ok := strings.CutPrefix(name, "lxc.payload."); ok && web != "" {
		return &task.Group{Manager: "lxc", ID: web}
	}
	if parent == "lxc" && name != "" {
		return &task.Group{Manager: "lxc", ID: name}
	}
	by, id, ok := containerIn(name)
	if !ok || by == "libpod-conmon" || by == "crio-conmon" { // these monitor containers
		return nil
	}
	manager := managers[by]
	if by == "" {
		manager = managers[parent]
	}
	return &task.Group{Manager: manager, ID: id}
}

// containerIn splits the name of a container's directory. It has 64 hexadecimal digits, which
// the manager's "systemd" and "cgroupfs" drivers write differently: docker-ID.scope and
// docker/ID.
func containerIn(folder string) (manager, id string, ok bool) {
	name := strings.TrimSuffix(folder, ".scope")
	at := strings.LastIndexByte(name, '-') + 1
	if id = name[at:]; len(id) != 64 || strings.Trim(id, hexDigits) != "" {
		return "", "", false
	}
	manager = strings.TrimSuffix(name[:at], "-")
	return manager, id, at == 0 || manager != "" && strings.Trim(manager, letters+"-") == ""
}

const (
	hexDigits = "0123456789abcdef"
	letters   = "abcdefghijklmnopqrstuvwxyz"
)

// podIn returns the ID in the name of a Kubernetes pod's directory, with dashes; "" if it is
// none. It has 36 characters. Four of them are dashes or, where dashes have a meaning,
// underscores. Or it has only the 32 digits, for a pod that no server knows.
func podIn(folder string) string {
	name := strings.TrimSuffix(folder, ".slice")
	if class, ok := strings.CutPrefix(name, "kubepods"); ok {
		at := strings.LastIndex(class, "pod")
		quality := strings.Trim(class[:max(at, 0)], "-")
		if at < 0 || strings.Trim(quality, letters) != "" {
			return ""
		}
		name = class[at:]
	}
	id, ok := strings.CutPrefix(name, "pod")
	dashed := len(id) == 36 && strings.Trim(id[:8], hexDigits) == "" && strings.ContainsAny(id[8:9], "-_")
	if !ok || !dashed && (len(id) != 32 || strings.ContainsAny(id, "-_")) || strings.Trim(id, hexDigits+"-_") != "" {
		return ""
	}
	return strings.ReplaceAll(id, "_", "-")
}

// isUnit reports whether a directory is that of a systemd unit that has processes.
func isUnit(folder string) bool {
	kinds := []string{".service", ".scope", ".socket", ".mount", ".swap"}
	return slices.ContainsFunc(kinds, func(kind string) bool { return len(folder) > len(kind) && strings.HasSuffix(folder, kind) })
}
