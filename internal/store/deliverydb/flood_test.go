package deliverydb_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store"
	"sett/internal/store/deliverydb"
	"sett/internal/store/storetest"
)

func (d *desk) closeFloods(now time.Time) int {
	d.T.Helper()
	n, err := d.Deliveries.CloseFloods(d.T.Context(), now)
	if err != nil {
		d.T.Fatal(err)
	}
	return n
}

// limited is an integration that gets so many messages in ten minutes.
func limited(limit int64) func(*alerts.Integration) {
	return func(i *alerts.Integration) { i.NotificationLimit = limit }
}

// heldFacts lists the contents of all summaries.
func (d *desk) heldFacts() (facts []alerts.HeldFacts) {
	d.T.Helper()
	found, err := d.Deliveries.Alerts(d.T.Context(), d.Read, `SELECT `+deliverydb.AlertColumns+` FROM alerts a WHERE a.event = 'flooded' ORDER BY a.id`)
	if err != nil {
		d.T.Fatal(err)
	}
	for _, a := range found {
		facts = append(facts, *a.Facts.Held)
	}
	return facts
}

func TestFloodsAreHeldAndNotifiedOfOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		quiet, loud := d.WebHook(limited(2)), d.WebHook(limited(100))
		for n := range 5 {
			d.Happen(storetest.Noon, storetest.About(alerts.SiteSubject(sett.UUID{byte(n)}), alerts.AlertDown)...)
			d.FanOut(storetest.Noon.Add(time.Duration(n) * time.Minute)) // in windows that are read again each time
		}
		want := []string{"due", "due", "held", "held", "held"}
		if diff := cmp.Diff(want, d.statesOf(quiet.ID)); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
		if got := d.statesOf(loud.ID); slices.Contains(got, "held") {
			t.Errorf("one receiver's limit holds back another: %v", got)
		}
		end := storetest.Noon.Add(10 * time.Minute)
		if n := d.closeFloods(end.Add(-time.Microsecond)); n != 0 {
			t.Errorf("%d floods were closed before their window is over", n)
		}
		if n := d.closeFloods(end); n != 1 {
			t.Errorf("%d floods were closed, want 1", n)
		}
		if n := d.closeFloods(end); n != 0 {
			t.Errorf("%d floods were closed again", n)
		}
		if diff := cmp.Diff([]alerts.HeldFacts{{Count: 3, Limit: 2, Minutes: 10}}, d.heldFacts()); diff != "" {
			t.Errorf("summaries (-want +got):\n%s", diff)
		}
		if lines := d.outbox(); lines[len(lines)-1] != fmt.Sprint(quiet.ID, " flooded due") {
			t.Errorf("deliveries %v", lines)
		}
		if n := d.FanOut(end); n != 0 {
			t.Errorf("the summary was spread: %d deliveries", n)
		}
		if n := d.Numbers(`SELECT count(*) FROM floods`, 1)[0]; n != 0 {
			t.Errorf("%d windows are left", n)
		}
	})
}

func (d *desk) statesOf(integration int64) (states []string) {
	d.T.Helper()
	for _, line := range d.outbox() {
		var id int64
		var event, state string
		if _, err := fmt.Sscan(line, &id, &event, &state); err != nil {
			d.T.Fatal(err)
		}
		if id == integration {
			states = append(states, state)
		}
	}
	return states
}

// The first fan-out after the end of a window sends its summary. A window that held nothing ends without a summary.
func TestTheNextMessageEndsAFlood(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook(limited(1))
		d.Happen(storetest.Noon, storetest.About("site a", alerts.AlertDown, alerts.AlertDown)...)
		d.FanOut(storetest.Noon)
		later := storetest.Noon.Add(alerts.FloodWindow)
		d.Happen(later, storetest.About("site b", alerts.AlertDown, alerts.AlertDown)...)
		d.FanOut(later)
		if diff := cmp.Diff([]alerts.HeldFacts{{Count: 1, Limit: 1, Minutes: 10}}, d.heldFacts()); diff != "" {
			t.Errorf("summaries (-want +got):\n%s", diff)
		}
		end := later.Add(alerts.FloodWindow)
		if n := d.closeFloods(end); n != 1 {
			t.Errorf("%d floods were closed, want the second", n)
		}
		d.Happen(end, storetest.About("site c", alerts.AlertDown)...)
		d.FanOut(end)
		if n := d.closeFloods(end.Add(alerts.FloodWindow)); n != 0 {
			t.Errorf("a window that held nothing sent %d summaries", n)
		}
	})
}

