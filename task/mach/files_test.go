package mach

import (
	"encoding/binary"
	"testing"

	"stacksnap/task"
)

// fileAnswer makes an answer of a size with texts and bytes in it.
func fileAnswer(size int, at map[int]string) []byte {
	b := make([]byte, size)
	for i, s := range at {
		copy(b[i:], s)
	}
	return b
}

func word32(v uint32) string { return string(binary.LittleEndian.AppendUint32(nil, v)) }

// The offsets were printed by a C program that was compiled with Apple's
// proc_info.h.
func TestOpenFile(t *testing.T) {
	const v4, v6, tcpKind, otherKind, listen, established = "\x01", "\x02", 2, 1, 1, 4
	home4 := "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x7f\x00\x00\x01"
	home6 := "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"
	inet := func(kind, protocol, state uint32, version, remote, remotePort, local, localPort string) scriptedFile {
		return scriptedFile{3, fileAnswer(792, map[int]string{180: word32(protocol), 256: word32(kind), 264: remotePort, 268: localPort,
			288: version, 296: remote, 312: local, 344: word32(state)})}
	}
	tests := []struct {
		file scriptedFile
		want string
	}{
		{scriptedFile{2, fileAnswer(1200, map[int]string{176: "/tmp/a file"})}, "/tmp/a file"},
		{scriptedFile{2, fileAnswer(1200, map[int]string{176: "/tmp/\x1b[31m"})}, ""},
		{scriptedFile{2, fileAnswer(1199, map[int]string{176: "/tmp/cut"})}, ""},
		{inet(tcpKind, 6, listen, v4, "", "", home4, "\x00\x50"), "tcp socket listening at 127.0.0.1:80"},
		{inet(tcpKind, 6, established, v6, home6, "\x1f\x90", home6, "\x00\x50"), "tcp socket [::1]:80 to [::1]:8080"},
		{inet(otherKind, 17, 0, v4, "", "", home4, "\x00\x35"), "udp socket 127.0.0.1:53"},
		{inet(otherKind, 1, 0, v4, "", "", home4, ""), "internet protocol 1 socket 127.0.0.1:0"},
		{scriptedFile{3, fileAnswer(792, map[int]string{256: word32(3), 282: "/tmp/s"})}, "unix socket /tmp/s"},
		{scriptedFile{3, fileAnswer(792, map[int]string{256: word32(3), 537: "/tmp/peer"})}, "unix socket to /tmp/peer"},
		{scriptedFile{3, fileAnswer(792, map[int]string{256: word32(6), 288: "com.apple.net.utun_control"})},
			"kernel control socket com.apple.net.utun_control"},
		{scriptedFile{3, fileAnswer(792, map[int]string{256: word32(5)})}, "socket"},
		{scriptedFile{6, fileAnswer(184, map[int]string{160: "\x34\x12", 168: "\x78\x56"})}, "pipe 0x1234, whose other end is 0x5678"},
		{scriptedFile{7, fileAnswer(168, nil)}, "kqueue"},
		{scriptedFile{4, fileAnswer(1184, map[int]string{160: "/sem"})}, "semaphore /sem"},
		{scriptedFile{5, fileAnswer(1192, map[int]string{168: "/shm"})}, "shared memory /shm"},
		{scriptedFile{99, nil}, ""},
	}
	for _, test := range tests {
		k := newScripted(task.AMD64, 1)
		k.files = map[int]scriptedFile{5: test.file}
		p := mustOpen(t, k)
		if got := p.OpenFile(5); got != test.want {
			t.Errorf("flavor %d: %q, want %q", test.file.flavor, got, test.want)
		}
		if got := p.OpenFile(6) + p.OpenFile(-1); got != "" {
			t.Errorf("no such descriptor, and %q", got)
		}
		mustClose(t, p)
	}
}

// Nothing is asked for while the target stands.
func TestFilesAreNotAskedForInAStop(t *testing.T) {
	k := newScripted(task.AMD64, 1)
	k.files = map[int]scriptedFile{5: {7, fileAnswer(168, nil)}}
	p := mustOpen(t, k)
	resume, err := p.Suspend(task.StopOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.OpenFile(5); got != "" {
		t.Errorf("%q while the target stood", got)
	}
	if err := resume(); err != nil {
		t.Fatal(err)
	}
	if got := p.OpenFile(5); got != "kqueue" {
		t.Errorf("%q afterwards", got)
	}
	mustClose(t, p)
}

// A kernel that does not tell of files, or not to us, is asked once.
func TestFilesThatAreRefused(t *testing.T) {
	k := newScripted(task.AMD64, 1)
	p := mustOpen(t, k)
	k.failCall, k.failWith = "proc_pidfdinfo", Return(notPermitted)
	for fd := range 5 {
		if got := p.OpenFile(fd); got != "" {
			t.Errorf("fd %d: %q", fd, got)
		}
	}
	if k.asked != 1 {
		t.Errorf("it was asked %d times", k.asked)
	}
	k.failCall = ""
	mustClose(t, p)
}
