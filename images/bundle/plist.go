package bundle

import (
	"bytes"
	"encoding/xml"
	"strings"
)

// maxText is the maximum length of a value in bytes. No identifier or version is
// longer.
const maxText = 256

// Parse returns the values of the wanted keys in a property list of either form. For
// malformed input it returns what it read up to the error.
func Parse(b []byte) map[string]string {
	values := map[string]string{}
	if len(b) > MaxSize {
		return values
	}
	if bytes.HasPrefix(b, []byte(binaryMagic)) {
		parseBinary(b, values)
		return values
	}
	parseXML(b, values)
	return values
}

// The depth of the outermost dictionary's values: <plist><dict><key>.
const valueDepth = 3

// parseXML reads the strings of the outermost dictionary.
func parseXML(b []byte, values map[string]string) {
	d := xml.NewDecoder(bytes.NewReader(b))
	d.Strict = false
	var text strings.Builder
	key, depth, isLong := "", 0, false
	for {
		token, err := d.RawToken()
		if err != nil {
			return
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			text.Reset()
			isLong = false
		case xml.CharData:
			if isLong = isLong || text.Len()+len(t) > maxText; depth == valueDepth && !isLong {
				text.Write(t)
			}
		case xml.EndElement:
			if isLong {
				text.Reset()
			}
			if depth == valueDepth {
				key = take(values, key, t.Name.Local, text.String())
			}
			depth--
		}
	}
}

// take stores an element that has ended, and returns the key for the next.
func take(values map[string]string, key, element, text string) string {
	switch {
	case element == "key":
		return text
	case element == "string" && text != "" && isWanted(key):
		values[key] = text
	}
	return ""
}
