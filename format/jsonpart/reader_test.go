package jsonpart

import (
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	gocmp "github.com/google/go-cmp/cmp"
)

type inner struct {
	A int `json:"a"`
}

// fixture has a field of each kind.
type fixture struct {
	inner
	Text string         `json:"text"`
	At   *float64       `json:"at,omitempty"`
	List []inner        `json:"list"`
	Map  map[string]int `json:"map"`
	Any  any            `json:"any"`
	Raw  rawText        `json:"raw"`
	Is   bool           `json:"is"`
}

// rawText keeps the text of its value.
type rawText string

func (r *rawText) UnmarshalJSON(b []byte) error {
	*r = rawText(b)
	return nil
}

const document = ` {"text" : "a\"\\\u00e9é\\", "unknown":[{"x":"]}\"\\"},[[]],-1.5e+3,null], "at":-1.5e3, "\u0061":7,
"list":[{"a":1,"b":{"a":2}},{},{"b":[],"a":3}],"map":{"k":1,"\n":2},"any":{"x":[1,{"y":"z"}]},"raw":[1,{"q":[]}],"":true,"is":true} `

// TestDecode: what is read is what encoding/json reads, whatever pieces the stream
// comes in.
func TestDecode(t *testing.T) {
	var want fixture
	if err := json.Unmarshal([]byte(document), &want); err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]io.Reader{
		"at once": strings.NewReader(document), "by bytes": iotest.OneByteReader(strings.NewReader(document)), "with its end": iotest.DataErrReader(strings.NewReader(document)),
	} {
		var got, members fixture
		r := NewReader(from)
		if r.atOnce = 0; name == "at once" {
			r.atOnce = bufferSize
		}
		if err := r.Decode(&got); err != nil || r.End() != nil {
			t.Errorf("%s: %v, %v", name, err, r.End())
		}
		if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(fixture{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		r = NewReader(strings.NewReader(document))
		if err := r.Members(func(name string) error { return r.Member(name, &members) }); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, members, gocmp.AllowUnexported(fixture{})); diff != "" {
			t.Errorf("%s, by members (-want +got):\n%s", name, diff)
		}
	}
}

// byParts decodes no value at once.
func byParts(document string) *Reader {
	r := NewReader(strings.NewReader(document))
	r.atOnce = 0
	return r
}

// TestAtOnce: a value is decoded at once if it fits, which is known of what is buffered,
// and of what more can be.
func TestAtOnce(t *testing.T) {
	for _, fits := range []bool{true, false} {
		text := `{"text":"` + strings.Repeat("]", bufferSize-len(`{"text":"","unknown":[]}`)) + `","unknown":[]}`
		if !fits {
			text = strings.Replace(text, "]", "]]", 1)
		}
		r := NewReader(iotest.HalfReader(strings.NewReader(text)))
		var v fixture
		if err := r.Decode(&v); err != nil || r.End() != nil || strings.Contains(string(r.value), "unknown") != fits {
			t.Errorf("%v: %v", fits, err)
		}
	}
	r := NewReader(strings.NewReader(`{"list":[{"a":1},{"a":2}]}`))
	if err := r.Decode(new(fixture)); err != nil || r.Size() < len(r.value)+2*elementSize {
		t.Errorf("%d bytes, %v", r.Size(), err)
	}
}

// TestSkips: of a value of another kind nothing is kept, and the error is that of
// encoding/json.
func TestSkips(t *testing.T) {
	for _, document := range []string{`{"text":[1,2,{"a":[3]}]}`, `{"list":{"a":[1]}}`, `{"map":[[],{}]}`, `[{"text":"x"}]`, `{"a":{"a":1}}`} {
		var v fixture
		r := byParts(document)
		err := r.Decode(&v)
		var other *json.UnmarshalTypeError
		if !errors.As(err, &other) || r.End() != nil {
			t.Errorf("%s: %v, then %v", document, err, r.End())
		}
		if r.Size() > 20+elementSize {
			t.Errorf("%s: %q was kept", document, r.value)
		}
	}
}

