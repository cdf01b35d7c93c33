package upload

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
)

// TestUploadsWaitForTheirTurn has all slots taken by one sender: those of others do not wait behind all that it sends.
func TestUploadsWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	d := NewDesk(nil, t.TempDir())
	var leave []func()
	for range atOnce {
		l, err := d.enter(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, l)
	}
	late, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := d.enter(late, 1); sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("one that has waited for too long: %v", err)
	}
	leave[0]()
	l, err := d.enter(t.Context(), 2)
	if err != nil {
		t.Fatalf("after one has left: %v", err)
	}
	l()
}

// enter receives a body of a sender, and waits for its turn.
func enter(t *testing.T, d *Desk, sender int64, body io.Reader) (whole io.Reader, leave func(), err error) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/", nil)
	return d.Enter(httptest.NewRecorder(), r, sender, body, time.Minute)
}

// TestSlowBodiesKeepOthersFree has more bodies that do not arrive than there are slots, and one of another sender that does.
func TestSlowBodiesKeepOthersFree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := NewDesk(nil, dir)
	ended := make(chan error)
	var ends []io.Closer
	for range 2 * atOnce {
		from, to := io.Pipe()
		ends = append(ends, to)
		go func() {
			_, leave, err := enter(t, d, 1, from)
			if err == nil {
				leave()
			}
			ended <- err
		}()
		if _, err := to.Write([]byte("a")); err != nil { // it is being read
			t.Fatal(err)
		}
	}
	sent := bytes.Repeat([]byte("0123456789"), 3*piece/10)
	whole, leave, err := enter(t, d, 2, bytes.NewReader(sent))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(whole); err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%d of %d bytes are kept: %v", len(got), len(sent), err)
	}
	leave()
	for _, to := range ends {
		_ = to.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 || d.bodies.all != (kept{}) || len(d.bodies.of) > 0 {
		t.Errorf("%v and %v are left: %v", left, d.bodies.all, err)
	}
}

func TestSenderHasAPartOfTheRoom(t *testing.T) {
	t.Parallel()
	d := NewDesk(nil, t.TempDir())
	var kept []func()
	for range mostOfSender {
		_, free, err := d.Receive(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "POST", "/", nil), 1, strings.NewReader("a"))
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, free)
	}
	if _, _, err := enter(t, d, 1, strings.NewReader("a")); sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("one beyond the sender's part: %v", err)
	}
	if _, leave, err := enter(t, d, 2, strings.NewReader("a")); err != nil {
		t.Errorf("one of another sender: %v", err)
	} else {
		leave()
	}
	for _, free := range kept {
		free()
	}
	d.bodies.of[1] = d.bodies.of[1].plus(struct{ bodies, bytes int }{0, bytesOfOne})
	if _, _, err := enter(t, d, 1, strings.NewReader("a")); sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("a byte beyond the sender's part: %v", err)
	}
}

var errLost = errors.New("the connection was lost")

func TestBodyThatIsCutOffIsNotKept(t *testing.T) {
	t.Parallel()
	d := NewDesk(nil, t.TempDir())
	from, to := io.Pipe()
	go func() { _, _ = to.Write([]byte("a")); to.CloseWithError(errLost) }()
	if _, _, err := enter(t, d, 1, from); !errors.Is(err, errLost) || d.bodies.all.bodies > 0 {
		t.Errorf("the error is %v, and %v is kept", err, d.bodies.all)
	}
	broken := NewDesk(nil, "/dev/null/none")
	if _, leave, err := enter(t, broken, 1, strings.NewReader("a")); err != nil {
		t.Errorf("without its directory: %v", err)
	} else {
		leave()
	}
}
