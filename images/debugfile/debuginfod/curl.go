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

// transfer has curl fetch a file: a client of our own would be in every program, and
// started by every call, though few ask for it. Take is given what comes, and returns
// how much it took.
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
		cancel() // nothing more is wanted
	}
	if ended := cmd.Wait(); err == nil && ended != nil {
		err = why(said.String(), ended)
	}
	return n, err
}

// maxSaid bounds what curl says, in bytes.
const maxSaid = 64 << 10

// config is what curl is told. It reads that from a pipe: an address may have a password.
func config(address string) string {
	var c curl.Config
	c.Flag("silent", "show-error", "fail", "location")
	c.Option("proto", "=http,https")
	c.Option("user-agent", "stacksnap")
	c.Option("max-time", fmt.Sprint(int(maxTime.Seconds()))) // we may be killed meanwhile
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

// why is what curl says last, which is the answer's code, 000 where none came, and
// before it what went wrong: "curl: (6) Could not resolve host: x".
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
