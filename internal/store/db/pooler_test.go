package db

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"testing"

	"sett/internal/setttest/pgbouncer"
	"sett/internal/setttest/pgcluster"
)

// TestPoolers opens databases behind poolers: some can be used, and the others are refused with what to do.
func TestPoolers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		mode     string
		settings []string
		direct   func(dsn, pooled string) string // nil: none
		pooled   bool
		refused  error
	}{
		"no pooler":                    {"session", nil, nil, false, nil},
		"session mode":                 {"session", nil, nil, true, nil},
		"session mode that keeps":      {"session", []string{"server_reset_query ="}, nil, true, errKeepsLocks},
		"transaction mode":             {"transaction", nil, direct, true, nil},
		"transaction mode without":     {"transaction", nil, nil, true, errNeedsDirect},
		"transaction mode, round":      {"transaction", []string{"server_round_robin = 1"}, nil, true, errNeedsDirect},
		"transaction mode, one":        {"transaction", []string{"default_pool_size = 1"}, nil, true, errNeedsDirect},
		"transaction mode, tolerant":   {"transaction", []string{"ignore_startup_parameters = extra_float_digits,lock_timeout,statement_timeout"}, nil, true, errNeedsDirect},
		"transaction mode, not direct": {"transaction", nil, func(_, pooled string) string { return pooled }, true, errNotDirect},
		"another database":             {"transaction", nil, func(string, string) string { return pgcluster.Postgres(t) }, true, errOtherDatabase},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Options{Database: pgcluster.Postgres(t)}
			if tt.pooled {
				dsn := o.Database
				o.Database = pgbouncer.Serve(t, dsn, tt.mode, tt.settings...).Through(dsn)
				if tt.direct != nil {
					o.Direct = tt.direct(dsn, o.Database)
				}
			}
			d, err := Open(t.Context(), o)
			if !errors.Is(err, tt.refused) || err != nil && tt.refused == nil {
				t.Fatalf("Open: %v, want %v", err, tt.refused)
			}
			if err != nil {
				return
			}
			defer d.Close()
			if d.Pooled != tt.pooled {
				t.Errorf("a pooler: %v, want %v", d.Pooled, tt.pooled)
			}
			if from, to, err := d.Migrate(t.Context()); err != nil || from == to {
				t.Errorf("Migrate = %d, %d, %v", from, to, err)
			}
		})
	}
}

func direct(dsn, _ string) string { return dsn }

// openPooled opens a database behind a pooler in transaction mode, with one session for everything.
func openPooled(t *testing.T) (d *DB, address string) {
	t.Helper()
	dsn := freshServer(t)
	address = pgbouncer.Serve(t, dsn, "transaction", "default_pool_size = 1").Through(dsn)
	return openAt(t, Options{Database: address, Direct: dsn}), address
}

const showSettings = `SELECT current_setting('lock_timeout'), current_setting('statement_timeout'), current_setting('synchronous_commit'), current_setting('enable_seqscan')`

// Every transaction and every statement has our settings, and the session that it was lent has them no longer.
func TestPooledSettings(t *testing.T) {
	t.Parallel()
	d, address := openPooled(t)
	ask := func(q Querier) []string {
		s := make([]string, 4)
		if err := q.QueryRowContext(t.Context(), showSettings).Scan(&s[0], &s[1], &s[2], &s[3]); err != nil {
			t.Error(err)
		}
		return s
	}
	expect := func(what string, got []string, want ...string) {
		if !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", what, got, want)
		}
	}
	before := []string{"0", "0", "off", "on"} // of the server of tests
	bare := func() []string {
		other, err := sql.Open("pgx", address+"&default_query_exec_mode=simple_protocol")
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		return ask(other)
	}
	expect("a read", ask(d.Read), "5s", "2min", "on", "on")
	expect("another client", bare(), before...)
	expect("a statement of the writer", ask(d.Write), "5s", "2min", "on", "off")
	for what, in := range map[string]func(context.Context, string, func(*Tx) error) error{"a transaction": d.InTx, "an intake transaction": d.InIntakeTx, "a pipelined transaction": d.InPipelinedIntakeTx} {
		want := []string{"1s", "10s", "on", "off"}
		if what == "a transaction" {
			want = []string{"5s", "2min", "on", "off"}
		}
		if err := in(t.Context(), what, func(tx *Tx) error { expect(what, ask(tx), want...); return nil }); err != nil {
			t.Error(err)
		}
		expect("another client", bare(), before...)
	}
	if err := d.Snapshot(t.Context(), "look", func(q Querier) error {
		expect("a snapshot", ask(q), "5s", "2min", "on", "on")
		var isolation, only string
		err := q.QueryRowContext(t.Context(), `SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only')`).Scan(&isolation, &only)
		expect("a snapshot", []string{isolation, only}, "repeatable read", "on")
		return err
	}); err != nil {
		t.Error(err)
	}
}

// Values of all types come back from a pooled statement as from one of a session.
func TestPooledValues(t *testing.T) {
	t.Parallel()
	d, _ := openPooled(t)
	const all = `SELECT 7::bigint, 8::int, 9::smallint, 1.5::double precision, true, 'a''b'::text, '\x00ff'::bytea, 12345678901234567890::numeric, sum(x), NULL::bigint,
		'x'::name, '{"a": 1}'::jsonb, $1::text FROM unnest($2::bigint[]) AS x`
	read := func(pool *sql.DB) (values []string) {
		values = make([]string, 13)
		into := make([]any, len(values))
		null := sql.NullString{}
		for i := range values {
			into[i] = &values[i]
		}
		into[9] = &null
		rows, err := pool.QueryContext(t.Context(), all, "text", []int64{1, 2})
		err = ScanAll(rows, err, func(rows *sql.Rows) error { return rows.Scan(into...) })
		if err != nil || null.Valid {
			t.Errorf("%v, NULL is %v", err, null)
		}
		return values
	}
	if got, want := read(d.Read), read(d.Locks); !slices.Equal(got, want) {
		t.Errorf("pooled %q\nwant   %q", got, want)
	}
	var n int64
	if err := d.Write.QueryRowContext(t.Context(), `SELECT 1/0`).Scan(&n); !PostgresCode("22012")(err) {
		t.Errorf("a division by zero: %v", err)
	}
	if err := d.Read.QueryRowContext(t.Context(), `SELECT 1 WHERE false`).Scan(&n); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
}
