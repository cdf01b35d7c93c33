package app_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sett/internal/app"
	"sett/internal/setttest"
	"sett/internal/setttest/fresh"
	"sett/internal/setttest/pgbouncer"
)

// behindPooler is a server that reaches PostgreSQL through a PgBouncer in transaction mode.
type behindPooler struct {
	*setttest.Server
	pooler *pgbouncer.Pooler
	direct string // the address of PostgreSQL itself
	name   string // of the database
}

func startBehindPooler(t *testing.T, spoolBytes int64, settings ...string) *behindPooler {
	t.Helper()
	b := &behindPooler{direct: fresh.Postgres(t).Database}
	b.pooler = pgbouncer.Serve(t, b.direct, "transaction", append(settings, "log_connections = 0", "log_disconnections = 0", "log_pooler_errors = 0")...)
	b.Server = setttest.Start(t, "postgres", func(c *app.Config) {
		c.Database, c.Direct, c.SpoolBytes = b.pooler.Through(b.direct), b.direct, spoolBytes
	})
	config, err := pgx.ParseConfig(b.direct)
	if err != nil {
		t.Fatal(err)
	}
	b.name = config.Database
	return b
}

func (b *behindPooler) order(t *testing.T, commands ...string) {
	t.Helper()
	if err := b.pooler.Order(t.Context(), commands...); err != nil {
		t.Fatal(err)
	}
}

// connect connects to an address until the test ends.
func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// send reports an error of a class and returns the answer.
func (b *behindPooler) send(t *testing.T, class string) *setttest.Response {
	t.Helper()
	return b.Post("/v1/notices", map[string]any{"error": map[string]any{"class": class}})
}

// wantOnce waits until the spool is empty and all is counted, and checks that what was accepted is stored and counted once.
func (b *behindPooler) wantOnce(t *testing.T, accepted map[string]int) {
	t.Helper()
	check := "writes"
	if b.Config.SpoolBytes > 0 {
		check = "spool"
	}
	readiness(t, b.Server, http.StatusOK, check, "ok")
	db := connect(t, b.direct)
	number := func(query string) (n int) {
		if err := db.QueryRow(t.Context(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for tries := 0; tries < 20_000 && number(`SELECT coalesce(sum(notices_count), 0) FROM fault_counts`) < len(accepted); tries++ {
	}
	stored := map[string]int{}
	rows, err := db.Query(t.Context(), `SELECT f.class, max(c.notices_count), count(n.id) FROM notices n JOIN faults f ON f.id = n.fault_id JOIN fault_counts c ON c.fault_id = f.id GROUP BY f.class`)
	if err != nil {
		t.Fatal(err)
	}
	var class string
	var counted, rowsOf int
	_, err = pgx.ForEachRow(rows, []any{&class, &counted, &rowsOf}, func() error {
		if stored[class] = rowsOf; counted != rowsOf {
			t.Errorf("%s is stored %d times and counted %d times", class, rowsOf, counted)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(accepted, stored); diff != "" {
		t.Errorf("stored (-accepted +stored):\n%s", diff)
	}
}

// While the pooler has no session to lend, or takes no connections, a server without a spool answers 503 and when to come back, and with a
// spool it accepts reports. It recovers by itself, and all that it accepted is stored once.
func TestThePoolIsExhausted(t *testing.T) {
	t.Parallel()
	for name, exhaust := range map[string]func(*testing.T, *behindPooler) (release func()){
		"no session is free": func(t *testing.T, b *behindPooler) func() {
			var held []*pgx.Conn
			for range 2 {
				conn := connect(t, b.pooler.Through(b.direct))
				if _, err := conn.Exec(t.Context(), "BEGIN", pgx.QueryExecModeSimpleProtocol); err != nil {
					t.Fatal(err)
				}
				held = append(held, conn)
			}
			return func() {
				for _, conn := range held {
					_ = conn.Close(t.Context())
				}
			}
		},
		"no client may connect": func(t *testing.T, b *behindPooler) func() {
			elsewhere := b.pooler.Through(strings.Replace(b.direct, "/"+b.name, "/postgres", 1))
			for range 4 {
				connect(t, elsewhere)
			}
			b.order(t, "SET max_client_conn = 4", "KILL "+b.name, "RESUME "+b.name)
			return func() { b.order(t, "SET max_client_conn = 100") }
		},
	} {
		for spool, want := range map[int64]int{0: http.StatusServiceUnavailable, 1 << 20: http.StatusCreated} {
			t.Run(fmt.Sprint(name, ", spool of ", spool), func(t *testing.T) {
				t.Parallel()
				b := startBehindPooler(t, spool, "default_pool_size = 2", "query_wait_timeout = 1")
				accepted := map[string]int{}
				send := func(class string, want int) {
					t.Helper()
					got := b.send(t, class)
					if got.Status != want || want == http.StatusServiceUnavailable && got.Header.Get("Retry-After") == "" {
						t.Errorf("%s: %d, Retry-After %q, %s; want %d", class, got.Status, got.Header.Get("Retry-After"), got.Body, want)
					}
					if got.Status == http.StatusCreated {
						accepted[class] = 1
					}
				}
				send("before", http.StatusCreated)
				release := exhaust(t, b)
				send("meanwhile", want)
				if got := b.Do(http.MethodGet, "/v2/projects", nil); got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
					t.Errorf("a list is answered %d, Retry-After %q: %s", got.Status, got.Header.Get("Retry-After"), got.Body)
				}
				readiness(t, b.Server, http.StatusServiceUnavailable, "writes", "")
				release()
				readiness(t, b.Server, http.StatusOK, "writes", "ok")
				send("after", http.StatusCreated)
				b.wantOnce(t, accepted)
			})
		}
	}
}

// What is reported while an operator uses PgBouncer's console is stored exactly once.
func TestIntakeWhileThePoolerIsOperated(t *testing.T) {
	t.Parallel()
	b := startBehindPooler(t, 1<<24, "default_pool_size = 4")
	var mu sync.Mutex
	accepted, sent := map[string]int{}, 0
	enough := sync.NewCond(&mu)
	ctx, end := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				class := fmt.Sprintf("E%d-%d", client, n)
				got := b.send(t, class)
				mu.Lock()
				if got.Status == http.StatusCreated {
					accepted[class] = 1
				} else {
					t.Errorf("%s: %d, %s", class, got.Status, got.Body)
				}
				sent++
				enough.Broadcast()
				mu.Unlock()
			}
		})
	}
	reported := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		for until := sent + n; sent < until; {
			enough.Wait()
		}
	}
	reported(40)
	b.order(t, "RECONNECT")
	reported(40)
	b.order(t, "PAUSE")
	reported(40) // into the spool
	b.order(t, "RESUME")
	reported(40)
	b.order(t, "KILL "+b.name)
	reported(40) // into the spool
	b.order(t, "RESUME "+b.name)
	reported(40)
	end()
	clients.Wait()
	b.wantOnce(t, accepted)
}