// TestErrors: what is no JSON, and what ends early.
func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"": "unexpected EOF", "{": "unexpected EOF", `{"a`: "unexpected EOF", `{"a\`: "unexpected EOF", `{"a":`: "unexpected EOF", `{"a":1`: "unexpected EOF", `{"a":1,`: "unexpected EOF",
		`{"list":[`: "unexpected EOF", `{"x":"`: "unexpected EOF", `{"x":[`: "unexpected EOF", `{"x":["`: "unexpected EOF",
		`{,}`: "no name at byte 1", `{"a" 1}`: "no colon at byte 5", `{"a":1 "b":2}`: "no comma at byte 7", `{"a":1,}`: "no name at byte 7", `{"a":}`: "no value at byte 5", `{"x":}`: "no value at byte 5",
		`{"list":[1,]}`: "no value at byte 11", `{"a":x}`: "invalid character 'x'", `{"text":"\q"}`: "invalid character 'q'",
	} {
		var v fixture
		err := byParts(text).Decode(&v)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	r := NewReader(strings.NewReader(`[1] x`))
	if err := r.Members(nil); err == nil || err.Error() != "no object at byte 0" {
		t.Errorf("a list: %v", err)
	}
	if err := r.Elements(r.Skip); err != nil {
		t.Error(err)
	}
	if err := r.End(); err == nil || err.Error() != "no end at byte 4" {
		t.Errorf("more: %v", err)
	}
}

// TestBounds: each of them is reached, and not passed.
func TestBounds(t *testing.T) {
	text := strings.Repeat("x", maxText-2)
	nested := strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)
	ones := strings.Repeat("1,", maxElements-2) + "1"
	for name, c := range map[string]struct{ whole, over string }{
		"text":     {`{"text":"` + text + `"}`, `{"text":"x` + text + `"}`},
		"number":   {`{"at":0.` + text[2:] + `}`, `{"at":0.xx` + text + `}`},
		"elements": {`{"any":[` + ones + `]}`, `{"any":[1,1,` + ones + `]}`},
		"depth":    {`{"any":` + nested + `}`, `{"any":[` + nested + `]}`},
		"value":    {`{"any":[` + strings.Repeat(`"`+text+`",`, 31) + `1]}`, `{"any":[` + strings.Repeat(`"`+text+`",`, 33) + `1]}`},
	} {
		if name == "number" {
			c.whole, c.over = strings.ReplaceAll(c.whole, "x", "1"), strings.ReplaceAll(c.over, "x", "1")
		}
		var v fixture
		if err := byParts(c.whole).Decode(&v); err != nil {
			t.Errorf("%s: %.100v", name, err)
		}
		if err := byParts(c.over).Decode(&v); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s, beyond: %.100v", name, err)
		}
	}
	long := `{"` + strings.Repeat("x", 2*maxText) + `":[1],"a":5}`
	var v fixture
	if err := NewReader(strings.NewReader(long)).Decode(&v); err != nil || v.A != 5 {
		t.Errorf("behind a long name: %d, %v", v.A, err)
	}
}

// TestMemory: what is skipped takes none.
func TestMemory(t *testing.T) {
	const size = 8 << 20
	for name, c := range map[string][3]string{
		"text": {`{"x":"`, "x", `","a":5}`}, "numbers": {`{"x":[`, "1,", `1],"a":5}`}, "names": {`{"x":{`, `"k":1,`, `"l":1},"a":5}`}, "escapes": {`{"x":"`, `\"`, `","a":5}`},
		"of another kind": {`{"text":[`, "[],", `1],"a":5}`},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var v fixture
		err := NewReader(io.MultiReader(strings.NewReader(c[0]), &repeated{text: c[1], left: size / len(c[1])}, strings.NewReader(c[2]))).Decode(&v)
		runtime.ReadMemStats(&after)
		var other *json.UnmarshalTypeError
		if err != nil && !errors.As(err, &other) || v.A != 5 {
			t.Errorf("%s: %d, %v", name, v.A, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%s: %d bytes were allocated", name, took)
		}
	}
}

// repeated is a text, so many times.
type repeated struct {
	text string
	left int
	rest string
}

func (r *repeated) Read(b []byte) (n int, err error) {
	for n < len(b) {
		if r.rest == "" {
			if r.left == 0 {
				break
			}
			r.left--
			r.rest = r.text
		}
		k := copy(b[n:], r.rest)
		n, r.rest = n+k, r.rest[k:]
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// FuzzDecode: what encoding/json reads is read, to the same value.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(document))
	f.Add([]byte(`{"text":"x","unknown":{"a":[1,2,"\""]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var want, got fixture
		err := byParts(string(text)).Decode(&got)
		if json.Unmarshal(text, &want) != nil || err != nil || strings.ContainsAny(string(text), "ABCDEFGHIJKLMNOPQRSTUVWXYZſK\\\x7f") {
			return // names of other letters are fields to encoding/json
		}
		if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(fixture{})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
