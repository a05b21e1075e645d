package cgroup

import (
	"reflect"
	"strings"
	"testing"

	"stacksnap/task"
)

func TestControlGroup(t *testing.T) {
	const pod = "1a2b3c4d-1111-2222-3333-0123456789ab"
	id := strings.Repeat("0123456789abcdef", 4)
	dashed := strings.ReplaceAll(pod, "-", "_")
	for _, tt := range []struct {
		about, file string
		want        *task.Group
	}{
		{"the root", "0::/\n", nil},
		{"the root of version 1", "9:name=systemd:/\n4:memory:/\n0::/\n", nil},
		{"nothing", "", nil},
		{"damage", "0:\n::\n1\n\n", nil},
		{"Docker", "0::/system.slice/docker-" + id + ".scope\n", &task.Group{Manager: "docker", ID: id}},
		{"Docker, cgroupfs", "12:pids:/docker/" + id + "\n0::/\n", &task.Group{Manager: "docker", ID: id}},
		{"a service in Docker", "0::/docker/" + id + "/init.scope\n", &task.Group{Manager: "docker", ID: id}},
		{"Podman", "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + id + ".scope/container\n", &task.Group{Manager: "podman", ID: id}},
		{"Podman, cgroupfs", "0::/libpod_parent/libpod-" + id + "\n", &task.Group{Manager: "podman", ID: id}},
		{"Podman's watcher", "0::/machine.slice/libpod-conmon-" + id + ".scope\n", &task.Group{Manager: "systemd", ID: "libpod-conmon-" + id + ".scope"}},
		{"Kubernetes", "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" + dashed + ".slice/cri-containerd-" + id + ".scope\n",
			&task.Group{Manager: "kubernetes", ID: id, Pod: pod}},
		{"Kubernetes, guaranteed", "0::/kubepods.slice/kubepods-pod" + dashed + ".slice/crio-" + id + ".scope\n", &task.Group{Manager: "kubernetes", ID: id, Pod: pod}},
		{"Kubernetes, cgroupfs", "11:cpu:/kubepods/besteffort/pod" + pod + "/" + id + "\n", &task.Group{Manager: "kubernetes", ID: id, Pod: pod}},
		{"CRI-O", "0::/machine.slice/crio-" + id + ".scope\n", &task.Group{Manager: "cri-o", ID: id}},
		{"somebody's", "0::/default/" + id + "\n", &task.Group{ID: id}},
		{"LXC", "0::/lxc.payload.web/init.scope\n", &task.Group{Manager: "lxc", ID: "web"}},
		{"LXC before", "3:cpu:/lxc/web\n", &task.Group{Manager: "lxc", ID: "web"}},
		{"a container in another", "0::/docker/" + strings.Repeat("f", 64) + "/docker/" + id + "\n", &task.Group{Manager: "docker", ID: id}},
		{"a unit", "0::/system.slice/nginx.service\n", &task.Group{Manager: "systemd", ID: "nginx.service"}},
		{"a user's unit", "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-firefox.service\n", &task.Group{Manager: "systemd", ID: "app-firefox.service"}},
		{"a session", "1:name=systemd:/user.slice/user-0.slice/session-3.scope\n2:pids:/user.slice\n", &task.Group{Manager: "systemd", ID: "session-3.scope"}},
		{"a slice alone", "0::/user.slice\n", nil},
		{"too few digits", "0::/docker/" + id[:63] + "\n", nil},
		{"a name of colons", "0::/system.slice/a:b.service\n", &task.Group{Manager: "systemd", ID: "a:b.service"}},
		{"of one's own", "4:memory:/batch/ff1272fc561d38dfdb0619686e1fde08\n", nil},
	} {
		if got := Of([]byte(tt.file)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.about, got, tt.want)
		}
	}
}
