package deliverydb_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/store"
	"sett/internal/store/deliverydb"
	"sett/internal/store/storetest"
)

func TestListDeliveriesByPages(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.WebHook()
		d.Happen(storetest.Noon, storetest.About("a", alerts.AlertOccurred, alerts.AlertResolved, alerts.AlertUnresolved, alerts.AlertAssigned, alerts.AlertCommented)...)
		d.FanOut(storetest.Noon)
		d.WebHook()
		page := func(p sett.Page) (events []string, marks sett.Marks) {
			t.Helper()
			p.Size = 2
			found, marks, err := s.Deliveries.ListDeliveries(t.Context(), d.ProjectID, i.ID, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				events = append(events, string(f.Event))
			}
			return events, marks
		}
		first, at := page(sett.Page{})
		d.Happen(storetest.Noon, storetest.About("a", alerts.AlertDeployed)...)
		d.FanOut(storetest.Noon)
		second, next := page(sett.Page{Mark: at.Next})
		third, end := page(sett.Page{Mark: next.Next})
		back, _ := page(sett.Page{Mark: next.Prev, Back: true})
		want := []string{"commented", "assigned", "unresolved", "resolved", "occurred"}
		if diff := cmp.Diff(want, slices.Concat(first, second, third)); diff != "" || end.Next != "" {
			t.Errorf("pages, the last of which has next %q (-want +got):\n%s", end.Next, diff)
		}
		if diff := cmp.Diff(first, back); diff != "" {
			t.Errorf("back to the first page (-want +got):\n%s", diff)
		}
		if _, _, err := s.Deliveries.ListDeliveries(t.Context(), d.ProjectID, i.ID, sett.Page{Size: 2, Mark: "x"}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a mark that is none: %v", err)
		}
		other := d.Project("Other")
		if found, _, err := s.Deliveries.ListDeliveries(t.Context(), other.ID, i.ID, sett.Page{Size: 9}); err != nil || len(found) > 0 {
			t.Errorf("by another project: %v, %v", found, err)
		}
	})
}

func TestRedeliver(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.WebHook()
		again := func(now time.Time, id int64) alerts.Delivery {
			t.Helper()
			got, err := s.Deliveries.Redeliver(t.Context(), now, d.ProjectID, i.ID, id)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		c := d.Due(storetest.Noon, "a")[0]
		if got := again(storetest.Noon.Add(time.Second), c.ID); got.DueAt != storetest.Noon.Add(storetest.DeliveryLease) || got.Tries != 1 {
			t.Errorf("one that is being sent: %+v", got)
		}
		d.Settled(storetest.Noon, alerts.DeliveryDue, storetest.Noon.Add(time.Hour), c)
		woken, _ := s.Sleep(deliverydb.DeliveryDue)
		if got := again(storetest.Noon.Add(time.Second), c.ID); got.DueAt != storetest.Noon.Add(time.Second) || got.Tries != 1 || got.Problem == "" {
			t.Errorf("one that waits: %+v", got)
		}
		<-woken
		later := storetest.Noon.Add(time.Minute)
		for _, state := range []alerts.DeliveryState{alerts.DeliveryFailed, alerts.DeliverySent, alerts.DeliveryMerged, alerts.DeliveryHeld} {
			d.Run(`UPDATE deliveries SET state = $1, done_at = 1, problem = 'p', tries = 4`, string(state))
			want := alerts.Delivery{
				ID: c.ID, AlertID: c.AlertID, Receiver: c.Receiver, IntegrationID: i.ID, Event: c.Event, Subject: c.Subject,
				State: alerts.DeliveryDue, DueAt: later, CreatedAt: storetest.Noon,
			}
			if diff := cmp.Diff(want, again(later, c.ID)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", state, diff)
			}
		}
		d.Settled(later, alerts.DeliverySent, later, d.WantClaims("once more", later, "a occurred 1")...)
		_, attempts, _, err := s.Deliveries.DeliveryByID(t.Context(), d.ProjectID, i.ID, c.ID)
		if err != nil || len(attempts) != 2 || attempts[1].Number != 2 {
			t.Errorf("attempts %+v, %v", attempts, err)
		}
		other := d.WebHook()
		for _, owner := range [][2]int64{{d.ProjectID, other.ID}, {d.ProjectID + 1, i.ID}} {
			_, _, _, found := s.Deliveries.DeliveryByID(t.Context(), owner[0], owner[1], c.ID)
			_, sent := s.Deliveries.Redeliver(t.Context(), storetest.Noon, owner[0], owner[1], c.ID)
			if sett.CodeOf(found) != sett.NotFound || sett.CodeOf(sent) != sett.NotFound {
				t.Errorf("a delivery of another integration: %v, %v", found, sent)
			}
		}
	})
}

