package frametable

import (
	"testing"

	"stacksnap/format/profile"
)

func TestTypeOf(t *testing.T) {
	file := &profile.Image{Path: "/usr/bin/app"}
	for _, test := range []struct {
		image  *profile.Image
		file   string
		kernel bool
		want   FrameType
	}{
		{file, "app.c", false, Native},
		{file, "", false, Native},
		{file, "/src/main.go", false, Go},
		{file, "src/main.rs", false, Rust},
		{&profile.Image{Path: "CPython 3.12.1", Runtime: true}, "app.py", false, CPython},
		{&profile.Image{Path: "Other 1", Runtime: true}, "", false, ""},
		{&profile.Image{Path: "/tmp/perf-1.map", Generated: true}, "", false, ""},
		{nil, "", true, Kernel},
		{nil, "", false, ""},
	} {
		n := &profile.Node{Location: profile.Location{Image: test.image, File: test.file, Kernel: test.kernel}}
		if got := typeOf(n); got != test.want {
			t.Errorf("%v %s kernel %t: %q, want %q", test.image, test.file, test.kernel, got, test.want)
		}
	}
}
