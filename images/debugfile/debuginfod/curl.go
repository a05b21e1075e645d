package debuginfod

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"stacksnap/task/bounded"
	"stacksnap/task/curl"
)

// transfer runs curl to fetch a file. An HTTP client linked into the program would
// cost every run, though few need it. take reads the contents and returns how many
// bytes it read.
func transfer(ctx context.Context, address string, take func(io.Reader) (int64, error)) (int64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, "curl", "--disable", "--config", "-")
	cmd.Stdin = strings.NewReader(config(address))
	said := &bounded.Buffer{Limit: maxSaid}
	cmd.Stderr = said
	cmd.WaitDelay = time.Second
	from, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, noCurl(err)
	}
	n, err := take(from)
	if err != nil {
		cancel() // nothing more is needed
	}
	if ended := cmd.Wait(); err == nil && ended != nil {
		err = why(said.String(), ended)
	}
	return n, err
}

// maxSaid is how much of curl's messages is kept, in bytes.
const maxSaid = 64 << 10

// config returns curl's configuration. It is passed through a pipe, because an
// address may contain a password.
func config(address string) string {
	var c curl.Config
	c.Flag("silent", "show-error", "fail", "location")
	c.Option("proto", "=http,https")
	c.Option("user-agent", "stacksnap")
	c.Option("max-time", fmt.Sprint(int(maxTime.Seconds()))) // in case we are killed
	c.Option("write-out", "%{stderr}%{http_code}")
	c.Option("url", address)
	return c.String()
}

func noCurl(err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("asked by curl, which is not installed")
	}
	return err
}

// why extracts the error from curl's messages. They end with the HTTP status, 000
// without a response, and before it is the error: "curl: (6) Could not resolve host:
// x".
func why(said string, ended error) error {
	text, code := said, ""
	if at := len(said) - 3; at >= 0 {
		text, code = said[:at], said[at:]
	}
	if code == "404" {
		return errNotThere
	}
	if code >= "400" && code <= "599" {
		return fmt.Errorf("it answered %s", code)
	}
	if _, after, ok := strings.Cut(text, ") "); ok {
		line, _, _ := strings.Cut(after, "\n")
		return errors.New(line)
	}
	return ended
}
