package fromsentry_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/move"
	"sett/internal/setttest/oldsentry"
)

func glitchTipServer(t *testing.T, issues int) *oldsentry.Server {
	t.Helper()
	s := acme(t, issues)
	s.GlitchTip = true
	return s
}

// GlitchTip has other orders, other pages and no links: errors of every state come nevertheless, page by page, with their keys.
func TestGlitchTipLists(t *testing.T) {
	t.Parallel()
	server := glitchTipServer(t, 7)
	server.PerPage = 3
	s, _ := open(t, server, oldsentry.Token)
	projects, left, err := s.Projects(t.Context(), "shop")
	if err != nil || len(left) > 0 || len(projects) != 1 {
		t.Fatal(projects, left, err)
	}
	if diff := cmp.Diff([]move.Key{{Public: "a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4", Active: true}}, projects[0].Keys); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	states, cursor := map[move.State]int{}, ""
	var last move.Fault
	for pages := 1; ; pages++ {
		page, err := s.Faults(t.Context(), projects[0], cursor)
		if err != nil || page.Total != 7 {
			t.Fatalf("page %d: %d in all, %v", pages, page.Total, err)
		}
		for _, f := range page.Faults {
			states[f.State]++
			last = f
		}
		if cursor = page.Next; cursor == "" {
			if pages != 3 {
				t.Errorf("%d pages, want 3", pages)
			}
			break
		}
	}
	if diff := cmp.Diff(map[move.State]int{move.Open: 3, move.Resolved: 2, move.Ignored: 2}, states); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
	if last.Link != server.URL+"/acme/issues/4006" || last.Assignee != "" || last.Comments != 2 || last.Count != 12 {
		t.Errorf("%+v", last)
	}
	if refused := server.Asked(); strings.Count(strings.Join(refused, " "), "/organizations/acme/issues/") != 4 {
		t.Errorf("the order of Sentry is asked for once: %q", refused)
	}
	lefts, err := s.Left(t.Context(), projects)
	if err != nil || !slices.ContainsFunc(lefts, func(l move.Left) bool { return l.Noun == "alert rules" && l.Name == "shop: Many errors" }) {
		t.Errorf("left %+v, %v", lefts, err)
	}
}

// Its events have an id of their own, its hashes are coarse or not shown, and comments, counts and tags are elsewhere.
func TestGlitchTipDetail(t *testing.T) {
	t.Parallel()
	server := glitchTipServer(t, 1)
	server.PerPage = 1
	issue := server.Projects[0].Issues[0]
	issue.Days, issue.Hours = [][2]int64{{noon.Add(-36 * time.Hour).Truncate(24 * time.Hour).Unix(), 12}}, [][2]int64{{noon.Add(-2 * time.Hour).Unix(), 3}}
	issue.Events = nil
	for n := range 20 {
		e := event("a", []string{"production", "staging"}[n%2])
		e.ID = fmt.Sprintf("%032x", 0xabc000+n)
		e.Sent["release"], e.Sent["transaction"] = "shop@1", "/orders/{id}"
		issue.Events = append(issue.Events, e)
	}
	s, _ := open(t, server, oldsentry.Token)
	shop := move.Project{ID: "1", Slug: "shop"}
	page, err := s.Faults(t.Context(), shop, "")
	if err != nil {
		t.Fatal(err)
	}
	server.PerPage = 100
	d, err := s.Detail(t.Context(), shop, page.Faults[0], 3)
	if err != nil {
		t.Fatal(err)
	}
	stored, keys := map[string]bool{}, 0
	for _, e := range d.Events {
		if keys++; !e.KeyOnly {
			stored[e.ID] = true
		}
		if !strings.HasPrefix(e.ID, "0000") || !strings.Contains(string(e.Body), `"release":"shop@1"`) {
			t.Errorf("event %s: %s", e.ID, e.Body)
		}
	}
	if len(stored) != 3 || keys < 20 {
		t.Errorf("%d events are stored and %d give keys, want 3 and those of 10 in two forms", len(stored), keys)
	}
	if !slices.ContainsFunc(d.Events, func(e move.Event) bool { return strings.Contains(string(e.Body), `"transaction":"/orders/{id}"`) }) {
		t.Error("no event has the transaction of its client")
	}
	if !slices.Equal(d.Environments, []string{"production", "staging"}) {
		t.Errorf("environments %q", d.Environments)
	}
	want := []move.Comment{
		{ID: "100", Author: "someone", Body: "Seen it", At: noon.Add(-72*time.Hour + time.Minute)},
		{ID: "101", Author: "ann@example.test", Email: "ann@example.test", Body: "Fixed", At: noon.Add(-72*time.Hour + 2*time.Minute)},
	}
	if diff := cmp.Diff(want, d.Comments); diff != "" {
		t.Errorf("comments (-want +got):\n%s", diff)
	}
	if len(d.Counts.Days) != 1 || d.Counts.Days[0].N != 12 || len(d.Counts.Hours) != 1 || d.Counts.Hours[0].N != 3 {
		t.Errorf("counts %+v", d.Counts)
	}
	server.PerPage = 1
	if d, err = s.Detail(t.Context(), shop, page.Faults[0], 1); err != nil || len(d.Comments) != 2 {
		t.Errorf("comments of two pages: %+v, %v", d.Comments, err)
	}
}
