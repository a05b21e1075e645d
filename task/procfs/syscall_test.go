//go:build linux

package procfs

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

func TestWatched(t *testing.T) {
	const info = "pos:\t0\nflags:\t02000002\nmnt_id:\t17\nino:\t18\n" +
		"tfd:        7 events:       19 data:                7  pos:0 ino:39a0c sdev:9\n" +
		"tfd:       -1 events: x\ntfd: 3 events: 19 data: ffffffffffffffff pos:0 ino:zz sdev:9\n" +
		"tfd:        3 events:       19 data: ffffffffffffffff pos:0 ino:39d62 sdev:f\n"
	if got, want := watched([]byte(info)), []watchedFile{{3, 0x39d62}, {7, 0x39a0c}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestWatchedThatIsOpen: of the files that an epoll instance watches, those are told
// that still have their number.
func TestWatchedThatIsOpen(t *testing.T) {
	live := fakeProc(t, map[string]string{"fd/7": "", "status": "FDSize:\t64\n"})
	var st unix.Stat_t
	must(t, unix.Fstatat(live.fd, "fd/7", &st, 0))
	p := &Process{live: live}
	in := func(name string) string { return fmt.Sprintf("/proc/self/fd/%d/%s", live.fd, name) }
	must(t, os.Mkdir(in("fdinfo"), 0o755))
	tell := func(inode uint64) {
		writeFile(t, in("fdinfo/3"), fmt.Sprintf("pos:\t0\ntfd: 7 events: 1 data: 0  pos:0 ino:%x sdev:1\n", inode))
	}
	for _, test := range []struct {
		name  string
		inode uint64
		size  int
		n     int
		open  int
	}{
		{"open", st.Ino, 64, 1, 1}, {"another file's by now", st.Ino + 1, 64, 1, 0},
		{"as many as are asked", st.Ino, maxListed, 1, 1}, {"too many", st.Ino, maxListed + 1, 0, 0},
	} {
		tell(test.inode)
		writeFile(t, in("status"), fmt.Sprintf("FDSize:\t%d\n", test.size))
		if n, fds := p.Watched(3); n != test.n || len(fds) != test.open {
			t.Errorf("%s: %d, %v", test.name, n, fds)
		}
	}
}

func FuzzFileTables(f *testing.F) {
	f.Add([]byte("1: FLOCK  ADVISORY  WRITE 359 00:13:11691 0 EOF\n"))
	f.Add([]byte("tfd: 3 events: 19 data: 3 pos:0 ino:39d62 sdev:f\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		lockHolder(b, lockedFile{}, 1)
		lastNumber(b)
		watched(b)
	})
}