// A test is sent at once, even if the integration is off and other messages wait.
func TestTestIntegration(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.WebHook(limited(1))
		d.Settled(storetest.Noon, alerts.DeliveryDue, storetest.Noon.Add(time.Hour), d.Due(storetest.Noon, "a")...)
		d.Run(`UPDATE integrations SET active = false`)
		woken, _ := s.Sleep(deliverydb.DeliveryDue)
		for n := range 2 { // the second does not wait for the first
			now := storetest.Noon.Add(time.Duration(n) * time.Second)
			got, err := s.Deliveries.TestIntegration(t.Context(), now, d.ProjectID, i.ID)
			if err != nil || got.State != alerts.DeliveryDue || got.DueAt != now || got.IntegrationID != i.ID || got.Event != alerts.AlertOccurred {
				t.Fatalf("test %+v, %v", got, err)
			}
			<-woken
			claimed := d.ClaimAll(now)
			if len(claimed) != 1 || claimed[0].ID != got.ID || !claimed[0].Alert.Facts.Test || !strings.HasPrefix(string(got.Subject), "test ") {
				t.Errorf("claimed %+v, want test %d", claimed, got.ID)
			}
		}
		if n := d.FanOut(storetest.Noon); n != 0 {
			t.Errorf("tests were spread: %d", n)
		}
		if _, err := s.Deliveries.TestIntegration(t.Context(), storetest.Noon, d.ProjectID+1, i.ID); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("an integration of another project: %v", err)
		}
	})
}

// The log says what a message is about as soon as its alert is known, and then the headline of the message.
func TestLogNamesWhatAMessageIsAbout(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.WebHook()
		site := storetest.About("site s", alerts.AlertDown)[0]
		site.Facts.Site = &alerts.SiteFacts{ID: "s", Name: "Shop", URL: "https://shop.example.test"}
		d.Happen(storetest.Noon, site)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("RuntimeError"))
		d.FanOut(storetest.Noon)
		claimed := d.ClaimAll(storetest.Noon)
		want := func(when string, want ...string) {
			t.Helper()
			found, _, err := s.Deliveries.ListDeliveries(t.Context(), d.ProjectID, i.ID, sett.Page{Size: 5})
			var got []string
			for _, f := range found {
				got = append(got, f.Title+" | "+f.About)
			}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got):\n%s", when, err, diff)
			}
		}
		want("before the first attempt", " | RuntimeError: RuntimeError happened", " | Shop")
		var results []deliverydb.DeliveryResult
		for _, c := range claimed {
			results = append(results, deliverydb.DeliveryResult{ID: c.ID, Claim: c.Claim, State: alerts.DeliverySent, Title: "Title " + string(c.Event), Message: []byte(`{}`)})
		}
		if err := s.Deliveries.RecordDeliveries(t.Context(), storetest.Noon, results); err != nil {
			t.Fatal(err)
		}
		want("after it", "Title occurred | RuntimeError: RuntimeError happened", "Title down | Shop")
		d.Run(`UPDATE alerts SET facts = 'broken'`)
		want("of alerts that cannot be read", "Title occurred | RuntimeError: RuntimeError happened", "Title down | ")
	})
}
