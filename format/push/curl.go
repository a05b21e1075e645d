package push

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"stacksnap/task/bounded"
	"stacksnap/task/curl"
)

// What one attempt may take.
const (
	connectTime = 5 * time.Second
	attemptTime = 30 * time.Second
	maxAnswer   = 256 << 10 // bytes of an answer that are read
)

// The variables that name files with certificates (OpenTelemetry's specification,
// protocol/exporter.md; SSL_CERT_FILE of OpenSSL, which curl reads unless CURL_CA_BUNDLE
// is set), and curl's option for each. The first of an option wins.
var certificates = []struct{ variable, option string }{
	{"OTEL_EXPORTER_OTLP_CERTIFICATE", "cacert"},
	{"SSL_CERT_FILE", "cacert"},
	{"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "cert"},
	{"OTEL_EXPORTER_OTLP_CLIENT_KEY", "key"},
}

// request is what is sent once.
type request struct {
	endpoint *Endpoint
	agent    string // the program that sends
	headers  []Header
	files    map[string]string // curl's options for certificates
	body     io.Reader         // compressed by gzip; a file is read by curl itself
	size     int64             // of the body
}

// certificateFiles are curl's options for the files that the environment names.
func certificateFiles(getenv func(string) string) map[string]string {
	files := map[string]string{}
	for _, c := range certificates {
		if file := getenv(c.variable); file != "" && files[c.option] == "" {
			files[c.option] = file
		}
	}
	return files
}

// CheckCurl reports whether there is anything to send by.
func CheckCurl() error {
	if _, err := exec.LookPath("curl"); err != nil {
		return errors.New("--push sends by curl, which is not installed")
	}
	return nil
}

// send has curl send it: a client of our own would be in every program, and started by
// every call, though few push. Curl reads from pipes what it is told, so that no header
// is on a command line, nor in a file.
func (r *request) send(ctx context.Context) (answer, error) {
	told, tell, err := os.Pipe()
	if err != nil {
		return answer{}, err
	}
	cmd := exec.CommandContext(ctx, "curl", "--disable", "--config", "/dev/fd/3")
	cmd.ExtraFiles = []*os.File{told}
	cmd.Stdin = r.body
	out, said := &bounded.Buffer{Limit: maxAnswer}, &bounded.Buffer{Limit: maxAnswer}
	cmd.Stdout, cmd.Stderr = out, said
	cmd.WaitDelay = time.Second
	err = cmd.Start()
	_ = told.Close() // curl has its own
	if err != nil {
		_ = tell.Close()
		return answer{}, err
	}
	_, err = io.WriteString(tell, r.config()) // what it does not read it says itself
	err = errors.Join(err, tell.Close())
	if ended := cmd.Wait(); ended != nil && !out.Overflowed() {
		return answer{}, r.why(ctx, said.String(), ended)
	}
	if err != nil && !out.Overflowed() {
		return answer{}, err
	}
	return parseAnswer(out.Bytes())
}

// config is what curl is told, in the form of its configuration files (curl(1), --config).
func (r *request) config() string {
	var c curl.Config
	c.Flag("silent", "show-error", "include", "suppress-connect-headers", "no-location")
	c.Option("proto", "=http,https")
	c.Option("user-agent", r.agent)
	c.Option("connect-timeout", fmt.Sprint(int(connectTime.Seconds())))
	c.Option("max-time", fmt.Sprint(int(attemptTime.Seconds())))
	c.Option("data-binary", "@-")
	c.Option("header", "Content-Type: "+r.endpoint.contentType())
	c.Option("header", "Content-Encoding: gzip")
	c.Option("header", "Expect:")
	c.Option("header", fmt.Sprintf("Content-Length: %d", r.size)) // less is no request: we may be killed meanwhile
	if r.endpoint.Protocol == OTLP {
		c.Option("header", "otlp-profiles-development-version: 1")
	} else {
		c.Option("header", "Connect-Protocol-Version: 1")
	}
	for _, h := range r.headers {
		c.Option("header", h.Name+": "+h.Value)
	}
	for _, name := range slices.Sorted(maps.Keys(r.files)) {
		c.Option(name, r.files[name])
	}
	c.Option("url", r.endpoint.url.String()) // last: without it nothing is sent
	return c.String()
}

// why is what curl says went wrong: "curl: (6) Could not resolve host: x".
func (r *request) why(ctx context.Context, said string, ended error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if _, after, ok := strings.Cut(said, ") "); ok {
		line, _, _ := strings.Cut(after, "\n")
		return errors.New(redacted(line, r.headers))
	}
	return ended
}
