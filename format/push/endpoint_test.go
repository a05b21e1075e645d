package push

import (
	"errors"
	"strings"
	"testing"
)

func env(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

// TestParseEndpoint completes addresses, each for its protocol.
func TestParseEndpoint(t *testing.T) {
	for address, want := range map[string]string{
		"http://h:4318":                                  "http://h:4318/v1development/profiles",
		"https://h/":                                     "https://h/v1development/profiles",
		"https://h/otlp":                                 "https://h/otlp/v1development/profiles",
		"http://h/v1development/profiles":                "http://h/v1development/profiles",
		"http://h/v1development/profiles/":               "http://h/v1development/profiles/",
		"pyroscope+http://h:4040":                        "http://h:4040/push.v1.PusherService/Push",
		"pyroscope+https://h/push.v1.PusherService/Push": "https://h/push.v1.PusherService/Push",
	} {
		e, err := ParseEndpoint(address, none)
		if err != nil || e.String() != want || e.url.String() != want || (e.Protocol == Pyroscope) != strings.HasPrefix(address, "pyroscope") {
			t.Errorf("%s: %v, %v, want %s", address, e, err, want)
		}
	}
}

// TestEndpointOfTheEnvironment: that for profiles is as it is, the general one a base.
func TestEndpointOfTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		values map[string]string
		want   string
	}{
		{map[string]string{endpointVariable: "http://h:4318"}, "http://h:4318/v1development/profiles"},
		{map[string]string{endpointVariable: "http://h:4318", profilesVariable: "https://p/x?key=secret"}, "https://p/x"},
	} {
		e, err := ParseEndpoint("env", env(c.values))
		if err != nil || e.String() != c.want {
			t.Errorf("%v: %v, %v", c.values, e, err)
		}
	}
	if _, err := ParseEndpoint("env", none); !errors.Is(err, errNoneSet) {
		t.Error(err)
	}
}

// TestBadEndpoints are refused, and no error repeats what may be a secret.
func TestBadEndpoints(t *testing.T) {
	for address, want := range map[string]error{
		"": errAddress, "localhost:4318": errAddress, "ftp://secret": errAddress, "http://": errAddress, "http://h:secret": errAddress,
		"pyroscope+h": errAddress, "http://h/%zzsecret": errAddress, "http://h#secret": errAddress, "grpc://h:4317": errAddress,
		"http://user:secret@h": errUserinfo, "http://secret@h": errUserinfo, "pyroscope+https://u:secret@h": errUserinfo,
		"http://h?token=secret": errQuery,
	} {
		if _, err := ParseEndpoint(address, none); err != want || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %v", address, err, want)
		}
	}
	if _, err := ParseEndpoint("env", env(map[string]string{endpointVariable: "http://u:secret@h"})); err != errUserinfo {
		t.Error(err)
	}
}

// TestEndpointFolder is one for each address.
func TestEndpointFolder(t *testing.T) {
	seen := map[string]bool{}
	for _, address := range []string{"http://h:4318", "http://h:4319", "https://h:4318", "pyroscope+http://h:4318", "http://h:4318/a"} {
		e, err := ParseEndpoint(address, none)
		if err != nil || len(e.Folder()) != 16 || seen[e.Folder()] {
			t.Errorf("%s: %v, %q", address, err, e.Folder())
		}
		seen[e.Folder()] = true
	}
}
