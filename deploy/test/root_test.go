package test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"sett/internal/setttest/program"
)

// container is what runs in a root directory of its own, which it cannot write, with one directory that it can: as a container runtime
// starts it, but with the network of the machine. Without a root directory, it runs as any program of the machine.
type container struct {
	root, data string
	user       string // its ids, such as 65532:65532
	env        []string
	by         []string // an emulator, where its machine is not this one
}

// enter mounts the root directory read-only with the data in it, in a mount namespace, and runs a program there. As a user that is not
// root and gets no new privileges, the program has no capability.
const enter = `/usr/bin/mount --bind "$ROOT" "$ROOT" && /usr/bin/mount --bind "$DATA" "$ROOT/var/lib/sett" && /usr/bin/mkdir -p "$ROOT/proc" &&
/usr/bin/mount -o remount,bind,ro "$ROOT" && /usr/bin/mount -t proc proc "$ROOT/proc" &&
exec /usr/bin/setpriv --no-new-privs /usr/sbin/chroot --userspec="$ID" --groups= "$ROOT" "$@"`

// command runs a program of the container, and keeps what it prints.
func (c container) command(args ...string) (*exec.Cmd, *output) {
	args = slices.Concat(c.by, args)
	cmd := program.Bounded(args[0], args[1:]...)
	if c.root != "" {
		cmd = program.Bounded("unshare", append([]string{"--mount", "--propagation", "private", "sh", "-c", enter, "sh"}, args...)...)
	}
	cmd.Env = append([]string{"ROOT=" + c.root, "DATA=" + c.data, "ID=" + c.user}, c.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out := &output{}
	cmd.Stdout, cmd.Stderr = out, out
	return cmd, out
}

// run runs a program of the container to its end.
func (c container) run(args ...string) (string, error) {
	cmd, out := c.command(args...)
	err := cmd.Run()
	return out.String(), err
}

// output is what a process has printed so far.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
	to  []waiter
}

type waiter struct {
	text string
	seen chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.buf.Write(p)
	for i, w := range o.to {
		if w.seen != nil && bytes.Contains(o.buf.Bytes(), []byte(w.text)) {
			close(w.seen)
			o.to[i].seen = nil
		}
	}
	return n, err
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// until returns what is closed once the output has a text.
func (o *output) until(text string) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	seen := make(chan struct{})
	o.to = append(o.to, waiter{text, seen})
	return seen
}

// serves starts a server in the container, creates an account, reports an error and stops the server: it must end with status 0.
// It returns its metrics.
func (c container) serves(t *testing.T, args ...string) (metrics string) {
	t.Helper()
	address := freeAddress(t)
	c.env = append(c.env, "SETT_LISTEN="+address, "SETT_METRICS_NETWORKS=127.0.0.1")
	key := c.setUp(t, args[0])
	cmd, out := c.command(args...)
	ready := out.until("sett is ready")
	ended := make(chan error, 1)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ready:
	case err := <-ended:
		t.Fatalf("the server has ended: %v\n%s", err, out)
	}
	if said, err := c.run(args[0], "ready"); err != nil || said != "ready\n" {
		t.Errorf("sett ready: %v %s\n%s", err, said, out)
	}
	report(t, address, key)
	metrics = get(t, "http://"+address+"/metrics")
	if page := get(t, "http://"+address+"/docs/installing"); !strings.Contains(page, "sett_"+version+"_amd64.deb") {
		t.Error("the manual of the release names files of another version")
	}
	if err := errors.Join(cmd.Process.Signal(syscall.SIGTERM), <-ended); err != nil {
		t.Errorf("the server ends with %v\n%s", err, out)
	}
	if said, err := c.run(args[0], "ready"); err == nil {
		t.Errorf("sett ready finds a server that has stopped: %s", said)
	}
	return metrics
}

// setUp creates the first account and returns the key of its project.
func (c container) setUp(t *testing.T, program string) (key string) {
	t.Helper()
	out, err := c.run(program, "setup")
	if err != nil {
		t.Fatalf("sett setup: %v\n%s", err, out)
	}
	for _, word := range strings.Fields(out) {
		if strings.HasPrefix(word, "sett_p_") {
			return word
		}
	}
	t.Fatalf("sett setup prints no key:\n%s", out)
	return ""
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func report(t *testing.T, address, key string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/v1/notices", strings.NewReader(`{"error":{"class":"Timeout","message":"late"}}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		t.Errorf("an error is answered %d", answer.StatusCode)
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s is answered %d %v: %s", url, answer.StatusCode, err, body)
	}
	return string(body)
}

// newDir makes a directory that users other than root can enter; those of the tests they cannot.
func newDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(temp, "")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// newData makes the directory that a container may write.
func newData(t *testing.T, user int) string {
	t.Helper()
	dir := filepath.Join(newDir(t), "data")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, user, user)); err != nil {
		t.Fatal(fmt.Errorf("make the data directory: %w", err))
	}
	return dir
}
