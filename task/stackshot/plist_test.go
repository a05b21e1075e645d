package stackshot

import (
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
)

// readPlist reads a property list in XML, which gzip may have packed: dictionaries as
// maps, arrays as slices, and numbers as texts in decimal.
func readPlist(t *testing.T, name string) any {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var from io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if from, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	d := xml.NewDecoder(from)
	for {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local != "plist" {
			v, err := plistValue(d, e.Name.Local)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
}

// plistValue reads the rest of an element.
func plistValue(d *xml.Decoder, element string) (any, error) {
	dict, list := map[string]any{}, []any{}
	var key string
	var text strings.Builder
	for {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		switch e := token.(type) {
		case xml.CharData:
			text.Write(e)
		case xml.StartElement:
			v, err := plistValue(d, e.Name.Local)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
			if e.Name.Local == "key" {
				key = fmt.Sprint(v)
			} else {
				dict[key] = v
			}
		case xml.EndElement:
			return plistEnd(element, text.String(), dict, list)
		}
	}
}

func plistEnd(element, text string, dict map[string]any, list []any) (any, error) {
	switch element {
	case "dict":
		return dict, nil
	case "array":
		return list, nil
	case "integer":
		if _, err := strconv.ParseUint(strings.TrimPrefix(text, "-"), 10, 64); err != nil {
			return nil, err
		}
		return number10(text), nil
	case "key", "string":
		return text, nil
	}
	return nil, errors.New("a " + element)
}

// number10 is a number in decimal: those of 64 bits do not all fit one of Go's types.
type number10 string
