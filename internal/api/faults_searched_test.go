package api_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"sett/internal/setttest"
	"sett/internal/store"
	"sett/internal/store/block"
)

// A search that runs out of time returns what it has found, and says since when it has searched everything.
func TestFaultsSearchedInPart(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		stored := s.App.Store()
		stored.Blocks.Sizes = block.Sizes{Most: 1, Least: 1}
		report := func(class string) {
			s.Post("/v1/notices", `{"error":{"class":"`+class+`"},"server":{"hostname":"web-1"}}`).Want(http.StatusCreated)
		}
		report("Old")
		if err := stored.Intake.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		rest := func(context.Context, time.Duration) error { return nil }
		if done, err := stored.Compact(t.Context(), store.Purge{Now: time.Now, Rest: rest, Holder: "test"}); err != nil || done.Blocks != 1 {
			t.Fatalf("%+v, %v", done, err)
		}
		report("New")
		// Each search is another one: what was found in a block is kept.
		if list := listFaults(s, "?q=hostname:we*"); len(list.Results) != 2 || list.SearchedSince != nil || list.UnreadBlocks != 0 {
			t.Errorf("in time: %+v", list)
		}
		stored.Search.SearchTime = -time.Second
		list := listFaults(s, "?q=hostname:web-*")
		if got := klasses(list); len(got) != 1 || got[0] != "New" || list.SearchedSince == nil || list.Total != 1 || list.UnreadBlocks != 0 {
			t.Fatalf("out of time: %+v", list)
		}
		older := "?q=hostname:web-*&occurred_before=" + list.SearchedSince.Add(time.Second).Format(time.RFC3339)
		stored.Search.SearchTime = time.Minute
		if got := klasses(listFaults(s, older)); len(got) == 0 || got[len(got)-1] != "Old" {
			t.Errorf("older: %v", got)
		}
		if _, err := stored.Write.ExecContext(t.Context(), `UPDATE blocks SET notices = substr(notices, 1, 2)`); err != nil {
			t.Fatal(err)
		}
		if list := listFaults(s, "?q=hostname:w*"); len(list.Results) != 1 || list.SearchedSince != nil || list.UnreadBlocks != 1 {
			t.Errorf("with a damaged block: %+v", list)
		}
	})
}
