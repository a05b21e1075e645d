package profile

import (
	"testing"

	"stacksnap/task"
)

// TestNameMain: the main program has another name than its file only where name and command line of
// the process agree on it.
func TestNameMain(t *testing.T) {
	for _, c := range []struct{ file, name, arg, want string }{
		{"/usr/bin/redis-check-rdb", "redis-server", "redis-server *:6379", "redis-server"},
		{"/bin/busybox", "httpd", "/usr/sbin/httpd", "httpd"},
		{"/opt/all in one", "my tool", "/opt/my tool", "my tool"},
		{"/usr/lib/mail/all", "postmaster", "postmaster: idle", "postmaster"},
		{"/usr/bin/redis-server", "redis-server", "redis-server", ""},
		{"/usr/bin/python3.11", "python3", "python3", ""},
		{"/usr/bin/python3.11", "shop.py", "/usr/bin/python3", ""},
		{"/usr/bin/redis-check-rdb", "renamed", "redis-server", ""},
		{"/usr/bin/redis-check-rdb", "", "", ""},
	} {
		p := &Profile{Target: task.Info{Name: c.name, Command: task.NewCommand([]string{c.arg})}, Main: &Image{Path: c.file}}
		if p.NameMain(); p.Main.KnownAs != c.want {
			t.Errorf("%+v: %q", c, p.Main.KnownAs)
		}
	}
	(&Profile{}).NameMain()
}
