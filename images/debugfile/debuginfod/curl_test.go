package debuginfod

import (
	"errors"
	"strings"
	"testing"
)

// TestWhy reads what curl 7.88 and 8 say.
func TestWhy(t *testing.T) {
	ended := errors.New("exit status 7")
	for said, want := range map[string]string{
		"curl: (22) The requested URL returned error: 404\n404":                               errNotThere.Error(),
		"curl: (22) The requested URL returned error: 503\n503":                               "it answered 503",
		"curl: (6) Could not resolve host: nobody.example\n000":                               "Could not resolve host: nobody.example",
		"curl: (18) transfer closed with 96 bytes remaining to read\n200":                     "transfer closed with 96 bytes remaining to read",
		"curl: (18) end of response with 96 bytes missing\ncurl: (1) and something else\n200": "end of response with 96 bytes missing",
		"000": "exit status 7",
		"":    "exit status 7",
	} {
		if got := why(said, ended); got.Error() != want {
			t.Errorf("%q: %v", said, got)
		}
	}
}

// TestConfigEnds: curl ends by itself, for it stays when we are killed.
func TestConfigEnds(t *testing.T) {
	if got := config("http://localhost:1"); !strings.Contains(got, "max-time = \"120\"\n") {
		t.Errorf("%s", got)
	}
}

// TestNoCurl says what is missing.
func TestNoCurl(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	address := "http://localhost:1"
	c, err := New(func(name string) string {
		return map[string]string{"DEBUGINFOD_URLS": address, "DEBUGINFOD_CACHE_PATH": t.TempDir()}[name]
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Find(buildID, ""); ok || len(c.Warnings()) != 1 || !strings.HasSuffix(c.Warnings()[0], "curl, which is not installed") {
		t.Errorf("%q", c.Warnings())
	}
}
