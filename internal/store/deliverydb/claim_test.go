package deliverydb_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/deliverydb"
	"sett/internal/store/storetest"
)

func TestDeliveriesAboutOneSubjectAreClaimedInOrder(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook()
		d.WantNext("of nothing", time.Time{})
		d.WantClaims("of nothing", storetest.Noon)
		d.Happen(storetest.Noon, storetest.About("fault 1", alerts.AlertOccurred, alerts.AlertResolved, alerts.AlertUnresolved)...)
		d.Happen(storetest.Noon, storetest.About("fault 2", alerts.AlertOccurred)...)
		d.FanOut(storetest.Noon)
		d.WantNext("of two subjects", storetest.Noon)
		d.WantClaims("before they are due", storetest.Noon.Add(-time.Second))
		first := d.WantClaims("the first", storetest.Noon, "fault 1 occurred 1", "fault 2 occurred 1")
		d.WantClaims("while they are in flight", storetest.Noon)
		d.WantNext("while they are in flight", storetest.Noon.Add(storetest.DeliveryLease))

		later := storetest.Noon.Add(10 * time.Second)
		d.Settled(storetest.Noon, alerts.DeliveryDue, later, first[0])
		d.Settled(storetest.Noon, alerts.DeliveryFailed, storetest.Noon, first[1])
		d.WantClaims("while the first waits", later.Add(-time.Microsecond))
		d.WantNext("while the first waits", later)
		again := d.WantClaims("the first again", later, "fault 1 occurred 2")
		d.Settled(later, alerts.DeliverySent, later, again...)
		second := d.WantClaims("the second", later, "fault 1 resolved 1")
		d.Settled(later, alerts.DeliveryFailed, later, second...)
		third := d.WantClaims("the third, after a failure", later, "fault 1 unresolved 1")
		d.Settled(later, alerts.DeliverySent, later, third...)
		d.WantNext("at the end", time.Time{})
	})
}

// When the lease of a claim ends, others can claim the delivery. A result of the first claim is then discarded.
func TestClaimsEndWithTheirLease(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook()
		d.Happen(storetest.Noon, storetest.About("fault 1", alerts.AlertOccurred)...)
		d.FanOut(storetest.Noon)
		dead := d.WantClaims("the first try", storetest.Noon, "fault 1 occurred 1")
		end := storetest.Noon.Add(storetest.DeliveryLease)
		d.WantClaims("before the lease ends", end.Add(-time.Microsecond))
		alive := d.WantClaims("after the lease", end, "fault 1 occurred 2")
		d.Settled(end, alerts.DeliveryFailed, end, dead...)
		d.Settled(end, alerts.DeliveryDue, end, dead...)
		d.WantClaims("who lost the claim ends it", end)
		if n := d.Numbers(`SELECT count(*) FROM attempts`, 1)[0]; n != 0 {
			t.Errorf("%d attempts of who lost the claim were stored", n)
		}
		d.Settled(end, alerts.DeliverySent, end, alive...)
		d.Settled(end, alerts.DeliveryFailed, end, alive...) // a second result
		if diff := cmp.Diff([]string{fmt.Sprint(alive[0].IntegrationID, " occurred sent")}, d.outbox()); diff != "" {
			t.Errorf("in the end (-want +got):\n%s", diff)
		}
	})
}

func TestClaimsLeaveBusyReceiversOut(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		a, b, c := d.WebHook(), d.WebHook(), d.WebHook()
		d.Happen(storetest.Noon, storetest.About("fault 1", alerts.AlertOccurred)...)
		d.FanOut(storetest.Noon)
		claimed := d.ClaimAll(storetest.Noon, alerts.IntegrationReceiver(a.ID), alerts.IntegrationReceiver(c.ID))
		if len(claimed) != 1 || claimed[0].IntegrationID != b.ID {
			t.Errorf("claimed %v, want only that of integration %d", claimed, b.ID)
		}
		some, err := s.Deliveries.ClaimDeliveries(t.Context(), storetest.Noon, storetest.DeliveryLease, 1, storetest.AnyRoom)
		if err != nil || len(some) != 1 || some[0].IntegrationID != a.ID {
			t.Errorf("one at most: %v, %v", some, err)
		}
	})
}

