package words

import (
	"strings"
	"testing"

	"stacksnap/task"
)

func TestOwner(t *testing.T) {
	for want, u := range map[string]*task.User{
		"": nil, "0": {}, "root (0)": {Name: "root"}, "4294967294": {ID: 4294967294}, `a\x1bb (7)`: {ID: 7, Name: "a\x1bb"},
	} {
		if got := OwnerName(u); got != want {
			t.Errorf("%+v: %q, want %q", u, got, want)
		}
	}
}

func TestContainer(t *testing.T) {
	id := strings.Repeat("0123456789abcdef", 4)
	for _, tt := range []struct {
		g          *task.Group
		name, want string
	}{
		{nil, "Container", ""},
		{&task.Group{Manager: "systemd", ID: "nginx.service"}, "Unit", "nginx.service"},
		{&task.Group{Manager: "docker", ID: id}, "Container", "docker 0123456789ab"},
		{&task.Group{ID: id}, "Container", "0123456789ab"},
		{&task.Group{Manager: "lxc", ID: "web"}, "Container", "lxc web"},
		{&task.Group{Manager: "kubernetes", ID: id, Pod: "1a2b"}, "Container", "kubernetes 0123456789ab, pod 1a2b"},
		{&task.Group{Manager: "x\n", ID: "\x1b[2J" + id[:60], Pod: "\r"}, "Container", `x\n \x1b[2J` + id[:60] + `, pod \x0d`},
	} {
		if name, got := containerName(tt.g), container(tt.g); name != tt.name || got != tt.want {
			t.Errorf("%+v: %s: %q, want %s: %q", tt.g, name, got, tt.name, tt.want)
		}
	}
}
