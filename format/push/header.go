package push

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"stacksnap/task/regular"
)

// The variables with headers, "key=value,key=value", with values escaped as in URLs
// (OpenTelemetry's specification, protocol/exporter.md). The first is for any server. The
// others are for OTLP; the first of these that is set counts.
const (
	ownHeadersVariable      = "STACKSNAP_PUSH_HEADERS"
	profilesHeadersVariable = "OTEL_EXPORTER_OTLP_PROFILES_HEADERS"
	headersVariable         = "OTEL_EXPORTER_OTLP_HEADERS"
)

// The bounds of headers: their number, and the bytes of a file.
const (
	maxHeaders    = 64
	maxHeaderFile = 64 << 10
)

// Header is a header of an HTTP request. Its value may be secret and never appears in an
// error.
type Header struct{ Name, Value string }

// Headers returns the headers of a file and of the environment. A line of the file is
// "Name: value", or a comment that begins with #. If file is empty, there is none. If a
// header occurs twice, the first one counts; the file comes first.
func (e *Endpoint) Headers(file string, getenv func(string) string) ([]Header, error) {
	var all []Header
	if file != "" {
		text, err := readHeaders(file)
		if err != nil {
			return nil, err
		}
		if all, err = fileHeaders(text); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	variables := []string{ownHeadersVariable}
	if e.Protocol == OTLP {
		of := headersVariable
		if getenv(profilesHeadersVariable) != "" {
			of = profilesHeadersVariable
		}
		variables = append(variables, of)
	}
	for _, variable := range variables {
		list, err := variableHeaders(getenv(variable))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", variable, err)
		}
		all = append(all, list...)
	}
	return distinct(all)
}

// readHeaders reads a file of headers. It returns an error if the file is too large or not
// regular.
func readHeaders(file string) (string, error) {
	f, _, err := regular.Open(file)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := io.ReadAll(io.LimitReader(f, maxHeaderFile+1))
	if err == nil && len(b) > maxHeaderFile {
		err = fmt.Errorf("%s is too large for headers", file)
	}
	return string(b), err
}

func fileHeaders(text string) (all []Header, err error) {
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, maxHeaderFile+1)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		h := Header{strings.TrimSpace(name), strings.TrimSpace(value)}
		if !ok || !h.valid() {
			return nil, fmt.Errorf("line %d is no header such as Authorization: Bearer …", number)
		}
		all = append(all, h)
	}
	return all, lines.Err()
}

func variableHeaders(text string) (all []Header, err error) {
	for i, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		plain, err := url.PathUnescape(strings.TrimSpace(value))
		h := Header{strings.TrimSpace(name), plain}
		if !ok || err != nil || !h.valid() {
			return nil, fmt.Errorf("its entry %d is no header such as authorization=Bearer%%20…", i+1)
		}
		all = append(all, h)
	}
	return all, nil
}

// valid reports whether the header is valid in a request (RFC 9110, 5.5 and 5.6.2).
func (h Header) valid() bool {
	const token = "!#$%&'*+-.^_`|~"
	for _, c := range []byte(h.Name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune(token, rune(c)) {
			return false
		}
	}
	for _, c := range []byte(h.Value) {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return h.Name != "" && h.Value != ""
}

// errManyHeaders is returned for more than maxHeaders headers.
var errManyHeaders = errors.New("there are too many headers to send")

// distinct removes headers whose name occurred before.
func distinct(all []Header) (kept []Header, err error) {
	seen := map[string]bool{}
	for _, h := range all {
		if name := strings.ToLower(h.Name); !seen[name] {
			seen[name] = true
			kept = append(kept, h)
		}
	}
	if len(kept) > maxHeaders {
		return nil, errManyHeaders
	}
	return kept, nil
}

// redacted replaces the values of headers in a text, since a server may repeat them.
func redacted(text string, headers []Header) string {
	const shortest = 4 // bytes of a value that is replaced
	for _, h := range headers {
		for _, secret := range append([]string{h.Value}, strings.Fields(h.Value)...) {
			if len(secret) >= shortest {
				text = strings.ReplaceAll(text, secret, "…")
			}
		}
	}
	return text
}
