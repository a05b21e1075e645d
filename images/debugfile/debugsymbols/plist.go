package debugsymbols

import (
	"bytes"
	"encoding/xml"
	"errors"
	"strings"
)

// maxDepth is how deep lists and dictionaries may be nested.
const maxDepth = 16

var errNoList = errors.New("not a property list in XML")

// value is a value in a property list: a string, a list or a dictionary (plist(5)).
// Numbers and dates are kept as text.
type value struct {
	text string
	list []value
	dict map[string]value
}

// strings returns the strings in a list, or a single string as a list.
func (v value) strings() (all []string) {
	if v.text != "" {
		return []string{v.text}
	}
	for _, each := range v.list {
		if each.text != "" {
			all = append(all, each.text)
		}
	}
	return all
}

// parse reads a property list in XML.
func parse(b []byte) (value, error) {
	d := xml.NewDecoder(bytes.NewReader(b))
	for {
		token, err := d.Token()
		if err != nil {
			return value{}, errNoList
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local != "plist" {
			v, err := parseValue(d, e.Name.Local, 0)
			if err != nil {
				return value{}, errNoList
			}
			return v, nil
		}
	}
}

// parseValue reads the rest of an element.
func parseValue(d *xml.Decoder, element string, depth int) (v value, err error) {
	if depth > maxDepth {
		return v, errNoList
	}
	if element == "dict" {
		v.dict = map[string]value{}
	}
	var text strings.Builder
	key := ""
	for {
		token, err := d.Token()
		if err != nil {
			return v, err
		}
		switch t := token.(type) {
		case xml.CharData:
			text.Write(t)
		case xml.StartElement:
			inner, err := parseValue(d, t.Name.Local, depth+1)
			if err != nil {
				return v, err
			}
			key = v.add(key, t.Name.Local, inner)
		case xml.EndElement:
			if element != "dict" && element != "array" {
				v.text = text.String()
			}
			return v, nil
		}
	}
}

// add adds an element to a list or dictionary, and returns the key for the next.
func (v *value) add(key, element string, inner value) (next string) {
	switch {
	case v.dict == nil:
		v.list = append(v.list, inner)
	case element == "key":
		return inner.text
	case key != "":
		v.dict[key] = inner
	}
	return ""
}
