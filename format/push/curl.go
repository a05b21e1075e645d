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

// The bounds of one attempt.
const (
	connectTime = 5 * time.Second
	attemptTime = 30 * time.Second
	maxAnswer   = 256 << 10 // bytes read of a response
)

// certificates maps the environment variables that name certificate files to options of curl
// (OpenTelemetry's specification, protocol/exporter.md; SSL_CERT_FILE of OpenSSL, which curl
// reads unless CURL_CA_BUNDLE is set). For an option with two variables, the first one wins.
var certificates = []struct{ variable, option string }{
	{"OTEL_EXPORTER_OTLP_CERTIFICATE", "cacert"},
	{"SSL_CERT_FILE", "cacert"},
	{"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "cert"},
	{"OTEL_EXPORTER_OTLP_CLIENT_KEY", "key"},
}

// request is one HTTP request.
type request struct {
	endpoint *Endpoint
	agent    string // value of User-Agent
	headers  []Header
	files    map[string]string // files with certificates, by curl's option for each
	body     io.Reader         // compressed by gzip; curl reads a file by itself
	size     int64             // size of the body, in bytes
}

// certificateFiles returns curl's options for the certificate files that the environment
// names.
func certificateFiles(getenv func(string) string) map[string]string {
	files := map[string]string{}
	for _, c := range certificates {
		if file := getenv(c.variable); file != "" && files[c.option] == "" {
			files[c.option] = file
		}
	}
	return files
}

// CheckCurl returns an error if curl is not installed.
func CheckCurl() error {
	if _, err := exec.LookPath("curl"); err != nil {
		return errors.New("--push sends by curl, which is not installed")
	}
	return nil
}

// send sends the request by curl and returns the response. An HTTP client of our own would
// enlarge the program for a feature that few calls use. The configuration goes through a
// pipe, so that no header appears on a command line or in a file.
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
	_ = told.Close() // curl has a copy
	if err != nil {
		_ = tell.Close()
		return answer{}, err
	}
	_, err = io.WriteString(tell, r.config()) // if curl does not read it all, its own error says why
	err = errors.Join(err, tell.Close())
	if ended := cmd.Wait(); ended != nil && !out.Overflowed() {
		return answer{}, r.why(ctx, said.String(), ended)
	}
	if err != nil && !out.Overflowed() {
		return answer{}, err
	}
	return parseAnswer(out.Bytes())
}

// config returns curl's configuration file (curl(1), --config).
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
	c.Option("header", fmt.Sprintf("Content-Length: %d", r.size)) // so that a body cut short, if we are killed, is no valid request
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
	c.Option("url", r.endpoint.url.String()) // last: a configuration cut short sends nothing
	return c.String()
}

// why returns the error from curl's message, such as "curl: (6) Could not resolve host: x".
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
