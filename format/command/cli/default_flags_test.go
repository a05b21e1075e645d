package cli

import (
	"stacksnap/task/live"
	"strings"
	"testing"
	"time"
)

// TestDefaults are flags for every call, as far as it does not say otherwise.
func TestDefaults(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "it.snap", "", 0o600)
	for _, c := range []struct{ defaults, args, same string }{
		{"--merge --color never", "-p 1", "-p 1 --merge --color never"},
		{"-d 10s", "-p 1", "-p 1 -d 10s"},
		{"-d 10s", "-p 1 -d 1s", "-p 1 -d 1s"},
		{"-d 10s", "1 2", "-p 1 -d 2s"},
		{"-d 10s", "it.snap", "it.snap"},
		{"--binaries a --binaries b", "-p 1", "-p 1 --binaries a --binaries b"},
		{"--binaries a --binaries b", "-p 1 --binaries c", "-p 1 --binaries c"},
		{"--merge", "-p 1 --merge=false", "-p 1"},
		{"--merge", "-p 1 -f folded", "-p 1 -f folded"},
		{"-f folded", "-p 1 --merge", "-p 1 --merge"},
		{"-f folded", "-p 1 --hang 1s", "-p 1 --hang 1s"},
		{"--jitter", "-p 1", "-p 1"},
		{"--jitter", "-p 1 -d 1s", "-p 1 -d 1s --jitter"},
		{"-r 10", "-p 1 -i 1ms", "-p 1 -i 1ms"},
		{"--hang 1s --max-hang 3s --dir d --keep 2", "-- true", "-- true"},
		{"--max-hang 3s --dir d --keep 2", "-p 1 --hang 1s", "-p 1 --hang 1s --max-hang 3s --dir d --keep 2"},
		{"--children", "-- make", "--children -- make"},
		{"--children", "-- make --save x", "--children -- make --save x"},
		{"--children", "--save x -- make", "--save x -- make"},
		{"--main", "-p 1 --every 1s", "-p 1 --every 1s"},
		{"-d 10s", "--version", "--version"},
		{"-d 10s", "--sign", "--sign"},
		{"--min 1% --no-pager", "-p 1", "-p 1 --no-pager"},
		{"--min 1%", "-p 1 -d 1s", "-p 1 -d 1s --min 1%"},
		{"--by state", "-p 1 --merge", "-p 1 --merge"},
		{"--invert --hide x", "-p 1 -f summary", "-p 1 -f summary --hide x"},
		{"-o it.snap", "-p 1", "-p 1 --save it.snap"},
		{"-o it.snap", "-p 1 --save x", "-p 1 --save x"},
		{"-o it.snap", "-p 1 -o x.snap", "-p 1 --save x.snap"},
		{"-o it.snap", "-p 1 -o x.json", "-p 1 -o x.json --save it.snap"},
		{"-o it.snap", "-p 1 --tree", "-p 1 --tree"},
		{"-o it.snap", "-p 1 --check", "-p 1 --check"},
		{" \t", "-p 1", "-p 1"},
	} {
		got, err := Parse(strings.Fields(c.args), c.defaults, live.Runs)
		want, wantErr := Parse(strings.Fields(c.same), "", live.Runs)
		if err != nil || wantErr != nil {
			t.Errorf("%s by %s: %v, %v", c.args, c.defaults, err, wantErr)
			continue
		}
		if a, b := told(got), told(want); a != b {
			t.Errorf("%s by %s: %s, want %s", c.args, c.defaults, a, b)
		}
	}
}

// told is all that a command line asks for.
func told(o *Options) string {
	var b strings.Builder
	b.WriteString(string(o.Mode()) + " " + o.Target + " " + strings.Join(o.Command, " "))
	for _, g := range o.groups() {
		for _, f := range g.flags {
			b.WriteString(" " + f.name + "=" + o.flags.Lookup(f.name).Value.String())
		}
	}
	return b.String()
}

// TestDefaultsThatAreWrong name the variable, in every call.
func TestDefaultsThatAreWrong(t *testing.T) {
	for defaults, want := range map[string]string{
		"--nonsense":                "unknown flag",
		"-d 10x":                    "such as 10s",
		"-d 0":                      "cannot be 0",
		"-f yaml":                   "--format is",
		"'":                         "not closed",
		`\`:                         "last backslash",
		"-p 1":                      "--pid is not for every call",
		"--wait it":                 "--wait is not for every call",
		"--sign":                    "--sign is not for every call",
		"--version":                 "--version is not for every call",
		"--help":                    "--help is not for every call",
		"-h":                        "--help is not for every call",
		"nginx":                     `"nginx" is no flag`,
		"--merge -- true":           `"true" is no flag`,
		"-r 10 -i 1ms":              "--rate or --interval",
		"--hang 1s --save x":        "a watch writes",
		"--merge -f folded":         "--merge goes with",
		"-r 1e-300":                 "--rate is from",
		"--output same --save same": "a file each",
	} {
		_, err := Parse([]string{"-p", "1"}, defaults, live.Runs)
		if err == nil || !isUsage(err) || !strings.HasPrefix(err.Error(), "STACKSNAP_FLAGS: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", defaults, err, want)
		}
	}
}

// TestDefaultsAreNotBlamed for what is wrong with the command line.
func TestDefaultsAreNotBlamed(t *testing.T) {
	for _, args := range []string{"-p 1 --hang 1s --save x", "-p 1 -d 0", "--merge=false", "-p 1 --nonsense"} {
		if _, err := Parse(strings.Fields(args), "--merge", live.Runs); err == nil || strings.Contains(err.Error(), "STACKSNAP_FLAGS") {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// TestDefaultsComplete what the command line alone lacks.
func TestDefaultsComplete(t *testing.T) {
	o, err := Parse([]string{"-p", "1", "--jitter"}, "-d 3s", live.Runs)
	if err != nil || !o.Jitter || o.Duration != 3*time.Second {
		t.Error(o, err)
	}
}
