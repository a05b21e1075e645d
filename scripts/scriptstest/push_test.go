package scriptstest

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestPushUnit is one that systemd takes, whose command stacksnap takes.
func TestPushUnit(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../systemd/stacksnap-push@.service")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	_, command, _ := strings.Cut(text, "ExecStart=/usr/local/bin/stacksnap ")
	command, _, _ = strings.Cut(command, "\n")
	takes(t, strings.Fields(strings.NewReplacer("%i", "nobody", "${STACKSNAP_HANG}", "1s", "${STACKSNAP_PUSH}", "http://localhost:4318").Replace(command)))
	verify(t, map[string]string{"stacksnap-push@nginx.service": strings.ReplaceAll(text, "/usr/local/bin/stacksnap", "/bin/true")})
}

// TestPushJob is a property list, whose command stacksnap takes.
func TestPushJob(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../launchd/org.stacksnap.push.plist")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("@PROCESS@", "Server", "@URL@", "https://otel.example.org:4318").Replace(string(b))
	got, err := plist(text)
	if err != nil {
		t.Fatal(err)
	}
	arguments := strings.Fields(strings.Trim(got["ProgramArguments"], "[]"))
	if got["Label"] != "org.stacksnap.push.Server" || got["KeepAlive"] != "true" || arguments[0] != "/usr/local/bin/stacksnap" {
		t.Errorf("%v", got)
	}
	takes(t, arguments[1:])
	if left := regexp.MustCompile(`@[A-Z]+@`).FindString(strings.SplitN(text, "<dict>", 2)[1]); left != "" {
		t.Errorf("%s is not filled in", left)
	}
}

// takes has stacksnap read a command line that would wait: beside one more flag, it says
// what is wrong with that alone.
func takes(t *testing.T, args []string) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"run", "stacksnap"}, append(args, "--jitter")...)...)
	out, _ := cmd.CombinedOutput() // it is refused
	if !strings.HasPrefix(string(out), "stacksnap: --jitter goes with sampling, not with --hang or --every") {
		t.Errorf("%v: %s", args, out)
	}
}
