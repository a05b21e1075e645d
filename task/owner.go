package task

// User is by whose rights a process runs: the effective user.
type User struct {
	ID   uint32
	Name string // on the system that read it; empty where that has none, or another system gave the number
}

// Tracer is a process that held a target stopped as it was opened, such as a
// debugger.
type Tracer struct {
	PID  int
	Name string // empty: not known
}

// Group is what a manager of containers or services has put a process into.
type Group struct {
	Manager string // "docker", "podman", "kubernetes", "containerd", "cri-o", "lxc"; "systemd" of a unit
	ID      string // of the container, or the unit's name
	Pod     string // of Kubernetes, its UID; empty for others
}
