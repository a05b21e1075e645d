package jsondoc

import (
	"bytes"
	"strings"
	"testing"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/text"
	"stacksnap/format/words"
	"stacksnap/images"
	"stacksnap/task"
)

// TestSharedCache: the line is spindump's, and there is none without a cache.
func TestSharedCache(t *testing.T) {
	p := &profile.Profile{Target: task.Info{PID: 7, Name: "demo", OS: task.Darwin, Arch: task.ARM64}, Snapshots: 1}
	tree := func() string {
		var b bytes.Buffer
		if err := text.Tree(&b, report.Of(p), words.Options{}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := tree(); strings.Contains(got, "Shared Cache") || newTarget(p).Cache != nil {
		t.Errorf("without one: %s", got)
	}
	p.Cache = &images.SharedCache{Base: 0x18c0a4000, Slide: 0xc0a4000}
	copy(p.Cache.UUID[:], fixtures.ID("5d2ebd25a9f93c4b8d0ae5b0f1c2d3e4"))
	const uuid = "5D2EBD25-A9F9-3C4B-8D0A-E5B0F1C2D3E4"
	if got, want := tree(), "\nShared Cache:    "+uuid+" slid base address 0x18c0a4000, slide 0xc0a4000\n"; !strings.Contains(got, want) {
		t.Errorf("%s\nwant%s", got, want)
	}
	if c := newTarget(p).Cache; *c != (jsonCache{uuid, "0x18c0a4000", "0xc0a4000"}) {
		t.Errorf("%+v", c)
	}
}
