package chaos

import (
	"bytes"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// TestLostCommits loses the answers of PostgreSQL to some commits, as a network does that fails at the worst moment: the
// notices are stored, and the server cannot know. It must neither lose nor repeat any.
func TestLostCommits(t *testing.T) {
	t.Parallel()
	wire := newLossyWire(t, rig.DurablePostgres(t))
	s := rig.Start(t, wire.dsn)
	l := load.New(s.APIKey)
	end := l.Begin(s.Base)
	wire.loseEvery.Store(7)
	l.Await(t, 3*load.MostAnswers)
	wire.loseEvery.Store(0)
	end()
	found := load.Prove(t, s, l)
	if wire.lost.Load() == 0 {
		t.Error("no commit was lost, so nothing was proved")
	}
	t.Logf("%d lost commits: %s", wire.lost.Load(), found)
}

// lossyWire is a way to PostgreSQL on which the answers to some commits are lost.
type lossyWire struct {
	dsn       string       // the database, by this way
	loseEvery atomic.Int64 // of so many commits the answer to one is lost; 0 loses none
	commits   atomic.Int64
	lost      atomic.Int64

	socket string       // of PostgreSQL
	still  sync.RWMutex // held while nothing passes either way

	mu    sync.Mutex
	away  bool              // every connection is refused
	joins map[net.Conn]bool // those that are open
}

// cut ends all connections and refuses more, as a server does that has stopped, until it is called with false.
func (w *lossyWire) cut(away bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.away = away; away {
		for c := range w.joins {
			_ = c.Close()
		}
	}
}

// join notes a connection; ok is false if it is refused.
func (w *lossyWire) join(c net.Conn) (ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.away {
		w.joins[c] = true
	}
	return !w.away
}

func (w *lossyWire) leave(c net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.joins, c)
}

// newLossyWire opens a way, until the test ends, to the database of a cluster of this test.
func newLossyWire(t testing.TB, dsn string) *lossyWire {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	w := &lossyWire{joins: map[net.Conn]bool{}, socket: filepath.Join(u.Query().Get("host"), ".s.PGSQL.5432")}
	u.Host, u.RawQuery = listener.Addr().String(), "sslmode=disable"
	w.dsn = u.String()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // the test has ended
			}
			go w.pass(client)
		}
	}()
	return w
}

// pass joins a connection to one of PostgreSQL until either ends or an answer is lost.
func (w *lossyWire) pass(client net.Conn) {
	defer client.Close()
	if !w.join(client) {
		return
	}
	defer w.leave(client)
	database, err := net.Dial("unix", w.socket)
	if err != nil {
		return
	}
	var lose atomic.Bool // the next answer
	go func() {
		defer database.Close()
		w.relay(database, client, func(sent []byte) bool {
			lose.Store(w.loses(sent))
			return true
		})
	}()
	w.relay(client, database, func([]byte) bool {
		if lose.Load() {
			w.lost.Add(1)
		}
		return !lose.Load()
	})
}

// loses reports whether what a client sends is a commit whose answer is to be lost. The driver sends commits alone, and
// as text.
func (w *lossyWire) loses(sent []byte) bool {
	every := w.loseEvery.Load()
	return every > 0 && bytes.HasSuffix(bytes.ToLower(sent), []byte("commit\x00")) && w.commits.Add(1)%every == 0
}

// relay copies from one connection to the other until one of them ends, or what came may not go on.
func (w *lossyWire) relay(to, from net.Conn, mayGoOn func([]byte) bool) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 && !mayGoOn(buffer[:n]) {
			return
		}
		w.still.RLock()
		_, failed := to.Write(buffer[:n])
		w.still.RUnlock()
		if err != nil || failed != nil {
			return
		}
	}
}
