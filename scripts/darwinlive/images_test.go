//go:build darwinlive && (linux || darwin)

package darwinlive

import (
	"debug/macho"
	"encoding/hex"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestImages compares the images of a report with what dyld tells the target
// itself, and the program's UUID with that in its file.
func TestImages(t *testing.T) {
	program := compile(t, "images.c", cFlags...)
	live(t, time.Minute, func(r *room) {
		p := r.target(program)
		rep := r.look(p)
		truth := map[string][]string{} // by address
		for _, m := range regexp.MustCompile(`(?m)^image (0x\w+) (\w*) (.*)$`).FindAllStringSubmatch(p.output(0), -1) {
			truth[m[1]] = m[2:]
		}
		if len(rep.Images) < 2 || len(truth) < len(rep.Images) {
			r.Fatalf("%d images of %d", len(rep.Images), len(truth))
		}
		for _, im := range rep.Images {
			want := truth[im.LoadAddress]
			if want == nil || strings.ReplaceAll(im.ID, "-", "") != want[0] || im.Path != want[1] {
				r.Errorf("%+v, and dyld says UUID and path are %q", im, want)
			}
			if im.Main && (strings.ReplaceAll(im.ID, "-", "") != fileUUID(t, program) || im.Path != r.inside(program)) {
				r.Errorf("the program: %+v, and its file has %s", im, fileUUID(t, program))
			}
		}
	})
}

// fileUUID is LC_UUID of a Mach-O file (mach-o/loader.h, uuid_command).
func fileUUID(t *testing.T, file string) string {
	t.Helper()
	f, err := macho.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const uuid = 0x1b
	for _, l := range f.Loads {
		if raw := l.Raw(); len(raw) == 24 && f.ByteOrder.Uint32(raw) == uuid {
			return strings.ToUpper(hex.EncodeToString(raw[8:]))
		}
	}
	t.Fatal("no LC_UUID")
	return ""
}