// A receiver with many deliveries leaves room for others.
func TestClaimsTakeForOneReceiverWhatThereIsRoomFor(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		much, some := d.WebHook(), d.WebHook(func(i *alerts.Integration) { i.Events = []alerts.AlertEvent{alerts.AlertDown} })
		for n := range 5 {
			d.Happen(storetest.Noon, storetest.About(alerts.FaultSubject(int64(n)), alerts.AlertOccurred)...)
		}
		d.Happen(storetest.Noon, storetest.About("site a", alerts.AlertDown)...)
		d.FanOut(storetest.Noon)
		room := func(r alerts.Receiver) int {
			return map[alerts.Receiver]int{alerts.IntegrationReceiver(much.ID): 2}[r] + 1
		}
		claimed, err := s.Deliveries.ClaimDeliveries(t.Context(), storetest.Noon, storetest.DeliveryLease, 100, room)
		if diff := cmp.Diff([]string{"fault 0 occurred 1", "fault 1 occurred 1", "fault 2 occurred 1", "site a down 1"}, storetest.Brief(claimed)); diff != "" || err != nil {
			t.Errorf("%v, claimed (-want +got):\n%s", err, diff)
		}
		if last := len(claimed) - 1; claimed[last].IntegrationID != some.ID {
			t.Errorf("the last is for integration %d", claimed[last].IntegrationID)
		}
		d.WantNext("of what was left", storetest.Noon)
	})
}

func TestSupersededDeliveriesAreMerged(t *testing.T) {
	t.Parallel()
	const (
		down, up, cert     = alerts.AlertDown, alerts.AlertUp, alerts.AlertCertWillExpire
		missing, reporting = alerts.AlertCheckInMissing, alerts.AlertCheckInReporting
	)
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.WebHook()
		for n, c := range []struct {
			events []alerts.AlertEvent
			want   []string // states after the first claim: "try" is claimed
		}{
			{[]alerts.AlertEvent{down}, []string{"try"}},
			{[]alerts.AlertEvent{down, up}, []string{"merged", "try"}},
			{[]alerts.AlertEvent{down, cert, up}, []string{"merged", "try", "due"}},
			{[]alerts.AlertEvent{up, down}, []string{"try", "due"}},
			{[]alerts.AlertEvent{alerts.AlertSlow, alerts.AlertFast}, []string{"merged", "try"}},
			{[]alerts.AlertEvent{alerts.AlertAlarm, alerts.AlertAlarmOK}, []string{"merged", "try"}},
			{[]alerts.AlertEvent{down, up, down, up, down}, []string{"merged", "try", "due", "due", "due"}},
			{[]alerts.AlertEvent{missing, reporting}, []string{"merged", "try"}},
			{[]alerts.AlertEvent{missing, missing, missing}, []string{"merged", "merged", "try"}},
			{[]alerts.AlertEvent{missing, missing, reporting, missing}, []string{"merged", "merged", "try", "due"}},
			{[]alerts.AlertEvent{reporting, missing}, []string{"try", "due"}},
			{[]alerts.AlertEvent{alerts.AlertOccurred, alerts.AlertResolved}, []string{"try", "due"}},
		} {
			d.Run(`DELETE FROM deliveries`)
			now := storetest.Noon.Add(time.Duration(n) * time.Hour)
			d.Happen(now, storetest.About("subject 1", c.events...)...)
			d.Happen(now, storetest.About("subject 2", up)...) // about another, merges nothing
			d.FanOut(now)
			claimed := map[string]bool{}
			for _, line := range storetest.Brief(d.ClaimAll(now)) {
				claimed[line] = true
			}
			got := d.statesOf(i.ID)
			for n, e := range c.events {
				if line := fmt.Sprint("subject 1 ", e, " 1"); got[n] == "due" && claimed[line] {
					got[n] = "try"
					delete(claimed, line)
				}
			}
			if diff := cmp.Diff(append(c.want, "due"), got); diff != "" {
				t.Errorf("%v (-want +got):\n%s", c.events, diff)
			}
		}
	})
}

