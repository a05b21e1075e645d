package debugsymbols

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"stacksnap/images/internal/machotest"
	"stacksnap/task/needs"
)

const uuid = "23516BE4-29BE-350C-91C9-F36E7999F0F1"

func id(t *testing.T) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(uuid, "-", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// mac is a system that is made of programs in a folder, and of a home.
type mac struct {
	*testing.T
	bin, home string
	told      []string
}

func newMac(t *testing.T) *mac {
	t.Helper()
	if runtime.GOOS == "windows" {
		needs.Skip(t, "/bin/sh", "its programs are shell scripts")
	}
	m := &mac{T: t, bin: t.TempDir(), home: t.TempDir()}
	t.Setenv("PATH", m.bin+":"+os.Getenv("PATH"))
	return m
}

// program writes a shell script, which notes how it is called.
func (m *mac) program(name, body string) (path string) {
	m.Helper()
	path = filepath.Join(m.bin, name)
	text := "#!/bin/sh\necho \"${0##*/} $*\" >>'" + m.calls() + "'\n" + body + "\n"
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		m.Fatal(err)
	}
	return path
}

func (m *mac) calls() string { return filepath.Join(m.home, "calls") }

func (m *mac) called() (lines []string) {
	b, err := os.ReadFile(m.calls())
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

func (m *mac) write(path string, data []byte) string {
	m.Helper()
	path = filepath.Join(m.home, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		m.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		m.Fatal(err)
	}
	return path
}

// prefer sets the preferences of a user.
func (m *mac) prefer(dict string) {
	m.Helper()
	m.write("Library/Preferences/com.apple.DebugSymbols.plist", []byte("bplist00, which the system's own program reads"))
	m.program("defaults", "cat <<'PLIST'\n"+plist(dict)+"\nPLIST")
}

func plist(dict string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">` + dict + "</plist>"
}

func answer(key, text string) string {
	return "cat <<'PLIST'\n" + plist("<dict><key>"+uuid+"</key><dict><key>DBGArchitecture</key><string>arm64</string><key>"+
		key+"</key><string>"+text+"</string></dict></dict>") + "\nPLIST"
}

// dSYM makes a file of symbols that has a UUID.
func dSYM(id []byte) []byte {
	im := &machotest.Image{Is64: true, CPU: 0x0100000c, Type: 10, Base: 1 << 32, UUID: id}
	im.Symbols = []machotest.Symbol{{Name: "_f", Type: 0xf, Sect: 1, Value: im.Base + machotest.Text}}
	return im.Encode()
}

func (m *mac) finder() *Finder {
	return New(func(name string) string {
		return map[string]string{"HOME": m.home}[name]
	}, func(line string) { m.told = append(m.told, line) })
}

// find wants the file, or none where that is empty.
func (m *mac) find(f *Finder, want string) {
	m.Helper()
	if path, ok := f.Find(id(m.T), "/Applications/It.app/It"); path != want || ok != (want != "") {
		m.Errorf("found %q, want %q; %q", path, want, f.Warnings())
	}
}

func (m *mac) wantCalls(want ...string) {
	m.Helper()
	if got := m.called(); !slices.Equal(got, want) {
		m.Errorf("called %q, want %q", got, want)
	}
}

func (m *mac) wantRemarks(f *Finder, parts ...string) {
	m.Helper()
	got := f.Warnings()
	if len(got) != len(parts) {
		m.Fatalf("said %q", got)
	}
	for i := range got {
		if !strings.Contains(got[i], parts[i]) {
			m.Errorf("said %q, want %q", got[i], parts[i])
		}
	}
}

const query = "mdfind com_apple_xcode_dsym_uuids == " + uuid

// TestSpotlight takes bundles and archives of the UUID, and neither what has gone nor
// what has another one.
func TestSpotlight(t *testing.T) {
	m := newMac(t)
	other := slices.Clone(id(t))
	other[0]++
	m.write("old.dSYM/Contents/Resources/DWARF/It", dSYM(other))
	m.program("mdfind", fmt.Sprintf("echo %[1]s/gone.dSYM; echo relative.dSYM; echo %[1]s/old.dSYM; echo '%[1]s/It 1.xcarchive'", m.home))
	m.find(m.finder(), "")
	m.wantCalls(query)
	want := m.write("It 1.xcarchive/dSYMs/It.app.dSYM/Contents/Resources/DWARF/It", dSYM(id(t)))
	f := m.finder()
	m.find(f, want)
	m.wantRemarks(f)
	want = m.write("gone.dSYM/Contents/Resources/DWARF/It", dSYM(id(t)))
	m.find(m.finder(), want)
}

// TestNobodyIsAsked of Apple's own images, nor of what has no UUID.
func TestNobodyIsAsked(t *testing.T) {
	m := newMac(t)
	m.program("mdfind", "")
	f := m.finder()
	for _, image := range []string{"/usr/lib/dyld", "/System/Library/Frameworks/AppKit.framework/AppKit"} {
		if path, ok := f.Find(id(t), image); ok {
			t.Error(path)
		}
	}
	if path, ok := f.Find(id(t)[:15], "/a"); ok {
		t.Error(path)
	}
	m.wantCalls()
	m.find(f, "")
	m.wantCalls(query)
	m.wantRemarks(f)
}

// TestWithoutSpotlight is no error: it may be off.
func TestWithoutSpotlight(t *testing.T) {
	m := newMac(t)
	t.Setenv("PATH", m.bin)
	f := m.finder()
	m.find(f, "")
	m.wantRemarks(f)
	m.program("mdfind", "echo /a; exit 1")
	m.find(m.finder(), "")
}

// TestSlowSpotlight is waited for no longer than all questions to it may take, and by
// then not asked any more.
func TestSlowSpotlight(t *testing.T) {
	m := newMac(t)
	m.program("mdfind", "sleep 60 & wait")
	f := m.finder()
	f.spotlight = 100 * time.Millisecond
	m.find(f, "")
	m.find(f, "")
	m.wantCalls(query)
}

// TestMapped follows the links of a folder, before anybody is asked.
func TestMapped(t *testing.T) {
	m := newMac(t)
	m.prefer("<dict><key>DBGFileMappedPaths</key><string>" + m.home + "/map</string></dict>")
	m.program("mdfind", "")
	f := m.finder()
	m.find(f, "")
	m.wantCalls("defaults export com.apple.DebugSymbols -") // Spotlight is for who set no other
	m.find(m.finder(), m.write("map/2351/6BE4/29BE/350C/91C9/F36E7999F0F1", dSYM(id(t))))
}

// TestSpotlightPaths are where Spotlight looks, if other preferences are set too.
func TestSpotlightPaths(t *testing.T) {
	m := newMac(t)
	m.prefer("<dict><key>DBGSpotlightPaths</key><array><string>/a b</string><string>/</string></array></dict>")
	m.program("mdfind", "")
	m.find(m.finder(), "")
	m.wantCalls("defaults export com.apple.DebugSymbols -",
		strings.Replace(query, "mdfind", "mdfind -onlyin /a b", 1), strings.Replace(query, "mdfind", "mdfind -onlyin /", 1))
}

// TestCommands are asked one after the other, and what they say is found is believed
// only if it is.
func TestCommands(t *testing.T) {
	m := newMac(t)
	want := m.write("a/It.dSYM/Contents/Resources/DWARF/It", dSYM(id(t)))
	first := m.program("no dice", answer("DBGError", "not in the archive"))
	second := m.program("second", answer("DBGSymbolRichExecutable", filepath.Join(m.home, "none")))
	m.program("third", answer("DBGDSYMPath", filepath.Join(m.home, "a/It.dSYM")))
	never := m.program("never", "")
	m.prefer("<dict><key>DBGShellCommands</key><array><string>" + first + "</string><string>" + second +
		"</string><string>third --fast</string><string>" + never + "</string></array></dict>")
	f := m.finder()
	m.find(f, want)
	if got := m.called(); len(got) != 4 || got[1] != "no dice "+uuid || got[2] != "second "+uuid || got[3] != "third --fast "+uuid {
		t.Errorf("called %q", got)
	}
	m.wantRemarks(f, "no dice: not in the archive")
	if len(m.told) == 0 || m.told[0] != "asking no dice for the dSYM of "+uuid || m.told[len(m.told)-1] != "" {
		t.Errorf("told %q", m.told)
	}
}

// TestBadCommands are told of, once each, and cost nothing else.
func TestBadCommands(t *testing.T) {
	m := newMac(t)
	m.prefer("<dict><key>DBGShellCommands</key><array><string>false</string><string>echo</string><string>yes '&lt;plist&gt;'</string></array></dict>")
	f := m.finder()
	m.find(f, "")
	m.find(f, "")
	m.wantRemarks(f, "false: exit status 1", "echo: "+errNoList.Error(), "yes '<plist>': ")
}

// TestPreferences that cannot be read are told of.
func TestPreferences(t *testing.T) {
	m := newMac(t)
	m.prefer("<dict>")
	m.program("mdfind", "")
	f := m.finder()
	m.find(f, "")
	m.wantRemarks(f, "the preferences of com.apple.DebugSymbols cannot be read: "+errNoList.Error())
}

// TestOfAnotherUser leaves commands aside that somebody else has set.
func TestOfAnotherUser(t *testing.T) {
	needs.Root(t)
	m := newMac(t)
	m.prefer("<dict><key>DBGShellCommands</key><string>true</string></dict>")
	file := filepath.Join(m.home, "Library/Preferences/com.apple.DebugSymbols.plist")
	if err := os.Chown(file, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	m.program("mdfind", "")
	f := m.finder()
	m.find(f, "")
	m.wantCalls(query)
	m.wantRemarks(f, file+" belongs to another user")
}

func TestParse(t *testing.T) {
	v, err := parse([]byte(plist("<dict><key>a</key><integer>3</integer><key>b</key><array><string>x &amp; y</string><dict/></array><key>c</key></dict>")))
	if err != nil || v.dict["a"].text != "3" || !slices.Equal(v.dict["b"].strings(), []string{"x & y"}) || len(v.dict) != 2 {
		t.Errorf("%+v, %v", v, err)
	}
	deep := strings.Repeat("<array>", maxDepth+1) + strings.Repeat("</array>", maxDepth+1)
	for _, bad := range []string{"", "text", "<plist>", "<plist></plist>", "<plist><dict>", "<plist><dict></array></plist>", plist("<array>" + deep + "</array>")} {
		if v, err := parse([]byte(bad)); err == nil {
			t.Errorf("%.40q: %+v", bad, v)
		}
	}
	if _, err := parse([]byte(plist(deep))); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(plist("<dict><key>a</key><array><string>b</string></array></dict>")))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := parse(b)
		if err == nil && bytes.Count(b, []byte("<")) == 0 {
			t.Errorf("%+v", v)
		}
	})
}
