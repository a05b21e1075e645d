package push

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func endpoint(t *testing.T, address string) *Endpoint {
	t.Helper()
	e, err := ParseEndpoint(address, none)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "headers")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestHeaders of a file go before those of the environment; a token of OpenTelemetry's
// goes to no other server.
func TestHeaders(t *testing.T) {
	values := env(map[string]string{
		headersVariable: "authorization=Bearer%20otel, x-otel = 1 ,", ownHeadersVariable: "X-Own=a%2Cb",
	})
	path := file(t, "# of the fleet\r\nAuthorization: Bearer a:b=c\r\n\n  X-Scope-OrgID:  team\n")
	for address, want := range map[string][]Header{
		here:                {{"Authorization", "Bearer a:b=c"}, {"X-Scope-OrgID", "team"}, {"X-Own", "a,b"}, {"x-otel", "1"}},
		"pyroscope+" + here: {{"Authorization", "Bearer a:b=c"}, {"X-Scope-OrgID", "team"}, {"X-Own", "a,b"}},
	} {
		got, err := endpoint(t, address).Headers(path, values)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", address, err, diff)
		}
	}
	both := env(map[string]string{headersVariable: "a=1", profilesHeadersVariable: "b=2"})
	if got, err := endpoint(t, here).Headers("", both); err != nil || len(got) != 1 || got[0].Name != "b" {
		t.Errorf("%v, %v", got, err)
	}
}

// TestBadHeaders are refused by their place, and never repeated.
func TestBadHeaders(t *testing.T) {
	e := endpoint(t, here)
	for text, want := range map[string]string{
		"A: b\nsecret\n": "line 2 is no header", ": secret": "line 1", "a b: secret": "line 1", "a:": "line 1", "é: secret": "line 1", "a: secret\x01": "line 1",
		strings.Repeat("#", maxHeaderFile+1): "too large",
	} {
		if _, err := e.Headers(file(t, text), none); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	for text, want := range map[string]string{"secret": "entry 1", "a=b,=secret": "entry 2", "a=%zzsecret": "entry 1", "a=secret%0d%0ab": "entry 1"} {
		if _, err := e.Headers("", env(map[string]string{headersVariable: text})); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := e.Headers(filepath.Join(t.TempDir(), "none"), none); err == nil {
		t.Error("a file that is not there")
	}
	var many strings.Builder
	for i := range maxHeaders + 1 {
		many.WriteString("h" + strings.Repeat("x", i) + ": v\n")
	}
	if _, err := e.Headers(file(t, many.String()), none); err != errManyHeaders {
		t.Error(err)
	}
}

// TestRedacted: whatever a server repeats.
func TestRedacted(t *testing.T) {
	headers := []Header{{"Authorization", "Bearer abcd"}, {"X", "1"}}
	if got := redacted("Bearer abcd is wrong, abcd 1", headers); strings.Contains(got, "abcd") || !strings.Contains(got, "is wrong") || !strings.HasSuffix(got, " 1") {
		t.Error(got)
	}
}

func FuzzHeaders(f *testing.F) {
	for _, s := range []string{"A: b\n", "#\n\r\n", "a=b,c=%20", ":", "a:\x7f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		one, _ := fileHeaders(text)
		two, _ := variableHeaders(text)
		for _, h := range append(one, two...) {
			if h.Name == "" || strings.ContainsAny(h.Name+h.Value, "\r\n\x00") {
				t.Errorf("%q", h)
			}
		}
	})
}
