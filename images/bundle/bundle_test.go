package bundle

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stacksnap/images/object"
)

var tray = object.Bundle{ID: "org.example.tray", Version: "1.2", Build: "34ü"}

// forms are one property list, written by Python's plistlib.
func forms(t testing.TB) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, name := range []string{"info.plist", "info.bplist"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = b
	}
	return all
}

func TestBothForms(t *testing.T) {
	for name, b := range forms(t) {
		if got := In(b); got != tray {
			t.Errorf("%s: %+v, want %+v", name, got, tray)
		}
		if v := Parse(b); v[executableKey] != "tray" || len(v) != 4 {
			t.Errorf("%s: %v", name, v)
		}
	}
}

func TestWhatIsNoListTellsNothing(t *testing.T) {
	for name, b := range map[string]string{
		"empty": "", "text": "hello", "magic alone": "bplist00", "a number": `<plist><dict><key>CFBundleVersion</key><integer>3</integer></dict></plist>`,
		"deeper":           `<plist><dict><key>A</key><dict><key>CFBundleVersion</key><string>3</string></dict></dict></plist>`,
		"key of another":   `<plist><dict><key>CFBundleVersion</key><true/><string>3</string></dict></plist>`,
		"in an array":      `<plist><array><key>CFBundleVersion</key><array><string>3</string></array></array></plist>`,
		"too long":         `<plist><dict><key>CFBundleVersion</key><string>` + strings.Repeat("3", maxText+1) + `</string></dict></plist>`,
		"too long by half": `<plist><dict><key>CFBundleVersion</key><string>33<!-- -->` + strings.Repeat("3", maxText) + `</string></dict></plist>`,
		"too large":        `<plist><dict><key>CFBundleVersion</key><string>3</string></dict></plist>` + strings.Repeat(" ", MaxSize),
		"ended only":       strings.Repeat("</dict>", 9) + "<string>3</string>",
	} {
		if got := In([]byte(b)); got != (object.Bundle{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	entity := In([]byte(`<plist><dict><key>CFBundleVersion</key><string>a&amp;b</string></dict></plist>`))
	if entity.Build != "a&b" {
		t.Errorf("%+v", entity)
	}
}

// TestDamagedLists flips bytes of good lists and cuts them: nothing panics, and
// no value is longer than it may be.
func TestDamagedLists(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, good := range forms(t) {
		for range 20_000 {
			b := bytes.Clone(good[:1+r.IntN(len(good))])
			for range r.IntN(4) {
				b[r.IntN(len(b))] = byte(r.Uint32())
			}
			for k, v := range Parse(b) {
				if len(v) > 4*maxText {
					t.Fatalf("%s of %d bytes", k, len(v))
				}
			}
		}
	}
	binary := forms(t)["info.bplist"]
	for i := range binary { // each byte to its extremes
		for _, c := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			b := bytes.Clone(binary)
			b[i] = c
			Parse(b)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, b := range forms(f) {
		f.Add(b)
	}
	f.Fuzz(func(_ *testing.T, b []byte) { Parse(b) })
}

// TestProgramsThatHaveAList lays out programs as they are on a Mac.
func TestProgramsThatHaveAList(t *testing.T) {
	list := forms(t)["info.bplist"]
	dir := t.TempDir()
	for file, lies := range map[string]string{
		"A.app/Contents/MacOS/tray":               "A.app/Contents/Info.plist",
		"B.app/tray":                              "B.app/Info.plist",
		"C.appex/tray":                            "C.appex/Info.plist",
		"D.framework/Versions/A/tray":             "D.framework/Versions/A/Resources/Info.plist",
		"E.app/Contents/MacOS/helper":             "E.app/Contents/Info.plist", // not its own
		"F/tray":                                  "F/Info.plist",              // no bundle
		"Contents/tray":                           "Contents/Info.plist",
		"G.app/Contents/Frameworks/MacOS/tray":    "G.app/Contents/Info.plist",
		"H.framework/Versions/A/Resources/x/tray": "H.framework/Versions/A/Resources/Info.plist",
	} {
		lies = filepath.Join(dir, lies)
		if err := os.MkdirAll(filepath.Dir(lies), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(lies, list, 0o600); err != nil {
			t.Fatal(err)
		}
		want := object.Bundle{}
		if file[0] < 'E' && !strings.HasPrefix(file, "Contents") {
			want = tray
		}
		if got := Of(filepath.Join(dir, file)); got != want {
			t.Errorf("%s: %+v, want %+v", file, got, want)
		}
	}
	large := filepath.Join(dir, "B.app/Info.plist")
	if err := os.Truncate(large, MaxSize+1); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "C.appex/Info.plist")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "C.appex/Info.plist"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"B.app/tray", "C.appex/tray", "none.app/tray"} {
		if got := Of(filepath.Join(dir, file)); got != (object.Bundle{}) {
			t.Errorf("%s: %+v", file, got)
		}
	}
}
