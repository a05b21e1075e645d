package push

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"strings"
)

// Protocol is the protocol of a server.
type Protocol uint8

// The protocols.
const (
	OTLP      Protocol = iota // an ExportProfilesServiceRequest by POST
	Pyroscope                 // a push.v1.PushRequest by Connect's unary call
)

// The paths of the servers' upload services (opentelemetry-proto,
// profiles_service_http.yaml; Pyroscope, api/push/v1/push.proto).
const (
	otlpPath      = "/v1development/profiles"
	pyroscopePath = "/push.v1.PusherService/Push"
)

// FromEnvironment is the value of --push for the address in OpenTelemetry's variables.
const FromEnvironment = "env"

// The variables with an address: the full URL for profiles, and the base URL for all
// signals (OpenTelemetry's specification, protocol/exporter.md).
const (
	profilesVariable = "OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT"
	endpointVariable = "OTEL_EXPORTER_OTLP_ENDPOINT"
)

// Endpoint is the URL of a server and its protocol.
type Endpoint struct {
	Protocol Protocol
	url      *url.URL
}

// The errors of invalid addresses do not repeat the address, as it may contain a password.
var (
	errAddress  = errors.New("--push needs an address such as http://localhost:4318 (OTLP) or pyroscope+http://localhost:4040")
	errUserinfo = errors.New("--push takes no name or password in an address, where others see them: put a header into a file for --push-headers, or into OTEL_EXPORTER_OTLP_HEADERS")
	errQuery    = errors.New("--push takes no query in an address, where others may see a token in it: put a header into a file for --push-headers, or the address into " + profilesVariable + " and give --push " + FromEnvironment)
	errNoneSet  = errors.New("--push " + FromEnvironment + " takes the address from " + profilesVariable + " or " + endpointVariable + ", and neither is set")
)

// ParseEndpoint parses the value of --push: http://HOST or https://HOST, optionally with a
// path; the same with the prefix "pyroscope+"; or "env". It appends the protocol's path
// unless the URL ends in it.
func ParseEndpoint(text string, getenv func(string) string) (*Endpoint, error) {
	if text == FromEnvironment {
		return environmentEndpoint(getenv)
	}
	e, err := parseEndpoint(text)
	if err == nil && e.url.RawQuery != "" {
		return nil, errQuery
	}
	if err == nil {
		e.complete()
	}
	return e, err
}

func environmentEndpoint(getenv func(string) string) (*Endpoint, error) {
	if exact := getenv(profilesVariable); exact != "" {
		return parseEndpoint(exact)
	}
	base := getenv(endpointVariable)
	if base == "" {
		return nil, errNoneSet
	}
	e, err := parseEndpoint(base)
	if err == nil {
		e.complete()
	}
	return e, err
}

func parseEndpoint(text string) (*Endpoint, error) {
	e := &Endpoint{}
	rest, ok := strings.CutPrefix(text, "pyroscope+")
	if ok {
		e.Protocol = Pyroscope
	}
	u, err := url.Parse(rest)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Fragment != "" {
		return nil, errAddress // the cause would contain the address
	}
	if u.User != nil {
		return nil, errUserinfo
	}
	e.url = u
	return e, nil
}

// complete appends the protocol's path, unless the URL ends in it.
func (e *Endpoint) complete() {
	path := otlpPath
	if e.Protocol == Pyroscope {
		path = pyroscopePath
	}
	if base := strings.TrimRight(e.url.Path, "/"); !strings.HasSuffix(base, path) {
		e.url.Path, e.url.RawPath = base+path, ""
	}
}

// String returns the URL without its query and credentials.
func (e *Endpoint) String() string {
	shown := url.URL{Scheme: e.url.Scheme, Host: e.url.Host, Path: e.url.Path}
	return shown.String()
}

// Folder returns a directory name for the endpoint's spool, in letters and digits.
func (e *Endpoint) Folder() string {
	sum := sha256.Sum256([]byte(e.url.String()))
	return hex.EncodeToString(sum[:8])
}

// contentType returns the Content-Type of uploads.
func (e *Endpoint) contentType() string {
	if e.Protocol == Pyroscope {
		return "application/proto"
	}
	return "application/x-protobuf"
}
