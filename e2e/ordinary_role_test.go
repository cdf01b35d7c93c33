package e2e

import (
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestOrdinaryRole runs the server, through a kill, as a role of PostgreSQL that owns its database and has no other right: hosted databases give no more.
func TestOrdinaryRole(t *testing.T) {
	t.Parallel()
	dsn := durablePostgres(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{`CREATE ROLE plain LOGIN`, `CREATE DATABASE plain OWNER plain`} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	u.User, u.Path = url.User("plain"), "/plain"
	s := prepare(t, u.String())
	s.restart(t)
	l := newLoad(s.APIKey)
	end := l.begin(s.base)
	l.await(t, mostAnswers)
	s.kill()
	end()
	s.restart(t)
	t.Log(s.prove(t, l))
	s.stop(t)
}
