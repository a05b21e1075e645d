package ptrace

import (
	"slices"
	"testing"
)

func TestSocketTables(t *testing.T) {
	files := map[string]string{
		"tcp": "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n" +
			"   0: 00000000:07E8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 624 1 0 100 0 0 10 0\n" +
			"   1: 0100007F:D452 0100007F:01BB 01 00000000:00000000 00:00000000 00000000     0        0 625 1 0 100 0 0 10 0\n",
		"tcp6": "   0: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 626 1 0\n",
		"unix": "Num       RefCount Protocol Flags    Type St Inode Path\n" +
			"000000000544ec04: 00000003 00000000 00000000 0001 03  1072\n" +
			"000000000544ec04: 00000003 00000000 00000000 0001 03  1073 /run/x\n",
	}
	want := map[string]string{
		"624": "tcp socket listening at 0.0.0.0:2024", "625": "tcp socket 127.0.0.1:54354 to 127.0.0.1:443",
		"626": "tcp socket listening at [::1]:80", "1072": "unix socket:[1072]", "1073": "unix socket /run/x", "5": "",
	}
	for inode, name := range want {
		got := ""
		for _, table := range socketTables {
			if s, ok := table.find([]byte(files[table.name]), inode); ok {
				got = s
			}
		}
		if got != name {
			t.Errorf("socket %s is %q, want %q", inode, got, name)
		}
	}
	if i, ok := socketInode("socket:[12]"); i != "12" || !ok {
		t.Errorf("%q, %v", i, ok)
	}
}

func TestLockHolder(t *testing.T) {
	const locks = "1: FLOCK  ADVISORY  WRITE 13477 fe:00:9977891 0 EOF\n" +
		"1: -> FLOCK  ADVISORY  WRITE 13498 fe:00:9977891 0 EOF\n" +
		"2: POSIX  ADVISORY  READ 7 fe:00:5 0 EOF\n3: POSIX  ADVISORY  READ 8 fe:00:5 0 EOF\n" +
		"4: OFDLCK ADVISORY  WRITE -1 fe:00:6 0 EOF\n" +
		"5: POSIX  ADVISORY  WRITE 21 fe:00:7 0 9\n5: -> POSIX  ADVISORY  WRITE 30 fe:00:7 0 EOF\n" +
		"6: POSIX  ADVISORY  WRITE 22 fe:00:7 10 19\n6: -> POSIX  ADVISORY  WRITE 31 fe:00:7 15 EOF\n6:  -> POSIX  ADVISORY  WRITE 32 fe:00:7 16 16\n" +
		"7: POSIX  ADVISORY  WRITE 23 fe:00:8 0 9\n7: -> POSIX  ADVISORY  WRITE 30 fe:00:8 0 0\n" +
		"8: POSIX  ADVISORY  WRITE 24 fe:00:8 10 19\n8: -> POSIX  ADVISORY  WRITE 30 fe:00:8 10 10\n" +
		"9: FLOCK  ADVISORY  WRITE 0 fe:00:9 0 EOF\n"
	for _, c := range []struct {
		inode  uint64
		waiter int
		want   int // 0: no answer
	}{
		{9977891, 13498, 13477}, {9977891, 1, 13477}, // whoever waits: there is one
		{5, 1, 0}, {6, 1, -1}, {1, 1, 0}, {9, 1, 0},
		{7, 30, 21}, {7, 31, 22}, {7, 32, 22}, {7, 1, 0}, // each for that in its way
		{8, 30, 0}, // two threads of it for two
	} {
		if pid, ok := lockHolder([]byte(locks), lockedFile{0xfe, 0, c.inode}, c.waiter); ok != (c.want != 0) || ok && pid != c.want {
			t.Errorf("inode %d, waiter %d: %d, %v, want %d", c.inode, c.waiter, pid, ok, c.want)
		}
	}
}

func TestWatched(t *testing.T) {
	const info = "pos:\t0\nflags:\t02000002\nmnt_id:\t17\nino:\t18\n" +
		"tfd:        7 events:       19 data:                7  pos:0 ino:39a0c sdev:9\n" +
		"tfd:       -1 events: x\ntfd: 3 events: 19 data: ffffffffffffffff pos:0 ino:zz sdev:9\n" +
		"tfd:        3 events:       19 data: ffffffffffffffff pos:0 ino:39d62 sdev:f\n"
	if got, want := watched([]byte(info)), []watchedFile{{3, 0x39d62}, {7, 0x39a0c}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func FuzzSockets(f *testing.F) {
	f.Add([]byte("   0: 00000000:07E8 00000000:0000 0A 0:0 0:0 0 0 0 624 1\n"))
	f.Add([]byte("tfd: 3 events: 19 data: 3 pos:0 ino:39d62 sdev:f\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, table := range socketTables {
			table.find(b, "624")
		}
		lockHolder(b, lockedFile{}, 1)
		lastNumber(b)
		watched(b)
	})
}
