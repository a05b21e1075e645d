package push

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"strings"
)

// Protocol is how a server is spoken to.
type Protocol uint8

// The protocols.
const (
	OTLP      Protocol = iota // an ExportProfilesServiceRequest by POST
	Pyroscope                 // a push.v1.PushRequest by Connect's unary call
)

// Where servers take profiles (opentelemetry-proto, profiles_service_http.yaml; Pyroscope,
// api/push/v1/push.proto).
const (
	otlpPath      = "/v1development/profiles"
	pyroscopePath = "/push.v1.PusherService/Push"
)

// FromEnvironment stands for the address that OpenTelemetry's variables have.
const FromEnvironment = "env"

// The variables that have an address: the first as it is, the second that below which
// all signals are taken (OpenTelemetry's specification, protocol/exporter.md).
const (
	profilesVariable = "OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT"
	endpointVariable = "OTEL_EXPORTER_OTLP_ENDPOINT"
)

// Endpoint is where profiles are sent to.
type Endpoint struct {
	Protocol Protocol
	url      *url.URL
}

// Errors of addresses, none of which repeats one: a password may be in it.
var (
	errAddress  = errors.New("--push needs an address such as http://localhost:4318 (OTLP) or pyroscope+http://localhost:4040")
	errUserinfo = errors.New("--push takes no name or password in an address, where others see them: put a header into a file for --push-headers, or into OTEL_EXPORTER_OTLP_HEADERS")
	errQuery    = errors.New("--push takes no query in an address, where others may see a token in it: put a header into a file for --push-headers, or the address into " + profilesVariable + " and give --push " + FromEnvironment)
	errNoneSet  = errors.New("--push " + FromEnvironment + " takes the address from " + profilesVariable + " or " + endpointVariable + ", and neither is set")
)

// ParseEndpoint reads an address as --push has it: http://HOST, https://HOST or either
// with a path, below which OTLP's own is added unless it is there; pyroscope+http://HOST;
// or "env".
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
		return nil, errAddress // the cause has the address in it
	}
	if u.User != nil {
		return nil, errUserinfo
	}
	e.url = u
	return e, nil
}

// complete adds the path of the protocol, unless it is there.
func (e *Endpoint) complete() {
	path := otlpPath
	if e.Protocol == Pyroscope {
		path = pyroscopePath
	}
	if base := strings.TrimRight(e.url.Path, "/"); !strings.HasSuffix(base, path) {
		e.url.Path, e.url.RawPath = base+path, ""
	}
}

// String is the address without what may be secret in it.
func (e *Endpoint) String() string {
	shown := url.URL{Scheme: e.url.Scheme, Host: e.url.Host, Path: e.url.Path}
	return shown.String()
}

// Folder is a name for what is to be sent there, of letters and digits.
func (e *Endpoint) Folder() string {
	sum := sha256.Sum256([]byte(e.url.String()))
	return hex.EncodeToString(sum[:8])
}

// contentType is that of what is sent.
func (e *Endpoint) contentType() string {
	if e.Protocol == Pyroscope {
		return "application/proto"
	}
	return "application/x-protobuf"
}
