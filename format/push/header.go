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

// The variables that have headers, "key=value,key=value", values escaped as in URLs
// (OpenTelemetry's specification, protocol/exporter.md): the first for any server, the
// others for OTLP's, and of these the first that is set.
const (
	ownHeadersVariable      = "STACKSNAP_PUSH_HEADERS"
	profilesHeadersVariable = "OTEL_EXPORTER_OTLP_PROFILES_HEADERS"
	headersVariable         = "OTEL_EXPORTER_OTLP_HEADERS"
)

// Bounds of headers.
const (
	maxHeaders    = 64
	maxHeaderFile = 64 << 10
)

// Header is a line before what is sent. Its value may be a secret, and is in no error.
type Header struct{ Name, Value string }

// Headers reads those of a file, a "Name: value" a line where # begins a remark, and
// of the environment. The file may be empty: there is none. What stands in an earlier
// place wins.
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

// readHeaders reads a file, and none that another could make long or endless.
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

// valid reports whether it may stand in a request (RFC 9110, 5.5 and 5.6.2).
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

// errManyHeaders says that there are more than anybody needs.
var errManyHeaders = errors.New("there are too many headers to send")

// distinct leaves out headers whose name was there before.
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

// redacted leaves out of a text what headers have to say: a server may repeat it.
func redacted(text string, headers []Header) string {
	const shortest = 4 // of what is taken for a secret
	for _, h := range headers {
		for _, secret := range append([]string{h.Value}, strings.Fields(h.Value)...) {
			if len(secret) >= shortest {
				text = strings.ReplaceAll(text, secret, "…")
			}
		}
	}
	return text
}
