package svg

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"stacksnap/format/internal/fixtures"
	"stacksnap/format/internal/golden"
	"stacksnap/format/report"
	"stacksnap/format/words"
)

// TestIsXML: whatever the names of a target, the picture is well-formed, has no scripts and
// refers to nothing.
func TestIsXML(t *testing.T) {
	for kind, p := range fixtures.Profiles {
		text := golden.Written(t, Write, p())
		d := xml.NewDecoder(bytes.NewReader(text))
		elements := map[string]int{}
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", kind, err, text)
			}
			if e, ok := token.(xml.StartElement); ok {
				elements[e.Name.Local]++
			}
		}
		if elements["svg"] != 1 || elements["title"] != elements["g"] || len(elements) > 6 {
			t.Errorf("%s: %v", kind, elements)
		}
		if !bytes.Equal(text, golden.Written(t, Write, p())) {
			t.Errorf("%s: two pictures differ", kind)
		}
	}
}

// TestWidths: all is as wide as the picture, and names end within their frames.
func TestWidths(t *testing.T) {
	text := string(golden.Written(t, Write, fixtures.Sampled()))
	if !strings.Contains(text, "<title>all (") || !strings.Contains(text, `x="10.0" y=`) || !strings.Contains(text, `width="1180.0"`) {
		t.Error(text)
	}
	for pixels, want := range map[float64]string{100: "function_of_s…", 20: "", 22: "fu…", 1000: "function_of_some_length"} {
		if got := cut("function_of_some_length", pixels); !strings.HasPrefix(got, want) || float64(words.Columns(got))*textWidth > pixels {
			t.Errorf("%v: %q", pixels, got)
		}
	}
}

// TestCounts: the frames on top of one have no more samples together than it has.
func TestCounts(t *testing.T) {
	var within func(b *box)
	within = func(b *box) {
		sum := 0
		for _, above := range b.above {
			sum += above.count
			within(above)
		}
		if sum > b.count {
			t.Errorf("%s has %d, and on top of it are %d", b.name, b.count, sum)
		}
	}
	for _, p := range fixtures.Profiles {
		within(treeOf(report.Of(p())))
		within(treeOf(report.Of(p().Invert())))
	}
}
