package elf

import (
	"fmt"
	"testing"

	"stacksnap/task/files"
)

func TestSilences(t *testing.T) {
	var s silences
	for i := range 5 {
		s.add(&files.SilentError{Type: "nfs4", At: "/a"}, fmt.Sprint("/a/", i))
	}
	s.add(&files.SilentError{Type: "nfs4", At: "/b"}, "/b/lib")
	s.add(&files.SilentError{Type: "fuse", At: "/b"}, "/b/lib")
	var got string
	for _, err := range s.errors() {
		got += err.Error() + "\n"
	}
	const want = "the file system at /a (nfs4) does not answer, so that these were read from memory: /a/0, /a/1, /a/2 and 2 more\n" +
		"the file system at /b (nfs4) does not answer, so that these were read from memory: /b/lib\n" +
		"the file system at /b (fuse) does not answer, so that these were read from memory: /b/lib\n"
	if got != want {
		t.Error(got)
	}
}
