package chaos

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sett/e2e/rig"
)

// chaosNode is a sett on a machine of its own, with a disk and a clock of its own.
type chaosNode struct {
	rig.Server // as others reach it; its process is that of the keeper
	at         machine
	keeper     *keeper
	clock      string // the file that sets it
	log        string // the file
	most       atomic.Int64
}

// nodePort is where nodes listen.
const nodePort = ":8080"

// newNode makes a node that runs until the test ends. It shares the database of s.
func newNode(t testing.TB, s *rig.Server, l *lan, binary, dsn string, flags ...string) *chaosNode {
	t.Helper()
	n := &chaosNode{Server: *s, at: l.machine(t)}
	n.Base = "http://" + n.at.address + nodePort
	n.Data = t.TempDir()
	rig.NewRAMDisk(t, n.Data, "64")
	beside := t.TempDir()
	n.clock, n.log = filepath.Join(beside, "clock"), filepath.Join(cmp.Or(os.Getenv("CHAOS_LOGS"), beside), n.at.netns+".log")
	rig.SetClock(t, n.clock, 0)
	args := append([]string{
		"netns", "exec", n.at.netns, binary, "serve", "--listen", n.at.address + nodePort, "--log-format", "json", "--resolver", "127.0.0.1:9",
		"--database", dsn, "--data", n.Data, "--secret-key-file", filepath.Join(s.Data, "secret.key"), "--api-rate-limit", "0", "--egress-allow", "198.18.0.0/15",
	}, flags...)
	log, err := os.OpenFile(n.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	n.keeper = newKeeper(t, func() *exec.Cmd {
		cmd := exec.Command("ip", args...)
		cmd.Env, cmd.Stdout, cmd.Stderr = append(rig.Environment(), "CLOCK_FILE="+n.clock), log, log
		return cmd
	})
	go n.weigh(t)
	return n
}

// weigh notes how much memory the node has taken at most, until the test ends.
func (n *chaosNode) weigh(t testing.TB) {
	for t.Context().Err() == nil {
		if bytes := residentBytes(n.keeper.pid()); bytes > n.most.Load() {
			n.most.Store(bytes)
		}
		<-time.After(500 * time.Millisecond)
	}
}

// residentBytes returns how much memory a process has; 0 if there is none.
func residentBytes(pid int) (bytes int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	var size, resident int64
	_, _ = fmt.Sscan(string(text), &size, &resident)
	return resident * int64(os.Getpagesize())
}

// logged calls each with every line of the log.
func (n *chaosNode) logged(t testing.TB, each func(level, message, line string)) {
	t.Helper()
	text, err := os.ReadFile(n.log)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var entry struct{ Level, Msg string }
		if err := json.Unmarshal(line, &entry); err != nil {
			entry.Level = "none"
		}
		each(entry.Level, entry.Msg, strings.TrimSpace(string(line)))
	}
}

// metrics returns what the node measures, by name and labels as they are written.
func (n *chaosNode) metrics(m rig.Manager) map[string]float64 {
	m.T.Helper()
	all := map[string]float64{}
	for line := range strings.Lines(string(m.Do("GET", "/metrics", nil, 200))) {
		var value float64
		if at := strings.LastIndexByte(line, ' '); at > 0 && !strings.HasPrefix(line, "#") {
			if _, err := fmt.Sscan(line[at:], &value); err == nil {
				all[line[:at]] = value
			}
		}
	}
	return all
}