// The end of a trouble does not count. It is held only if all earlier messages about the trouble were held.
func TestFloodsAndTheEndOfTrouble(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.WebHook(limited(2))
		sent, held, both := alerts.AlertSubject("check_in sent"), alerts.AlertSubject("check_in held"), alerts.AlertSubject("check_in both")
		d.Happen(storetest.Noon, slices.Concat(storetest.About(sent, alerts.AlertCheckInMissing), storetest.About(both, alerts.AlertCheckInMissing),
			storetest.About(held, alerts.AlertCheckInMissing), storetest.About(both, alerts.AlertCheckInMissing))...)
		d.FanOut(storetest.Noon)
		// The ends come in another transaction, and one trouble begins again in it.
		d.Happen(storetest.Noon, slices.Concat(storetest.About(sent, alerts.AlertCheckInReporting), storetest.About(held, alerts.AlertCheckInReporting),
			storetest.About(both, alerts.AlertCheckInReporting), storetest.About("fault 1", alerts.AlertResolved), storetest.About(sent, alerts.AlertCheckInMissing, alerts.AlertCheckInReporting),
			storetest.About(both, alerts.AlertCheckInReporting))...)
		d.FanOut(storetest.Noon.Add(time.Minute))
		want := []string{
			"due", "due", "held", "held",
			"due", "held", "due", "due", "held", "held", "due",
		}
		if diff := cmp.Diff(want, d.statesOf(i.ID)); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
		end := storetest.Noon.Add(alerts.FloodWindow)
		d.Happen(end, slices.Concat(storetest.About(held, alerts.AlertCheckInReporting), storetest.About(sent, alerts.AlertCheckInReporting))...)
		d.FanOut(end)
		if got := d.statesOf(i.ID); got[len(got)-2] != "held" || got[len(got)-1] != "held" {
			t.Errorf("in the next window: %v", got)
		}
	})
}

// Direct alerts are never held, and do not count.
func TestFloodsHoldNothingDirect(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.WebHook(limited(1))
		direct := alerts.Alert{Event: alerts.AlertIssueCreate, Subject: "fault 1", IntegrationID: i.ID}
		d.Happen(storetest.Noon, slices.Concat([]alerts.Alert{direct, direct}, storetest.About("site a", alerts.AlertDown, alerts.AlertDown), []alerts.Alert{direct})...)
		d.FanOut(storetest.Noon)
		if diff := cmp.Diff([]string{"due", "due", "due", "held", "due"}, d.statesOf(i.ID)); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
	})
}

// A receiver that was deleted gets no summary. A user gets one as an integration does.
func TestCloseFloodsOfOtherReceivers(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for _, r := range []alerts.Receiver{alerts.UserReceiver(d.UserID), alerts.UserReceiver(1 << 40), alerts.IntegrationReceiver(1 << 40)} {
			d.Run(`INSERT INTO floods (receiver, project_id, began_at, sent, held) VALUES ($1, $2, $3, 30, 7)`, string(r), d.ProjectID, storetest.Noon.UnixMicro())
		}
		if n := d.closeFloods(storetest.Noon.Add(alerts.FloodWindow)); n != 1 {
			t.Errorf("%d summaries were sent, want that of the user", n)
		}
		found, err := s.Deliveries.Deliveries(t.Context(), s.Read, `SELECT `+deliverydb.DeliveryColumns+` FROM deliveries d`)
		if err != nil || len(found) != 1 || found[0].UserID != d.UserID || found[0].Receiver != alerts.UserReceiver(d.UserID) {
			t.Errorf("deliveries %+v, %v", found, err)
		}
		if diff := cmp.Diff([]alerts.HeldFacts{{Count: 7, Limit: alerts.DefaultNotificationLimit, Minutes: 10}}, d.heldFacts()); diff != "" {
			t.Errorf("summaries (-want +got):\n%s", diff)
		}
	})
}

// The statement that reads earlier troubles names the same events as the rules.
func TestTroubleEventsAreThoseOfTheRules(t *testing.T) {
	t.Parallel()
	for text, events := range map[string][]alerts.AlertEvent{deliverydb.Opening: alerts.OpeningEvents(), deliverydb.Closing: alerts.ClosingEvents()} {
		var names []alerts.AlertEvent
		b := []byte("[" + text + "]")
		for i := range b {
			if b[i] == '\'' {
				b[i] = '"'
			}
		}
		if err := json.Unmarshal(b, &names); err != nil {
			t.Fatal(err)
		}
		slices.Sort(names)
		slices.Sort(events)
		if diff := cmp.Diff(events, names); diff != "" {
			t.Errorf("events (-rules +statement):\n%s", diff)
		}
	}
}

// A message that does not count ends a window too, once and for all.
func TestTheEndOfATroubleEndsAFlood(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook(limited(1))
		d.Happen(storetest.Noon, slices.Concat(storetest.About("site a", alerts.AlertDown), storetest.About("site b", alerts.AlertDown))...)
		d.FanOut(storetest.Noon)
		later := storetest.Noon.Add(alerts.FloodWindow)
		d.Happen(later, storetest.About("site a", alerts.AlertUp)...)
		d.FanOut(later)
		if n := d.closeFloods(later.Add(alerts.FloodWindow)); n != 0 || len(d.heldFacts()) != 1 {
			t.Errorf("the summaries are %v, and %d more; want one", d.heldFacts(), n)
		}
	})
}
