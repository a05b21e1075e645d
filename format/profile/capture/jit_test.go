package capture

import (
	"testing"

	"stacksnap/task"
)

// TestWhatMayBeGenerated: code of a file is named by that alone.
func TestWhatMayBeGenerated(t *testing.T) {
	for path, want := range map[string]bool{
		"": true, "[heap]": true, "[anon:v8]": true, "[anon_shmem:x]": true, "/memfd:doublemapper": true, "/dev/zero": true,
		"/usr/lib/libc.so.6": false, "[vdso]": false, "[stack]": false, "/tmp/x": false, "/home/memfd:x": false,
	} {
		if got := isGenerated(&task.Region{Path: path}); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}
