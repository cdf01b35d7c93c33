package demo

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/store"
)

func TestLiveGoesOn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	s, _ := newStore(t, "")
	o := Options{Seed: 1, Now: noon, Short: true}
	made, err := Fill(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLive(t.Context(), s, o, made, noon)
	if err != nil {
		t.Fatal(err)
	}
	site, notices := lastCheck(t, s, made), l.Notices
	for now := noon; now.Before(noon.Add(10 * time.Minute)); now = now.Add(20 * time.Second) {
		if err := l.Step(t.Context(), now); err != nil {
			t.Fatal(err)
		}
	}
	if came := l.Notices - notices; came < 200 || came > 6000 {
		t.Errorf("%d notices came in ten minutes", came)
	}
	if now := lastCheck(t, s, made); !now.After(site) {
		t.Errorf("the site was last checked at %v, as before", now)
	}
	found, _, err := s.Uptime.ListCheckIns(t.Context(), made.ProjectID, sett.Page{Size: 10})
	if err != nil {
		t.Fatal(err)
	}
	reported := 0
	for _, c := range found {
		if c.ReportedAt.After(noon) {
			reported++
		}
	}
	if reported == 0 {
		t.Error("no job has reported")
	}
}

func lastCheck(t *testing.T, s *store.Store, made Summary) time.Time {
	t.Helper()
	site, err := s.Uptime.SiteByID(t.Context(), made.ProjectID, made.SiteID)
	if err != nil {
		t.Fatal(err)
	}
	return site.LastCheckedAt
}
