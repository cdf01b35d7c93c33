package test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"sett/internal/setttest/example"
	"sett/internal/setttest/program"
)

// reader is who follows a page: they have the files of the release in the directory where they work, and what the page names.
type reader struct {
	t       *testing.T
	page    string
	dir     string
	path    string // the directory with all programs that they have
	key     string // of the project that sett setup has made
	servers *servers
}

// notHere are blocks that are run elsewhere, by the page and how they begin.
var notHere = map[string]string{
	"README.md go run ./cmd/sett serve": "TestFirstCommandsOfTheReadme and others: these need a checkout and Go",
	"README.md TOKEN=":                  "TestShellOfTheManual in e2e/clients does, with what setup prints",
}

// endless are commands that run until they are stopped, with what they log when they are ready.
var endless = map[string]string{
	"sett serve ":          "sett is ready",
	"bin/sett serve ":      "sett is ready",
	"sett backup --every ": "a backup was created",
}

// real are the programs of the machine that the pages use. What is neither here nor in standIns cannot be run.
var real = []string{
	"apt", "cat", "cp", "date", "dpkg", "grep", "gzip", "journalctl", "ls", "mkdir", "mv", "pg_dump", "pg_restore", "rm", "sha256sum", "sh", "sleep", "ssh-keygen", "systemctl",
	"systemd-run", "tar", "userdel", "zstd",
}

func newReader(t *testing.T, page string, on *servers) *reader {
	name := strings.TrimSuffix(filepath.Base(page), ".md")
	r := &reader{t: t, page: page, dir: filepath.Join("/home/reader", name), path: filepath.Join("/home/programs", name), servers: on}
	err := errors.Join(os.MkdirAll(r.dir, 0o755), os.MkdirAll(r.path, 0o755))
	files, listed := filepath.Glob("release-*")
	for _, file := range files {
		err = errors.Join(err, os.Symlink(filepath.Join("/try", file), filepath.Join(r.dir, strings.TrimPrefix(file, "release-"))))
	}
	for _, name := range real {
		where, missing := exec.LookPath(name)
		err = errors.Join(err, missing, os.Symlink(where, filepath.Join(r.path, name)))
	}
	for name := range standIns {
		err = errors.Join(err, os.Symlink("/try/follow", filepath.Join(r.path, name)))
	}
	curl, missing := exec.LookPath("curl") // a refusal fails the block
	err = errors.Join(err, missing, os.WriteFile(filepath.Join(r.path, "curl"), []byte("#!/bin/sh\nexec "+curl+` --silent --show-error --fail-with-body "$@"`+"\n"), 0o755))
	archive := "sett_" + version + "_linux_amd64"
	_, unpacked := command(r.path, "tar", "--strip-components=1", "-xzf", filepath.Join(r.dir, archive+".tar.gz"), archive+"/sett")
	if err = errors.Join(err, listed, unpacked); err != nil {
		t.Fatal(err)
	}
	return r
}

// do runs a block as it stands, after what the page says in words.
func (r *reader) do(b example.Block) {
	r.t.Helper()
	for begins := range notHere {
		if strings.HasPrefix(r.page+" "+b.Text, begins) {
			r.servers.used[begins] = true
			return
		}
	}
	var then *work
	for begins, w := range doneInWords {
		if strings.HasPrefix(b.Text, begins) {
			r.servers.used[begins], then = true, &w
		}
	}
	if then != nil && then.before != nil {
		then.before(r)
	}
	for _, lines := range commandsOf(b.Text) {
		out, err := r.run(lines)
		said := fmt.Sprintf("%s:%d: %s", r.page, b.Line, strings.TrimSpace(lines))
		if err != nil {
			r.t.Errorf("%s\n%v\n%s", said, err, out)
			continue
		}
		r.t.Log(said)
		if then != nil && !strings.Contains(out, then.says) {
			r.t.Errorf("%s\ndoes not say %q:\n%s", said, then.says, out)
		}
	}
}

var (
	another  = regexp.MustCompile(`(?m)^(.*?)\s+# or: (.*)$`)
	cronLine = regexp.MustCompile(`^(?:[\d*/,-]+ +){5}(.*)$`)
)

// commandsOf returns what a shell is given of a block, in which a comment may name another command for the same, and a line may be one of cron.
func commandsOf(text string) []string {
	if m := cronLine.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		return []string{strings.ReplaceAll(m[1], `\%`, "%")}
	}
	return []string{text}
}

// others returns the commands that comments name instead.
func others(text string) (commands []string) {
	for _, m := range another.FindAllStringSubmatch(text, -1) {
		commands = append(commands, m[2])
	}
	return commands
}

