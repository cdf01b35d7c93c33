package kill

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// slowBox is a receiver of webhooks whose first message takes as long as it is let, or its sender lives.
type slowBox struct {
	load.AlertBox
	arrivals chan time.Time
	over     chan struct{} // closed when the first may be answered
	now      atomic.Int64  // messages that are being taken
	most     atomic.Int64  // of them at once
	seen     atomic.Int64
}

func openSlowBox(t testing.TB) *slowBox {
	b := &slowBox{arrivals: make(chan time.Time, 100), over: make(chan struct{})}
	b.URL = rig.ServeOn(t, "127.0.0.1", b)
	return b
}

// ServeHTTP takes a webhook.
func (b *slowBox) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if n := b.now.Add(1); n > b.most.Load() {
		b.most.Store(n)
	}
	defer b.now.Add(-1)
	first := b.seen.Add(1) == 1
	b.arrivals <- time.Now()
	if first {
		select {
		case <-b.over:
		case <-r.Context().Done(): // its sender is gone
		}
	}
}

func (b *slowBox) await(t testing.TB, what string) time.Time {
	t.Helper()
	select {
	case at := <-b.arrivals:
		return at
	case <-time.After(3 * time.Minute):
		t.Fatalf("in three minutes, the receiver was not sent %s", what)
		return time.Time{}
	}
}

// oneInHand is a server that sends a message which is not taken yet, and another beside it.
func oneInHand(t *testing.T, dsn string) (s *rig.Server, second *rig.Process, b *slowBox) {
	t.Helper()
	s, b = rig.Prepare(t, dsn), openSlowBox(t)
	s.Flags = append(s.Flags, "--location", "none", "--egress-allow", "127.0.0.0/8")
	s.Restart(t)
	load.AddWebHook(t, s, &b.AlertBox, "occurred")
	if !load.ReportNew(&http.Client{Timeout: 10 * time.Second}, s.Base, s.APIKey, 1) {
		t.Fatal("the notice was not accepted")
	}
	b.await(t, "the message")
	second = rig.Launch(t, s.Flags...)
	second.Await(t)
	return s, second, b
}

// TestAlertsOfADeadNode kills a server that has a message in hand. Another sends it long before the claim of the dead one
// would have ended.
func TestAlertsOfADeadNode(t *testing.T) {
	t.Parallel()
	s, _, b := oneInHand(t, rig.DurablePostgres(t))
	s.Kill()
	killed := time.Now()
	wait := b.await(t, "the message by the other node").Sub(killed)
	if t.Logf("the other node sent it %v after the kill", wait.Round(time.Millisecond)); wait > time.Minute {
		t.Error("that is as long as the claim lasted")
	}
}

// TestAlertsOfANodeThatIsCutOff ends all sessions of two servers, one of which has a message in hand and lives on. The other
// may take it for dead, and must not send the message while it does.
func TestAlertsOfANodeThatIsCutOff(t *testing.T) {
	t.Parallel()
	dsn := rig.DurablePostgres(t)
	_, _, b := oneInHand(t, dsn)
	db, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	for range 5 { // the node that is slower to come back is taken for dead
		if _, err := db.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`); err != nil {
			t.Fatal(err)
		}
		<-time.After(6 * time.Second)
	}
	close(b.over)
	<-time.After(2 * time.Second)
	if n, most := b.seen.Load(), b.most.Load(); n != 1 || most != 1 {
		t.Errorf("a message that was on its way came %d times, %d times at once", n, most)
	}
}
