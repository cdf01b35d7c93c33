package e2e

import (
	"path/filepath"
	"slices"
	"testing"

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
	second := launch(t, append(slices.Clone(s.flags), "--data", t.TempDir(), "--secret-key-file", filepath.Join(s.data, "secret.key"))...)
	base := second.await(t)
	news := newNewsLoad(s)
	b.onArrival(news.follow)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("missing: %q", news.missing(b.received))
		}
	})
	reported := func(n int) {
		have := len(news.all())
		await(t, "more was accepted", func() bool { return len(news.all()) >= have+n })
	}
	end := news.begin(s.base)
	reported(50)
	if err := pooler.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := pooler.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	reported(50)
	s.kill()
	end()
	end = news.begin(base)
	reported(50)
	s.restart(t)
	reported(50)
	end()
	b.await(t, "all that was accepted", func(received []delivery) bool { return len(news.missing(received)) == 0 })
	b.proveOrder(t)
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
	t.Logf("%d alerts promised, %d delivered, %d of them more than once", len(news.promised), len(b.received), b.repeated())
}