// fill puts what the served manual puts into its examples (internal/web/manual).
func (r *reader) fill(lines string) string {
	return strings.NewReplacer("SETT_ADDRESS", "http://127.0.0.1:8080", "SETT_KEY", r.key).Replace(lines)
}

func (r *reader) command(lines string) (*exec.Cmd, *output) {
	cmd := program.Bounded("sh", "-ec", r.fill(lines))
	cmd.Dir = r.dir
	cmd.Env = append([]string{
		"PATH=" + r.path, "HOME=/root", "TMPDIR=/tmp", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "SSL_CERT_FILE=" + r.servers.authority,
		"AWS_ACCESS_KEY_ID=of-tests", "AWS_SECRET_ACCESS_KEY=of-tests", stateVariable + "=" + r.path + ".state",
	}, r.servers.more[r.page]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	out := &output{}
	cmd.Stdout, cmd.Stderr = out, out
	return cmd, out
}

// run runs lines to their end, or until they are ready if they would not end.
func (r *reader) run(lines string) (string, error) {
	for begins, ready := range endless {
		if strings.HasPrefix(lines, begins) {
			return r.runUntil(lines, ready)
		}
	}
	cmd, out := r.command(lines)
	if err := cmd.Run(); err != nil {
		return out.String(), err
	}
	for _, other := range others(lines) {
		cmd, more := r.command(other)
		if err := cmd.Run(); err != nil {
			return more.String(), fmt.Errorf("%s: %w", other, err)
		}
	}
	return out.String(), nil
}

// runUntil runs lines until they are ready, and stops them.
func (r *reader) runUntil(lines, ready string) (string, error) {
	cmd, out := r.command("exec " + lines)
	seen, ended := out.until(ready), make(chan error, 1)
	if err := cmd.Start(); err != nil {
		return "", err
	}
	go func() { ended <- cmd.Wait() }()
	select {
	case <-seen:
	case err := <-ended:
		return out.String(), fmt.Errorf("it ended: %w", err)
	case <-time.After(time.Minute):
		return out.String(), errors.Join(fmt.Errorf("it does not say %q", ready), cmd.Process.Kill())
	}
	err := errors.Join(cmd.Process.Signal(syscall.SIGTERM), <-ended)
	return out.String(), err
}

// must runs what the page says in words.
func (r *reader) must(lines string) string {
	r.t.Helper()
	out, err := r.run(lines)
	if err != nil {
		r.t.Errorf("%s: %s\n%v\n%s", r.page, lines, err, out)
	}
	return out
}

// write writes a file that the page asks for.
func (r *reader) write(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// leave ends what runs, so that the next page begins anew.
func (r *reader) leave() {
	for _, end := range r.servers.ends {
		end()
	}
	r.servers.ends = nil
}

// firstCommand matches a row of the table in docs/installing.md.
var firstCommand = regexp.MustCompile("(?m)^\\| \\[.*\\]\\(#.*\\| `(.*)` \\|$")

// checkFirstCommands compares the table of docs/installing.md with its blocks, which are run.
func checkFirstCommands(t *testing.T) {
	text, err := os.ReadFile("installing.md")
	if err != nil {
		t.Fatal(err)
	}
	var run bytes.Buffer
	for _, b := range example.Blocks(text) {
		run.WriteString(b.Text)
	}
	rows := firstCommand.FindAllSubmatch(text, -1)
	for _, row := range rows {
		if !bytes.Contains(run.Bytes(), row[1]) {
			t.Errorf("docs/installing.md: the first command %s is in no block", row[1])
		}
	}
	if len(rows) < 6 {
		t.Errorf("docs/installing.md has only %d first commands: are they still found?", len(rows))
	}
}

// settSpan matches a command of sett within a text.
var settSpan = regexp.MustCompile("`sett ([a-z][a-z ]*[a-z])[^`]*`")

// checkUpgradeNotes tries the commands that the upgrade notes of the newest version name.
func checkUpgradeNotes(t *testing.T) {
	text, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, notes, _ := strings.Cut(string(text), "### What you must do\n")
	notes, _, _ = strings.Cut(notes, "\n### ")
	found := settSpan.FindAllStringSubmatch(notes, -1)
	for _, m := range found {
		words := append([]string{"help"}, strings.Fields(m[1])...)
		if out, err := command("/home/programs/backup", "./sett", words...); err != nil && !strings.Contains(notes, "Replace `sett "+m[1]) {
			t.Errorf("CHANGELOG.md names sett %s: %v %s", m[1], err, out)
		}
	}
	if len(found) == 0 {
		t.Error("the upgrade notes name no command of sett")
	}
}
