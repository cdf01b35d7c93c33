package statusdb_test

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestAPostMortemFromDraftToRemoval(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		page := d.PageOf(d.Site(d.ProjectID))
		i := d.opened(storetest.Noon, page, "Slow", "We look.")
		if _, err := s.Status.AddIncidentUpdate(t.Context(), storetest.Noon, d.AccountID, page.ID, i.ID, status.IncidentUpdateChange{Status: sett.Some("resolved"), Message: sett.Some("Over.")}); err != nil {
			t.Fatal(err)
		}
		d.fanOutUpdates(storetest.Noon, 10)
		d.Subscriber(storetest.Noon, page, "ann@x")

		at := storetest.Noon.Add(time.Hour)
		yes, no := sett.Some(sett.LenientBool(true)), sett.Some(sett.LenientBool(false))
		change := func(c status.IncidentChange) (people, visitors, history status.PostMortem) {
			t.Helper()
			if err := s.Status.UpdateIncident(t.Context(), at, d.AccountID, page.ID, i.ID, c); err != nil {
				t.Fatal(err)
			}
			found, err := s.Status.IncidentByID(t.Context(), d.AccountID, page.ID, i.ID)
			if err != nil || len(found.Updates) != 2 {
				t.Fatalf("%+v, %v", found, err)
			}
			view, err := s.Status.StatusView(t.Context(), at, page.ID)
			if err != nil {
				t.Fatal(err)
			}
			past, err := s.Status.StatusHistory(t.Context(), page.ID, 10)
			if err != nil {
				t.Fatal(err)
			}
			d.fanOutUpdates(at, 10)
			return found.PostMortem, view.Incidents[0].PostMortem, past[0].PostMortem
		}
		people, visitors, history := change(status.IncidentChange{PostMortem: sett.Some("Why")})
		if people.Message != "Why" || people.Public() || visitors.Message+history.Message != "" {
			t.Errorf("a draft: %+v, visitors see %+v and %+v", people, visitors, history)
		}
		d.wantNotices("of a draft", at)
		people, visitors, history = change(status.IncidentChange{PostMortemPublished: yes, PostMortemNotify: yes})
		if !people.PublishedAt.Equal(at) || visitors != people || history != people {
			t.Errorf("published: %+v, visitors see %+v and %+v", people, visitors, history)
		}
		if _, visitors, _ = change(status.IncidentChange{PostMortemPublished: no}); visitors.Message != "" {
			t.Errorf("withdrawn, visitors see %+v", visitors)
		}
		d.wantNotices("withdrawn before it was sent", at)
		change(status.IncidentChange{PostMortemPublished: yes})
		d.wantNotices("published quietly", at)
		change(status.IncidentChange{PostMortemPublished: no})
		change(status.IncidentChange{PostMortem: sett.Some("So that is why"), PostMortemPublished: yes, PostMortemNotify: yes})
		d.wantNotices("published for subscribers", at, "ann@x: Slow, So that is why")
		if people, _, _ = change(status.IncidentChange{PostMortem: sett.Optional[string]{Sent: true, Null: true}}); people != (status.PostMortem{}) {
			t.Errorf("removed: %+v", people)
		}
	})
}
