package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/internal/setttest/pgbouncer"
)

// TestPgBouncer runs two servers behind PgBouncer, which is restarted, and kills one of them, while clients report. What was accepted must
// be stored exactly once, each alert must arrive under one id, and no lock may be left.
func TestPgBouncer(t *testing.T) {
	t.Parallel()
	for mode, direct := range map[string]bool{"transaction": true, "session": false} {
		t.Run(mode, func(t *testing.T) { t.Parallel(); throughPgBouncer(t, mode, direct) })
	}
}

func throughPgBouncer(t *testing.T, mode string, direct bool) {
	dsn := durablePostgres(t)
	pooler := pgbouncer.Serve(t, dsn, mode, "default_pool_size = 60", "query_wait_timeout = 5", "server_lifetime = 2", "log_connections = 0", "log_disconnections = 0")
	var more []string
	if direct {
		more = []string{"--database-direct", dsn}
	}
	s, b := prepareIn(t, t.TempDir(), pooler.Through(dsn), more...), openAlertBox(t)
	s.flags = append(s.flags, "--location", "none", "--egress-allow", "127.0.0.0/8")
	s.restart(t)
	s.addWebHook(t, b, "occurred", "resolved", "unresolved")
	second := launch(t, s.flags...)
	base := second.await(t)
	news, l := &newsLoad{s: s, web: &http.Client{Timeout: 10 * time.Second}, promised: map[string]bool{}}, newLoad(s.APIKey)
	b.onArrival(func(d delivery) {
		if strings.HasPrefix(d.Fault.Klass, "News") { // the load reopens its own
			news.follow(d)
		}
	})
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("missing: %q", news.missing(b.received))
		}
	})
	endNews, endLoad := news.begin(s.base), l.begin(base)
	l.await(t, mostAnswers)
	if err := pooler.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := pooler.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.await(t, mostAnswers)
	s.kill()
	endNews()
	l.await(t, mostAnswers)
	s.restart(t)
	news.begin(s.base)() // the address to follow at
	endLoad()
	found := s.prove(t, l)
	b.await(t, "all that was accepted", func(received []delivery) bool { return len(news.missing(received)) == 0 })
	b.proveOrder(t)
	if len(news.promised) == 0 {
		t.Error("no alert was promised")
	}
	second.stop(t)
	s.stop(t)
	db, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	await(t, "no lock is left", func() bool {
		var locks int
		err := db.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'`).Scan(&locks)
		return err == nil && locks == 0
	})
	t.Logf("%s; %d alerts promised, %d delivered, %d of them more than once", found, len(news.promised), len(b.received), b.repeated())
}
