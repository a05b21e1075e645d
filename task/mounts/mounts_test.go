package mounts

import (
	"slices"
	"strings"
	"testing"
)

const table = `22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 27 0:30 / /mnt/a rw - fuse.sshfs host:/ rw,user_id=0
31 30 0:31 / /mnt/a/in rw - tmpfs tmpfs rw
32 27 0:32 / /mnt/with\040space\134 rw - nfs4 host:/x rw
33 27 0:33 / /mnt/b rw - fuse x rw
34 33 8:1 / /mnt/b rw - ext4 /dev/sda1 rw
35 27 0:35 / /c rw - nfs host:/y rw
36 27 0:36 / /c/d rw - fuse y rw
37 27 0:37 / /c rw - tmpfs tmpfs rw
not a line
38 27 0:38 / /sys rw - fusectl none rw
39 27 0:39 / /o rw - overlay overlay rw,lowerdir=/l\134:1:/l2::/data,upperdir=/u\134,p,workdir=/w
`

func TestFind(t *testing.T) {
	all := Parse([]byte(table))
	for name, want := range map[string]string{
		"/": "27", "/mnt": "27", "/mnt/a": "27 30", "/mnt/a/x": "27 30", "/mnt/ab": "27", "/mnt/a/in/x": "27 30 31",
		"/mnt/with space\\/x": "27 32", "/mnt/b/x": "27 33 34", "/c/x": "27 37", "/c/d/x": "27 37", "/mnt/a/../b": "27 33 34",
		"/proc/1": "27 22",
	} {
		var way []string
		for m := range all.Way(name) {
			way = append(way, string(rune('0'+m.ID/10))+string(rune('0'+m.ID%10)))
		}
		if got := strings.Join(way, " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if m, ok := all.Find(name); !ok || !strings.HasSuffix(want, string(rune('0'+m.ID%10))) {
			t.Errorf("%s is found on %+v", name, m)
		}
	}
	if m, ok := Parse([]byte("5 4 0:1 / /x rw - tmpfs t rw")).Find("/x"); ok {
		t.Errorf("outside of the root: %+v", m)
	}
}

func TestRemote(t *testing.T) {
	all := Parse([]byte(table))
	var is []int
	for _, m := range all {
		if m.IsRemote() {
			is = append(is, m.ID)
		}
	}
	if want := []int{30, 32, 33, 35, 36}; !slices.Equal(is, want) || !all.HasRemote() {
		t.Errorf("%v, want %v", is, want)
	}
	last := all[len(all)-1]
	if got, want := last.Layers(), []string{"/l:1", "/l2", "/data", "/u,p", "/w"}; !slices.Equal(got, want) {
		t.Errorf("layers %q, want %q", got, want)
	}
	if all[0].Layers() != nil || all[:2].HasRemote() {
		t.Error("of others, too")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(table), "/mnt/a/in")
	f.Add([]byte("1 2 0:1 / / r - a b c\n2 1 0:1 / / r - a b c\n2 2 0:1 / / r - a b c\n"), "/")
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		for _, m := range Parse(text) {
			m.Layers()
		}
		Parse(text).Find(name)
	})
}
