package ptrace

import (
	"bytes"
	"strconv"
	"strings"
)

// prettyName returns PRETTY_NAME of an os-release file, whose values are quoted
// as a shell does (os-release(5)); empty when it has none.
func prettyName(file []byte) string {
	for line := range bytes.Lines(file) {
		v, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "PRETTY_NAME=")
		if !ok {
			continue
		}
		if s, err := strconv.Unquote(v); err == nil {
			return s
		}
		return strings.Trim(v, `'"`)
	}
	return ""
}
