//go:build linux && (amd64 || arm64)

package ptrace

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"stacksnap/task"
)

// TestHolders looks for the ends of a pipe and of a pair of sockets, of which this
// process has all.
func TestHolders(t *testing.T) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = unix.Close(p[0]), unix.Close(p[1]) }()
	s, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = unix.Close(s[0]), unix.Close(s[1]) }()
	link := func(fd int) string {
		name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	reads, writes := task.End{File: link(p[0])}, task.End{File: link(p[0]), Writes: true}
	socket, none := task.End{File: link(s[1])}, task.End{File: "pipe:[0]"}
	found := Holders([]task.End{reads, writes, socket, none})
	for _, e := range []task.End{reads, writes, socket} {
		if !slices.Equal(found[e].PIDs, []int{os.Getpid()}) {
			t.Errorf("%+v: %+v", e, found[e])
		}
	}
	if len(found[none].PIDs) > 0 {
		t.Errorf("of none: %+v", found[none])
	}
	_ = unix.Close(p[1])
	if after := Holders([]task.End{reads, writes}); len(after[writes].PIDs) > 0 || len(after[reads].PIDs) != 1 {
		t.Errorf("with one end closed: %+v", after)
	}
	p[1] = -1
	peer, ok := unixPeer(socketNumber(t, link(s[0])))
	if want := socketNumber(t, link(s[1])); !ok || peer != want {
		t.Errorf("peer %d, %t; want %d", peer, ok, want)
	}
}

// TestHoldersOfNamedPipe finds both ends of one by each of its names, and neither in a
// file beside it.
func TestHoldersOfNamedPipe(t *testing.T) {
	path := t.TempDir() + "/fifo"
	must(t, unix.Mkfifo(path, 0o600))
	must(t, os.Link(path, path+".too"))
	must(t, os.WriteFile(path+".file", nil, 0o600))
	open := func(name string, mode int) int {
		t.Helper()
		fd, err := unix.Open(path+name, mode|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		must(t, err)
		return fd
	}
	read, write, file := open("", unix.O_RDONLY), open(".too", unix.O_WRONLY), open(".file", unix.O_RDONLY)
	defer closeFD(read)
	defer closeFD(file)
	p := &Process{live: procDir{openPath(t, "/proc/self")}, folder: "/proc/self"}
	reader, hasReader := p.OtherEnd(write, true)
	writer, hasWriter := p.OtherEnd(read, false)
	if !hasReader || !hasWriter || reader.File != writer.File || reader.Writes || !writer.Writes {
		t.Fatalf("%+v, %v; %+v, %v", reader, hasReader, writer, hasWriter)
	}
	if end, ok := p.OtherEnd(file, false); ok {
		t.Errorf("a file has another end: %+v", end)
	}
	found := Holders([]task.End{reader, writer})
	if !slices.Equal(found[reader].PIDs, []int{os.Getpid()}) || !slices.Equal(found[writer].PIDs, []int{os.Getpid()}) {
		t.Errorf("%+v", found)
	}
	closeFD(write)
	if after := Holders([]task.End{reader, writer}); len(after[writer].PIDs) > 0 || len(after[reader].PIDs) != 1 {
		t.Errorf("with one end closed: %+v", after)
	}
}

func socketNumber(t *testing.T, link string) uint32 {
	t.Helper()
	inode, ok := socketInode(link)
	if !ok {
		t.Fatal(link)
	}
	n, err := strconv.ParseUint(inode, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(n)
}

// answerOf is what the kernel says of a socket, with attributes.
func answerOf(inode uint32, attributes ...[]byte) []byte {
	b := make([]byte, answerSize)
	e := binary.NativeEndian
	e.PutUint16(b[4:], sockDiagByFamily)
	e.PutUint32(b[20:], inode)
	for _, a := range attributes {
		b = append(b, a...)
	}
	e.PutUint32(b, uint32(len(b)))
	return b
}

func attribute(typ uint16, value ...byte) []byte {
	b := binary.NativeEndian.AppendUint16(nil, uint16(4+len(value)))
	b = append(binary.NativeEndian.AppendUint16(b, typ), value...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

func TestParsePeer(t *testing.T) {
	peer := attribute(attributePeer, 7, 0, 0, 0)
	whole := answerOf(5, attribute(6, 1), peer)
	if got, ok := parsePeer(whole, 5); !ok || got != 7 {
		t.Errorf("%d, %t", got, ok)
	}
	for name, b := range map[string][]byte{
		"none": answerOf(5), "another socket": answerOf(6, peer), "no peer": answerOf(5, attribute(attributePeer, 0, 0, 0, 0)),
		"short attribute": answerOf(5, []byte{1, 0, 2, 0}), "long attribute": answerOf(5, []byte{200, 0, 2, 0, 7, 0, 0, 0}),
		"an error": append(binary.NativeEndian.AppendUint32(nil, 36), make([]byte, 32)...),
	} {
		if got, ok := parsePeer(b, 5); ok {
			t.Errorf("%s: %d", name, got)
		}
	}
	for n := range whole {
		parsePeer(whole[:n], 5) // panics at nothing
	}
}

// TestHoldersByStandardInput looks for a program that has an end as its descriptor 0 and
// nowhere else, as behind a | of a shell.
func TestHoldersByStandardInput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	cat := exec.Command("cat")
	cat.Stdin = r
	if err := cat.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cat.Wait() }()
	defer w.Close()
	link, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(r.Fd())))
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	end := task.End{File: link}
	if h := Holders([]task.End{end})[end]; !slices.Equal(h.PIDs, []int{cat.Process.Pid}) {
		t.Errorf("%v, want %d", h.PIDs, cat.Process.Pid)
	}
}

