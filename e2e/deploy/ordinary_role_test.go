package deploy

import (
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// TestOrdinaryRole runs the server, through a kill, as a role of PostgreSQL that owns its database and has no other right: hosted databases give no more.
func TestOrdinaryRole(t *testing.T) {
	t.Parallel()
	dsn := rig.DurablePostgres(t)
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
	s := rig.Prepare(t, u.String())
	s.Restart(t)
	l := load.New(s.APIKey)
	end := l.Begin(s.Base)
	l.Await(t, load.MostAnswers)
	s.Kill()
	end()
	s.Restart(t)
	t.Log(load.Prove(t, s, l))
	s.Stop(t)
}
