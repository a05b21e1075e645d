//go:build collector && linux

package otlp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile"
)

// build builds a program of this module or of stacksnap's.
func build(t *testing.T, dir, what string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program")
	cmd := exec.Command("go", "build", "-o", out, what)
	cmd.Dir = dir
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", what, err, b)
	}
	return out
}

// collector is an OpenTelemetry Collector that is started and stopped.
type collector struct {
	*testing.T
	program, config, address, got string
	cmd                           *exec.Cmd
}

const collectorConfig = `
receivers: {otlp: {protocols: {http: {endpoint: "%s"}}}}
exporters: {file: {path: "%s", append: true, flush_interval: 50ms}}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {profiles: {receivers: [otlp], exporters: [file]}}
`

func newCollector(t *testing.T) *collector {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer free.Close()
	dir := t.TempDir()
	c := &collector{T: t, program: build(t, ".", "./collector"), config: filepath.Join(dir, "config.yaml"), address: free.Addr().String(), got: filepath.Join(dir, "got.json")}
	if err := os.WriteFile(c.config, fmt.Appendf(nil, collectorConfig, c.address, c.got), 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

// start starts it, and waits until it listens.
func (c *collector) start() {
	c.Helper()
	var said bytes.Buffer
	c.cmd = exec.Command(c.program, "--config", c.config, "--feature-gates", "service.profilesSupport")
	c.cmd.Stderr, c.cmd.SysProcAttr = &said, &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := c.cmd.Start(); err != nil {
		c.Fatal(err)
	}
	c.eventually("the Collector listens", func() bool {
		answer, err := http.Get("http://" + c.address)
		if err == nil {
			answer.Body.Close()
		}
		return err == nil
	})
}

// stop has it end as it does in service: what it has taken it writes.
func (c *collector) stop() {
	c.Helper()
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		c.Error(err)
	}
	_ = c.cmd.Wait() // that it ends is what is wanted
}

// eventually asks again until it is so.
func (c *collector) eventually(what string, so func() bool) {
	c.Helper()
	for end := time.Now().Add(2 * time.Minute); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			c.Fatal("never: ", what)
		}
	}
}

// received counts the profiles that it has written, by when they were captured.
func (c *collector) received() map[int64]int {
	c.Helper()
	times := map[int64]int{}
	f, err := os.Open(c.got)
	if err != nil {
		return times
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		all, err := (&pprofile.JSONUnmarshaler{}).UnmarshalProfiles(lines.Bytes())
		if err != nil {
			continue // the last line may be on its way
		}
		for _, resource := range all.ResourceProfiles().All() {
			for _, scope := range resource.ScopeProfiles().All() {
				for _, p := range scope.Profiles().All() {
					times[p.Time().AsTime().UnixNano()]++
				}
			}
		}
	}
	return times
}

// watch is a watch of stacksnap, whose reports go to a file, too.
type watch struct {
	cmd *exec.Cmd
	out string
	err bytes.Buffer
}

func (c *collector) watch(program, spool string, pid int) *watch {
	c.Helper()
	w := &watch{out: filepath.Join(c.TempDir(), "reports.jsonl")}
	to, err := os.Create(w.out)
	if err != nil {
		c.Fatal(err)
	}
	defer to.Close()
	w.cmd = exec.Command(program, "-p", strconv.Itoa(pid), "--every", "200ms", "-f", "jsonl", "--push", "http://"+c.address, "--spool", spool)
	w.cmd.Stdout, w.cmd.Stderr = to, &w.err
	if err := w.cmd.Start(); err != nil {
		c.Fatal(err)
	}
	return w
}

// reported are the times of the reports that it has written, each of which it had spooled
// before.
func (w *watch) reported(t *testing.T) (times []int64) {
	t.Helper()
	b, err := os.ReadFile(w.out)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		var r struct{ Profile struct{ Start time.Time } }
		if json.Unmarshal(line, &r) == nil { // the last may be cut
			times = append(times, r.Profile.Start.UnixNano())
		}
	}
	return times
}

func letters(t *testing.T, spool string) int {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(spool, "*", "*.letter"))
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// TestCollectorAway: the Collector is stopped for a while in the middle of a watch, and
// stacksnap is killed meanwhile. Each report that it made comes, and hardly any twice.
// STACKSNAP_AWAY is for how long; a minute shows what the issue asks for.
func TestCollectorAway(t *testing.T) {
	away := 6 * time.Second
	if text := os.Getenv("STACKSNAP_AWAY"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		away = d
	}
	c, program, spool := newCollector(t), build(t, "../..", "."), t.TempDir()
	target := exec.Command("sleep", "600")
	if err := target.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Process.Kill(); _ = target.Wait() }()

	c.start()
	one := c.watch(program, spool, target.Process.Pid)
	c.eventually("ten reports have come", func() bool { return len(c.received()) >= 10 })
	c.stop()
	time.Sleep(away / 2) // is the matter here
	if err := one.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = one.cmd.Wait()
	left := letters(t, spool)
	two := c.watch(program, spool, target.Process.Pid)
	time.Sleep(away / 2)
	c.eventually("the second watch has a report waiting, too", func() bool { return letters(t, spool) > left })
	before := letters(t, spool)
	c.start()
	c.eventually("what waited is sent", func() bool { return len(c.received()) > before })
	if err := two.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := two.cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, two.err.String())
	}
	more := letters(t, spool) // of a slow machine, which the next call sends
	last := exec.Command(program, "../../format/testdata/linux.json", "-o", os.DevNull, "--push", "http://"+c.address, "--spool", spool)
	if said, err := last.CombinedOutput(); err != nil || letters(t, spool) > 0 {
		t.Errorf("%v: %s; %d of %d letters were not sent", err, said, letters(t, spool), more)
	}
	c.stop()
	c.check(append(one.reported(t), two.reported(t)...), left, before)
	for _, want := range []string{"what is not sent waits in " + spool, "takes profiles again"} {
		if !strings.Contains(two.err.String(), want) {
			t.Errorf("not told: %s:\n%s", want, two.err.String())
		}
	}
}

// check wants every report, and only the one that was under way as its sender was killed
// again.
func (c *collector) check(reported []int64, left, before int) {
	c.Helper()
	got, lost, twice := c.received(), 0, 0
	for _, at := range reported {
		if got[at] == 0 {
			lost++
		}
	}
	for _, n := range got {
		twice += n - 1
	}
	c.Logf("%d reports made, %d lost; %d came, %d of them again; %d waited as stacksnap was killed, %d as the Collector came back", len(reported), lost, len(got), twice, left, before)
	if lost > 0 || twice > 2 || len(reported) < 20 || left == 0 || before <= left {
		c.Error("that is not what was spooled")
	}
}