func TestLockOfADescriptor(t *testing.T) {
	const info = "pos:\t0\nflags:\t0100002\nmnt_id:\t29\nino:\t11691\nlock:\t1: FLOCK  ADVISORY  WRITE 359 00:13:11691 0 EOF\n"
	file := lockedFile{0, 0x13, 11691}
	if !infoHasLock([]byte(info), file) {
		t.Error("not found")
	}
	if !infoHasLock([]byte(strings.Replace(info, "FLOCK  ADVISORY  WRITE 359", "OFDLCK ADVISORY  WRITE -1", 1)), file) {
		t.Error("that of no process is not found")
	}
	if infoHasLock([]byte(info), lockedFile{0, 0x13, 11692}) || infoHasLock([]byte(strings.Replace(info, "lock:", "lack:", 1)), file) {
		t.Error("found another's")
	}
}

func TestMapsShared(t *testing.T) {
	const maps = `7f0000000000-7f0000002000 rw-s 00001000 00:01 77   /dev/zero (deleted)
7f0000003000-7f0000004000 rw-p 00005000 00:01 77   /dev/zero (deleted)
`
	dev := unix.Mkdev(0, 1)
	for at, want := range map[sharedPlace]bool{
		{dev, 77, 0x1000}: true, {dev, 77, 0x2fff}: true, {dev, 77, 0x3000}: false, {dev, 77, 0xfff}: false,
		{dev, 78, 0x1000}: false, {dev + 1, 77, 0x1000}: false, {dev, 77, 0x5000}: false, // mapped, but not shared
	} {
		if got := mapsShared([]byte(maps), at); got != want {
			t.Errorf("%+v: %t", at, got)
		}
	}
}

// tableOf is as /proc/net/tcp is, of the addresses, states and inodes given.
func tableOf(rows ...[4]string) []byte {
	var b strings.Builder
	b.WriteString("  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n")
	for i, r := range rows {
		fmt.Fprintf(&b, "%4d: %s %s %s 00000000:00000000 00:00000000 00000000     0        0 %s 1 0000000000000000 20 4 30 10 -1\n", i, r[0], r[1], r[2], r[3])
	}
	return []byte(b.String())
}

// TestOtherSocket finds the one end of a connection that mirrors the other.
func TestOtherSockets(t *testing.T) {
	const a, b, c = "0100007F:1F90", "0100007F:A1B2", "0100007F:C3D4"
	const a6 = "0000000000000000FFFF00000100007F:1F90"
	for name, test := range map[string]struct {
		tables [][]byte
		want   string
	}{
		"both ends":       {[][]byte{tableOf([4]string{a, "00000000:0000", "0A", "6"}, [4]string{b, a, "01", "7"}, [4]string{c, a, "01", "9"}, [4]string{a, b, "01", "8"})}, "8"},
		"one for IPv6":    {[][]byte{tableOf([4]string{b, a, "01", "7"}), tableOf([4]string{a6, "0000000000000000FFFF00000100007F:A1B2", "01", "8"})}, "8"},
		"not accepted":    {[][]byte{tableOf([4]string{b, a, "01", "7"}, [4]string{a, b, "01", "0"})}, ""},
		"elsewhere":       {[][]byte{tableOf([4]string{b, a, "01", "7"})}, ""},
		"to itself":       {[][]byte{tableOf([4]string{a, a, "01", "7"})}, ""},
		"closing":         {[][]byte{tableOf([4]string{b, a, "01", "7"}, [4]string{a, b, "08", "8"})}, ""},
		"of another port": {[][]byte{tableOf([4]string{b, a, "01", "7"}, [4]string{a, c, "01", "8"})}, ""},
		"two of them":     {[][]byte{tableOf([4]string{b, a, "01", "7"}, [4]string{a, b, "01", "8"}, [4]string{a, b, "01", "9"})}, ""},
		"cut short":       {[][]byte{tableOf([4]string{b, a, "01", "7"}, [4]string{a, b, "01", "8"})[:300]}, ""},
	} {
		var all []connection
		for _, table := range test.tables {
			all = append(all, connections(table)...)
		}
		peers := otherSockets(all)
		if got, ok := peers["7"]; got != test.want && ok || ok != (test.want != "") {
			t.Errorf("%s: %q, %t", name, got, ok)
		}
		if got, ok := peers["0"]; ok {
			t.Errorf("%s: %q is the other end of none", name, got)
		}
	}
}
