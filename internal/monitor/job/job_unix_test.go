//go:build unix

package job

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
)

// What a command leaves running may write on; the report does not wait for it.
func TestRunReportsBeforeWhatIsLeftRunningEnds(t *testing.T) {
	t.Parallel()
	gate := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	passed := ""
	status := Job{
		Command: shell("(cat " + gate + "; echo late) & echo early; exit 5"), Stdout: &out, Stderr: io.Discard,
		Report: func(_ context.Context, o Outcome) error {
			passed = o.Stdout
			go os.WriteFile(gate, []byte("then\n"), 0) //nolint:errcheck // which lets the other go on, or nothing comes
			return nil
		},
	}.Run()
	if status != 5 || passed != "early\n" || out.String() != "early\nthen\nlate\n" {
		t.Errorf("status %d, reported %q, passed on %q", status, passed, out.String())
	}
}

// A signal goes to the command while there is one; after that, one that means the end ends the report.
func TestSignals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &calls{signals: make(chan os.Signal), released: make(chan struct{})}
		var mu sync.Mutex
		var got []os.Signal
		alive := true
		asked := c.untilStopped(func(s os.Signal) error {
			mu.Lock()
			defer mu.Unlock()
			if !alive {
				return os.ErrProcessDone
			}
			got = append(got, s)
			return nil
		})
		for _, s := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1} {
			c.signals <- s
		}
		synctest.Wait()
		mu.Lock()
		alive = false
		mu.Unlock()
		c.signals <- syscall.SIGUSR1
		synctest.Wait()
		if len(got) != 3 || asked.Err() != nil {
			t.Errorf("sent %v, asked to end: %v", got, asked.Err())
		}
		c.signals <- syscall.SIGTERM
		synctest.Wait()
		if asked.Err() == nil {
			t.Error("it was not asked to end")
		}
		close(c.released)
	})
}
