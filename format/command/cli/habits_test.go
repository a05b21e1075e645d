package cli

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestHabits: the calls of other tools do what they do there.
func TestHabits(t *testing.T) {
	t.Chdir(t.TempDir())
	runs := func(pid int) bool { return pid == 4711 }
	for args, want := range map[string]string{
		"record -p 4711":                 "samples 4711",
		"record -F 99 -g -p 4711":        "samples 4711 99",
		"record -g -p 4711 -- sleep 5":   "samples 4711 5s",
		"record -p 4711 sleep 0.5":       "samples 4711 500ms",
		"record --pid 4711 -d 3":         "samples 4711 3s",
		"record nginx":                   "samples nginx",
		"record -- make -j4":             "launch make -j4",
		"record -p 4711 --hang 1s":       "watch 4711",
		"dump --pid 4711":                "snapshot 4711",
		"dump 4711":                      "snapshot 4711",
		"sample 4711 5":                  "samples 4711 5s",
		"sample 4711 5 10":               "samples 4711 5s 100",
		"sample nginx 5":                 "samples nginx 5s",
		"sample 5":                       "samples sample 5s", // there is no process 5
		"sample":                         "snapshot sample",
		"-p record":                      "snapshot record",
		"-pid 4711":                      "snapshot 4711",
		"-pid=4711 -duration 5":          "samples 4711 5s",
		"-p 4711 -d 5":                   "samples 4711 5s",
		"-p 4711 -d 0.5":                 "samples 4711 500ms",
		"-p 4711 -F99":                   "samples 4711 99",
		"-p 1,2,3":                       "several 1 2 3",
		"1,2":                            "several 1 2",
		"-p a,b":                         "snapshot a,b",
		"top 4711":                       "top 4711",
		"version":                        "version",
		"-V":                             "version",
		"-version":                       "version",
		"-p version":                     "snapshot version",
		"version 5":                      "samples version 5s",
		"--thread -g -p 4711":            "snapshot 4711",
		"-p 4711 --exec -pid --hang 1s":  "watch 4711",
		"-- tool -pid 4711 -g":           "launch tool -pid 4711 -g",
		"-p 4711 --every 1m -- sleep 10": "give one of -p, --wait and -- COMMAND",
	} {
		o, err := Parse(strings.Fields(args), "", runs)
		if err != nil {
			if err.Error() != want {
				t.Errorf("%s: %v, want %s", args, err, want)
			}
			continue
		}
		if got := asked(o); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

// asked is what is asked for, in a line.
func asked(o *Options) string {
	words := slices.Concat([]string{string(o.Mode())}, o.Targets, o.Command)
	if o.Duration > 0 {
		words = append(words, o.Duration.String())
	}
	if i := o.SampleInterval(); i > 0 {
		words = append(words, strings.TrimSuffix((time.Second/i).String(), "ns"))
	}
	return strings.Join(words, " ")
}

// TestHabitsByDefault are known in the variable, too.
func TestHabitsByDefault(t *testing.T) {
	o, err := Parse([]string{"-p", "1"}, "-F 50 -g -d 5", func(int) bool { return true })
	if err != nil || o.rate != 50 || o.Duration != 5*time.Second {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestErrorsAreOurs: no error has words of Go's library or of the parser of flags, or
// names a flag that nobody gave.
func TestErrorsAreOurs(t *testing.T) {
	for _, args := range []string{
		"-d x", "-d 1y", "-i 5", "-i x", "-n x", "-n 99999999999999999999", "-r x", "-F x", "--min x", "--keep x", "--hang 5", "--every", "--nonsense", "-z", "-pidd 5",
		"--tree=x", "--max-stop 5", "-p", "--depth -1x", "nginx redis", "-t 4711", "--freq 9", "record", "-d 1e999", "-r 1e999",
	} {
		_, err := Parse(append(strings.Fields(args), "-p", "1"), "", func(int) bool { return true })
		if err == nil {
			continue
		}
		for _, word := range []string{"strconv", "parse", "missing unit", "behind", "invalid argument", "shorthand", "pflag", "invalid syntax"} {
			if strings.Contains(err.Error(), word) {
				t.Errorf("%s: %v", args, err)
			}
		}
	}
}
