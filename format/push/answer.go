package push

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"stacksnap/format/otlp"
)

// answer is a server's response.
type answer struct {
	code  int
	after string // value of the header Retry-After; empty: none
	body  []byte
}

var errNoAnswer = errors.New("it answered by something else than HTTP")

// parseAnswer parses a response as curl --include prints it. It skips interim responses
// (1xx).
func parseAnswer(text []byte) (answer, error) {
	for {
		head, body, ok := bytes.Cut(text, []byte("\r\n\r\n"))
		var a answer
		if !ok || !a.parseHead(string(head)) {
			return answer{}, errNoAnswer
		}
		if a.code >= 200 {
			a.body = body
			return a, nil
		}
		text = body
	}
}

func (a *answer) parseHead(head string) bool {
	for i, line := range strings.Split(head, "\r\n") {
		if i == 0 {
			version, rest, _ := strings.Cut(line, " ")
			code, _, _ := strings.Cut(rest, " ")
			n, err := strconv.Atoi(code)
			if a.code = n; err != nil || n < 100 || n > 999 || !strings.HasPrefix(version, "HTTP/") {
				return false
			}
			continue
		}
		if name, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(name, "Retry-After") {
			a.after = strings.TrimSpace(value)
		}
	}
	return true
}

// maxWait is the longest wait that a server can ask for.
const maxWait = 10 * time.Minute

// wait returns how long the server asks to wait, as a number of seconds or a date (RFC
// 9110, 10.2.3); 0 if it does not.
func (a *answer) wait(now time.Time) time.Duration {
	if n, err := strconv.Atoi(a.after); err == nil {
		return time.Duration(max(0, min(n, int(maxWait/time.Second)))) * time.Second
	}
	if at, err := time.Parse("Mon, 02 Jan 2006 15:04:05 GMT", a.after); err == nil {
		return max(0, min(at.Sub(now), maxWait))
	}
	return 0
}

// verdict is the consequence of a response for the upload.
type verdict uint8

const (
	taken   verdict = iota
	later           // try again: the server or the network is not ready
	refused         // the server will never accept this upload
	barred          // the server accepts none of our uploads: the token or address is wrong
)

// verdict returns the consequence of the status code. OTLP specifies which requests may be
// repeated (opentelemetry-proto, docs/specification.md, Failures).
func (a *answer) verdict(p Protocol) verdict {
	switch a.code {
	case 200, 202, 204:
		return taken
	case 408, 429, 502, 503, 504:
		return later
	case 400, 413, 422:
		return refused
	case 500:
		if p == Pyroscope {
			return later
		}
		return refused
	}
	return barred
}

// says returns the server's error message; empty if there is none.
func (a *answer) says(p Protocol) string {
	if p == Pyroscope {
		var said struct{ Message string }
		_ = json.Unmarshal(a.body, &said) // it may be anything
		return said.Message
	}
	return otlp.StatusMessage(a.body)
}

// partly describes the part of an accepted upload that the server rejected; empty if it
// accepted all.
func (a *answer) partly(p Protocol) string {
	if p == Pyroscope {
		return ""
	}
	n, why := otlp.Rejected(a.body)
	if n == 0 && why == "" {
		return ""
	}
	return fmt.Sprintf("it rejected %d of the profiles: %s", n, why)
}
