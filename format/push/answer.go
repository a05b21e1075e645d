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

// answer is what a server says to a request.
type answer struct {
	code  int
	after string // of the header Retry-After; empty: none
	body  []byte
}

var errNoAnswer = errors.New("it answered by something else than HTTP")

// parseAnswer reads an answer as curl's --include prints it: those that only announce
// another come first.
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

// maxWait bounds how long a server can have us wait.
const maxWait = 10 * time.Minute

// wait is for how long the server wants to be left alone: seconds, or until a date
// (RFC 9110, 10.2.3). It is 0 where it does not tell.
func (a *answer) wait(now time.Time) time.Duration {
	if n, err := strconv.Atoi(a.after); err == nil {
		return time.Duration(max(0, min(n, int(maxWait/time.Second)))) * time.Second
	}
	if at, err := time.Parse("Mon, 02 Jan 2006 15:04:05 GMT", a.after); err == nil {
		return max(0, min(at.Sub(now), maxWait))
	}
	return 0
}

// verdict is what an answer means for what was sent.
type verdict uint8

const (
	taken   verdict = iota
	later           // the server, or the way there, is not ready
	refused         // it will never take this
	barred          // it takes nothing from this call: a token is wrong, or the address
)

// verdict judges by the code. OTLP tells which may be tried again (opentelemetry-proto,
// docs/specification.md, Failures); what bars all requests says nothing about this one.
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

// says is what the server has to say beside the code; empty where that is nothing.
func (a *answer) says(p Protocol) string {
	if p == Pyroscope {
		var said struct{ Message string }
		_ = json.Unmarshal(a.body, &said) // it may be anything
		return said.Message
	}
	return otlp.StatusMessage(a.body)
}

// partly tells what of a request the server did not take, though it took the rest; empty
// where it took all.
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
