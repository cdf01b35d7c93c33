package app_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"sett/internal/setttest"
)

// Another session holds the error of one project. Notices of another project are stored meanwhile, and that of the first
// once the error is free; none is lost or doubled.
func TestAHeldRowKeepsNoOtherProjectWaiting(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "postgres")
	var made struct{ ID int64 }
	s.Post("/v2/projects", map[string]any{"project": map[string]any{"name": "Other"}}).Want(http.StatusCreated).Into(&made)
	other := s.Get("/v2/projects/" + strconv.FormatInt(made.ID, 10)).JSON()["token"].(string)
	if got := report(t, s, s.Setup.APIKey); got != http.StatusCreated {
		t.Fatalf("before: %d", got)
	}
	db, err := pgx.Connect(t.Context(), s.Config.Database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(context.WithoutCancel(t.Context()))
	run := func(statement string) {
		t.Helper()
		if _, err := db.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	run("UPDATE faults SET resolved = true")
	run("BEGIN")
	run("SELECT id FROM faults FOR UPDATE")
	held := make(chan int, 1)
	go func() { held <- report(t, s, s.Setup.APIKey) }()
	for range 20 {
		if got := report(t, s, other); got != http.StatusCreated {
			t.Errorf("a notice of another project: %d", got)
		}
	}
	select {
	case got := <-held:
		t.Errorf("the notice whose error is held was answered %d", got)
	default:
	}
	run("COMMIT")
	if got := <-held; got != http.StatusCreated {
		t.Errorf("the notice whose error was held: %d", got)
	}
	var notices, projects int
	if err := db.QueryRow(t.Context(), "SELECT count(*), count(DISTINCT f.project_id) FROM notices n JOIN faults f ON f.id = n.fault_id").Scan(&notices, &projects); err != nil {
		t.Fatal(err)
	}
	if notices != 22 || projects != 2 {
		t.Errorf("%d notices of %d projects are stored, want 22 of 2", notices, projects)
	}
}

// report sends a notice with an API key and returns the status of the answer.
func report(t *testing.T, s *setttest.Server, key string) int {
	t.Helper()
	status, _ := noticeBy(t, s, key)
	return status
}
