package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// demoNow is where the clock of a demo stands that is made here.
const demoNow = "2026-11-20T12:00:00Z"

// demo is what a directory holds of a demo, as it says itself.
type demo struct {
	Seed  uint64
	Now   time.Time
	Scale int
	Made  struct {
		AccountID     string  `json:"account_id"`
		ProjectID     int64   `json:"project_id"`
		ProjectIDs    []int64 `json:"project_ids"`
		FaultID       int64   `json:"fault_id"`
		SiteID        string  `json:"site_id"`
		CheckInID     string  `json:"check_in_id"`
		IntegrationID int64   `json:"integration_id"`
		AlertID       int64   `json:"alert_id"`
		StatusPageID  string  `json:"status_page_id"`
		StatusSlug    string  `json:"status_slug"`
		Notices       int64
		Faults        int64
	}
}

// readDemo reads what a directory holds; a file that is not there is fs.ErrNotExist.
func readDemo(dir string) (d demo, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "demo.json"))
	if err != nil {
		return d, err
	}
	return d, json.Unmarshal(text, &d)
}

// startDemo serves a demo and returns the link that signs in. One that the directory holds is served as it is; another is
// made before, which takes minutes when it is a large one.
func startDemo(ctx context.Context, executable, dir string, scale int, log io.Writer) (p *process, link string, err error) {
	seed, now := "1", demoNow
	switch d, err := readDemo(dir); {
	case err == nil:
		seed, now, scale = strconv.FormatUint(d.Seed, 10), d.Now.Format(time.RFC3339), d.Scale
	case !errors.Is(err, fs.ErrNotExist):
		return nil, "", fmt.Errorf("read demo: %w", err)
	}
	cmd := exec.CommandContext(ctx, executable, "demo", "--listen", "127.0.0.1:0", "--data", dir, "--seed", seed, "--now", now,
		"--scale", strconv.Itoa(scale), "--log-level", "warn")
	cmd.Stderr = log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := cmd.Start(); err != nil {
		return nil, "", fmt.Errorf("start demo: %w", err)
	}
	p = &process{cmd: cmd}
	if link, err = bufio.NewReader(out).ReadString('\n'); err != nil {
		return nil, "", errors.Join(errors.New("the demo did not start; --verbose shows why"), ended(p.stop()))
	}
	return p, strings.TrimSpace(link), nil
}
