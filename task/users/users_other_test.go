//go:build !darwin

package users

import "testing"

func TestNameIn(t *testing.T) {
	const users = "root:x:0:0::/:/bin/sh\n# 7:x:7\nbad\n:x:8:8:\nwww-data:x:33:33:w:/:x\ntwin:x:33:0::\nnobody:x:65534:65534:n:/:/x"
	for id, want := range map[uint32]string{0: "root", 33: "www-data", 65534: "nobody", 8: "", 7: "", 1: "", 4294967294: ""} {
		if got, ok := nameIn([]byte(users), id); got != want || ok != (want != "") {
			t.Errorf("%d: %q, want %q", id, got, want)
		}
	}
}