// A delivery is not merged while it is in flight, or waits for its next attempt.
func TestWhatIsTriedIsNotMerged(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.WebHook()
		d.Happen(storetest.Noon, storetest.About("site 1", alerts.AlertDown)...)
		d.FanOut(storetest.Noon)
		down := d.WantClaims("the outage", storetest.Noon, "site 1 down 1")
		d.Happen(storetest.Noon, storetest.About("site 1", alerts.AlertUp)...)
		d.FanOut(storetest.Noon)
		d.Happen(storetest.Noon, storetest.About("fault 1", alerts.AlertOccurred)...) // so that there is something to claim
		d.FanOut(storetest.Noon)
		other := d.WantClaims("while it is in flight", storetest.Noon, "fault 1 occurred 1")
		later := storetest.Noon.Add(time.Minute)
		d.Settled(storetest.Noon, alerts.DeliveryDue, later, down...)
		d.Settled(storetest.Noon, alerts.DeliveryDue, later, down...) // recorded twice
		if n := d.Numbers(`SELECT count(*) FROM attempts`, 1)[0]; n != 1 {
			t.Errorf("a result that was recorded twice made %d attempts", n)
		}
		d.Settled(storetest.Noon, alerts.DeliveryFailed, storetest.Noon, other...)
		d.WantClaims("while it waits", later.Add(-time.Microsecond))
		if diff := cmp.Diff([]string{"due", "due", "failed"}, d.statesOf(i.ID)); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
		d.WantClaims("when both are due", later, "site 1 up 1")
		if diff := cmp.Diff([]string{"merged", "due", "failed"}, d.statesOf(i.ID)); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
		if _, err := s.Deliveries.Redeliver(t.Context(), later, d.ProjectID, i.ID, down[0].ID); err != nil {
			t.Fatal(err)
		}
		d.WantClaims("again, while its end is in flight", later, "site 1 down 1")
	})
}

func TestClaimsIncludeAlertReceiverAndLink(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		d.nothingHappened()
		i := d.WebHook(func(i *alerts.Integration) { i.Type, i.Options = "Github", map[string]any{"url": "https://x.test"} })
		d.Run(`UPDATE integrations SET rate = '', threshold = 0 WHERE id = $1`, i.ID)
		link := triage.LinkData{"number": json.RawMessage(`7`)}
		if err := s.Faults.LinkFault(t.Context(), storetest.Noon, d.ProjectID, d.FaultID("E"), i.ID, link); err != nil {
			t.Fatal(err)
		}
		a := alerts.Alert{
			ProjectID: d.ProjectID, Event: alerts.AlertOccurred, Subject: alerts.FaultSubject(d.FaultID("E")), FaultID: d.FaultID("E"), Environment: "production",
			At: storetest.Noon, CreatedAt: storetest.Noon, Facts: alerts.AlertFacts{NoticeID: 5, NoticesCount: 1},
		}
		d.Happen(storetest.Noon, a)
		d.FanOut(storetest.Noon)
		claimed := d.ClaimAll(storetest.Noon)
		if len(claimed) != 1 {
			t.Fatalf("claimed %v", claimed)
		}
		got := claimed[0]
		a.ID = got.Alert.ID
		want := deliverydb.ClaimedDelivery{
			Delivery: alerts.Delivery{
				ID: got.ID, AlertID: a.ID, Receiver: alerts.IntegrationReceiver(i.ID), IntegrationID: i.ID, Event: a.Event, Subject: a.Subject,
				State: alerts.DeliveryDue, DueAt: storetest.Noon.Add(storetest.DeliveryLease), Tries: 1, CreatedAt: storetest.Noon,
			},
			Alert: a, Integration: got.Integration, Link: link, Claim: 1,
		}
		if diff := cmp.Diff(want, got); diff != "" || got.Integration == nil || got.Integration.Options["url"] != "https://x.test" {
			t.Errorf("claimed of %+v (-want +got):\n%s", got.Integration, diff)
		}

		d.Run(`INSERT INTO deliveries (alert_id, receiver, user_id, event, subject, state, due_at, tries, created_at, done_at, problem)
			VALUES ($1, $2, $3, 'occurred', 'x', 'due', 0, 0, 0, 0, '')`, a.ID, string(alerts.UserReceiver(d.UserID)), d.UserID)
		claimed = d.ClaimAll(storetest.Noon)
		if len(claimed) != 1 || claimed[0].Integration != nil || claimed[0].Link != nil ||
			cmp.Diff(&sett.Person{ID: d.UserID, Email: "owner@example.test", Name: "Olga"}, claimed[0].User) != "" {
			t.Errorf("claimed for a user: %+v", claimed)
		}
	})
}

