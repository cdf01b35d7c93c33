package db

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const countListeners = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%LISTEN sett'`

// awaitListeners returns once so many connections listen in the store's database: the server takes a moment to end one.
func awaitListeners(t *testing.T, s *DB, want int) {
	t.Helper()
	var n int
	for range 10_000 {
		if err := s.Read.QueryRowContext(t.Context(), countListeners).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n == want {
			return
		}
	}
	t.Fatalf("%d connections listen, want %d", n, want)
}

// cutListeners has the server end every connection that listens.
func cutListeners(t *testing.T, s *DB) {
	t.Helper()
	cut := strings.Replace(countListeners, "count(*)", "count(pg_terminate_backend(pid))", 1)
	var n int
	if err := s.Read.QueryRowContext(t.Context(), cut).Scan(&n); err != nil || n == 0 {
		t.Fatalf("%d connections were cut, %v", n, err)
	}
}

func TestCommitsWakeOtherNodes(t *testing.T) {
	t.Parallel()
	address := freshServer(t)
	a, b := openAt(t, Options{Database: address}), openAt(t, Options{Database: address})
	hearAll(t, b)
	woken, _ := b.Sleep("mail")
	other, _ := b.Sleep("another topic")
	wakeUp(t, a, "mail")
	<-woken
	if len(other) != 0 {
		t.Error("a sleeper of another topic was woken")
	}
	awaitListeners(t, a, 1) // a has no sleepers
}

// A node wakes its own at once and is not woken again by its own echo.
func TestNodesDoNotHearThemselves(t *testing.T) {
	t.Parallel()
	address := freshServer(t)
	a, b := openAt(t, Options{Database: address}), openAt(t, Options{Database: address})
	hearAll(t, a)
	own, _ := a.Sleep("own")
	others, _ := a.Sleep("others")
	wakeUp(t, a, "own")
	<-own
	wakeUp(t, b, "others")
	<-others // the echo arrived before
	if len(own) != 0 {
		t.Error("woken by an echo")
	}
}

// When a lost connection is restored, all sleepers are woken once. Then commits of other nodes wake them again.
func TestListenersComeBack(t *testing.T) {
	t.Parallel()
	address := freshServer(t)
	a, b := openAt(t, Options{Database: address}), openAt(t, Options{Database: address})
	hearAll(t, b)
	mails, _ := b.Sleep("mail")
	agent, _ := b.Sleep("agent 7")
	for range 2 {
		cutListeners(t, a)
		<-mails
		<-agent
		wakeUp(t, a, "mail")
		<-mails
		if len(agent) != 0 {
			t.Error("a sleeper of another topic was woken")
		}
	}
}

func TestListenReportsThatThereWasAConnection(t *testing.T) {
	t.Parallel()
	s := openAt(t, Options{Database: freshServer(t)})
	var w wakes
	connected, lost := w.add("connected"), make(chan bool)
	go func() { lost <- s.listener.listen(context.Background(), &w) }()
	<-connected
	cutListeners(t, s)
	if !<-lost {
		t.Error("a connection that was lost passes for one that could not be made")
	}
}

// A store that cannot listen still wakes its own sleepers: a pooler may allow no connection that listens.
func TestStoreThatCannotListenWakesItsOwn(t *testing.T) {
	t.Parallel()
	s := openAt(t, Options{Database: freshServer(t)})
	s.listener.config.Database = "nowhere"
	if s.listener.listen(t.Context(), &s.wakes) {
		t.Fatal("there is a connection to nowhere")
	}
	woken, _ := s.Sleep("mail")
	wakeUp(t, s, "mail")
	if len(woken) != 1 {
		t.Error("a store that cannot listen does not wake its own sleepers")
	}
}

func TestCloseEndsTheListener(t *testing.T) {
	t.Parallel()
	address := freshServer(t)
	a := openAt(t, Options{Database: address})
	b, err := Open(t.Context(), Options{Database: address})
	if err != nil {
		t.Fatal(err)
	}
	hearAll(t, b)
	awaitListeners(t, a, 1)
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	awaitListeners(t, a, 0)
}

func TestClosedStoresDoNotListen(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Options{Database: freshServer(t)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s.Sleep("mail")
	if s.listener.stop != nil {
		t.Error("a closed store has begun to listen")
	}
}

func TestNothingListensForSQLite(t *testing.T) {
	t.Parallel()
	s := openFile(t)
	s.Sleep("mail")
	if s.listener.stop != nil {
		t.Error("a listener was begun where there are no other nodes")
	}
}

// The connection that listens is made as the pools' are, and takes none of theirs.
func TestListenerHasTheSettingsOfTheAddress(t *testing.T) {
	t.Parallel()
	address := freshServer(t)
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	query := parsed.Query()
	query.Set("lock_timeout", "4321ms")
	parsed.RawQuery = query.Encode()
	s := openAt(t, Options{Database: parsed.String()})
	conn, err := s.listener.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer hangUp(conn)
	var got [3]string
	row := conn.QueryRow(t.Context(), `SELECT current_setting('lock_timeout'), current_setting('application_name'), current_database()`)
	if err := row.Scan(&got[0], &got[1], &got[2]); err != nil || got != [3]string{"4321ms", "sett", s.listener.config.Database} {
		t.Errorf("it has %q, %v", got, err)
	}
}

func TestTriesToListenKeepTheirDistance(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		tries := 0
		keepTrying(ctx, func(context.Context) bool { tries++; return false })
		if least, most := int(time.Hour/lastRetry), 2*int(time.Hour/lastRetry)+10; tries < least || tries > most {
			t.Errorf("%d tries in an hour, want %d to %d", tries, least, most)
		}
	})
}

// A connection that stood for a while does not wait as long as one that never did.
func TestAConnectionThatIsLostIsMadeAgainAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var lost time.Time
		tries := 0
		keepTrying(ctx, func(context.Context) bool {
			tries++
			if rest := time.Since(lost); tries == 21 && (rest > firstRetry || rest < firstRetry/2) {
				t.Errorf("after %v there was another try, want about %v", rest, firstRetry)
			}
			if tries == 21 {
				cancel()
			}
			lost = time.Now()
			return tries == 20
		})
	})
}
