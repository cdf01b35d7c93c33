package app_test

import (
	"net/http"
	"testing"

	"sett/internal/app"
	"sett/internal/setttest"
)

// A user who has created, changed or deleted a status page sees that with the next request, at each node.
func TestStatusPagesAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		nodes := []*setttest.Server{s}
		if s.Config.Database != "" {
			nodes = append(nodes, setttest.Start(t, "postgres", func(c *app.Config) { c.Database = s.Config.Database }))
		}
		want := func(path string, status int, what string) {
			t.Helper()
			for n, node := range nodes {
				answer, err := http.Get(node.App.BaseURL() + path)
				if err != nil {
					t.Fatal(err)
				}
				answer.Body.Close()
				if answer.StatusCode != status {
					t.Errorf("%s: node %d answers %d, want %d", what, n, answer.StatusCode, status)
				}
			}
		}
		pages := "/v2/accounts/" + s.Setup.AccountID + "/status_pages"
		want("/status/unknown", http.StatusNotFound, "before")
		for range 10 {
			var made struct{ ID string }
			s.Post(pages, map[string]any{"status_page": map[string]any{"name": "Acme", "slug": "acme"}}).Want(http.StatusCreated).Into(&made)
			want("/status/acme", http.StatusOK, "made")
			s.Put(pages+"/"+made.ID, map[string]any{"status_page": map[string]any{"name": "Acme", "slug": "acme-2"}})
			want("/status/acme-2", http.StatusOK, "moved")
			want("/status/acme", http.StatusNotFound, "moved away")
			s.Delete(pages + "/" + made.ID)
			want("/status/acme-2", http.StatusNotFound, "deleted")
		}
	})
}