// Due deliveries to an integration that was turned off are given up, except those of direct alerts.
func TestIntegrationsThatWereTurnedOffAreNotifiedNoMore(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.WebHook()
		d.Happen(storetest.Noon, append(storetest.About("fault 1", alerts.AlertOccurred), alerts.Alert{Event: alerts.AlertIssueClose, Subject: "fault 2", IntegrationID: i.ID})...)
		d.FanOut(storetest.Noon)
		d.Run(`UPDATE integrations SET active = false`)
		d.WantClaims("of an inactive one", storetest.Noon, "fault 2 issue_close 1")
		found, _, err := s.Deliveries.ListDeliveries(t.Context(), d.ProjectID, i.ID, sett.Page{Size: 9})
		if err != nil || len(found) != 2 || found[1].State != alerts.DeliveryFailed || found[1].Problem != "The integration was turned off." ||
			found[1].Tries != 0 || found[1].DoneAt != storetest.Noon {
			t.Errorf("given up: %+v, %v", found, err)
		}
	})
}

// The same holds for a project that was turned off. A delivery behind one that was given up has its turn at once.
func TestProjectsThatWereTurnedOffAreNotifiedOfNoMore(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.WebHook()
		d.Happen(storetest.Noon, append(storetest.About("fault 1", alerts.AlertOccurred, alerts.AlertResolved), alerts.Alert{Event: alerts.AlertIssueClose, Subject: "fault 2", IntegrationID: i.ID})...)
		d.FanOut(storetest.Noon)
		d.Run(`UPDATE projects SET active = false`)
		woken, _ := s.Sleep(deliverydb.DeliveryDue)
		d.WantClaims("of one that is off", storetest.Noon, "fault 2 issue_close 1")
		<-woken
		d.WantClaims("the next", storetest.Noon)
		found, _, err := s.Deliveries.ListDeliveries(t.Context(), d.ProjectID, i.ID, sett.Page{Size: 9})
		if err != nil || len(found) != 3 {
			t.Fatalf("%+v, %v", found, err)
		}
		for _, f := range found[1:] {
			if f.State != alerts.DeliveryFailed || f.Problem != "The project was turned off." || f.Tries != 0 || f.DoneAt != storetest.Noon {
				t.Errorf("given up: %+v", f)
			}
		}
	})
}

// Two nodes that claim as fast as they can get each delivery once, all of them, and those about one subject in order.
func TestTwoNodesClaimEachDeliveryOnce(t *testing.T) {
	t.Parallel()
	dsn := storetest.FreshPostgres(t)
	nodes := []*store.Store{storetest.OpenTest(t, db.Options{Database: dsn}), storetest.OpenTest(t, db.Options{Database: dsn})}
	d := newDesk(t, nodes[0])
	d.WebHook()
	const subjects, each = 10, 5
	for range each {
		for n := range subjects {
			d.Happen(storetest.Noon, storetest.About(alerts.FaultSubject(int64(n)), alerts.AlertCommented)...)
		}
	}
	d.FanOut(storetest.Noon)
	var mu sync.Mutex
	last, seen := map[alerts.AlertSubject]int64{}, map[int64]bool{}
	note := func(claimed []deliverydb.ClaimedDelivery) {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range claimed {
			if seen[c.ID] || c.ID <= last[c.Subject] {
				t.Errorf("delivery %d about %s was claimed after %d", c.ID, c.Subject, last[c.Subject])
			}
			seen[c.ID], last[c.Subject] = true, c.ID
		}
	}
	var done sync.WaitGroup
	for i := range 6 {
		done.Go(func() {
			node := &desk{storetest.DeskOf(nodes[i%2], d.SetupResult, t)}
			for ok := true; ok; {
				claimed, err := node.Deliveries.ClaimDeliveries(t.Context(), storetest.Noon, storetest.DeliveryLease, 3, storetest.AnyRoom)
				if err != nil {
					t.Error(err)
					return
				}
				note(claimed)
				node.Settled(storetest.Noon, alerts.DeliverySent, storetest.Noon, claimed...)
				_, ok, err = node.Deliveries.NextDelivery(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	done.Wait()
	if len(seen) != subjects*each {
		t.Errorf("%d deliveries were claimed, want %d", len(seen), subjects*each)
	}
}

// Two nodes that spread at once make each delivery once, and those about one subject in the order of its alerts.
func TestTwoNodesFanOutInOrder(t *testing.T) {
	t.Parallel()
	dsn := storetest.FreshPostgres(t)
	nodes := []*store.Store{storetest.OpenTest(t, db.Options{Database: dsn}), storetest.OpenTest(t, db.Options{Database: dsn})}
	d := newDesk(t, nodes[0])
	i := d.WebHook(limited(7))
	const raised = 60
	for n := range raised {
		d.Happen(storetest.Noon, storetest.About(alerts.FaultSubject(int64(n%3)), alerts.AlertCommented)...)
	}
	var done sync.WaitGroup
	for n := range 4 {
		done.Go(func() {
			for more := true; more; {
				fanOut, err := nodes[n%2].Deliveries.FanOutAlerts(t.Context(), storetest.Noon, 5, false)
				if more = fanOut.More; err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	d.FanOut(storetest.Noon)
	inOrder := d.Numbers(`SELECT count(*) FROM (SELECT alert_id, lag(alert_id) OVER (ORDER BY id) AS before FROM deliveries) d WHERE before < alert_id`, 1)[0]
	due := d.Numbers(`SELECT count(*) FROM deliveries WHERE state = 'due'`, 1)[0]
	if states := d.statesOf(i.ID); len(states) != raised || inOrder != raised-1 || due != 7 {
		t.Errorf("%d deliveries, %d in order, %d not held", len(states), inOrder, due)
	}
}

// A direct alert is sent after earlier alerts about its subject, even if those are not fanned out yet.
func TestWhatIsAskedWaitsForWhatHappened(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.WebHook()
		d.Happen(storetest.Noon, storetest.About("fault 1", alerts.AlertOccurred)...)
		asked := alerts.Alert{ProjectID: d.ProjectID, Event: alerts.AlertIssueClose, Subject: "fault 1", IntegrationID: i.ID}
		err := d.Deliveries.InOwnTx(t.Context(), "ask", func(tx deliverydb.Tx) error {
			return tx.RaiseFor(t.Context(), storetest.Noon, &asked, deliverydb.IntegrationReceiver(i))
		})
		if err != nil {
			t.Fatal(err)
		}
		d.WantClaims("before the fan-out", storetest.Noon)
		d.FanOut(storetest.Noon)
		d.Settled(storetest.Noon, alerts.DeliverySent, storetest.Noon, d.WantClaims("after it", storetest.Noon, "fault 1 occurred 1")...)
		d.WantClaims("once that is sent", storetest.Noon, "fault 1 issue_close 1")
	})
}
