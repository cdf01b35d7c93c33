package store

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/delivery"
)

const deliveryLease = time.Minute

// anyRoom is room for whatever there is for a receiver.
func anyRoom(sett.Receiver) int { return 1000 }

func (d *desk) claimAll(now time.Time, busy ...sett.Receiver) []ClaimedDelivery {
	d.t.Helper()
	claimed, err := d.ClaimDeliveries(d.t.Context(), now, deliveryLease, 100, busy, anyRoom)
	if err != nil {
		d.t.Fatal(err)
	}
	return claimed
}

// brief names claimed deliveries by subject, event and try.
func brief(claimed []ClaimedDelivery) (lines []string) {
	for _, c := range claimed {
		lines = append(lines, fmt.Sprint(c.Subject, " ", c.Event, " ", c.Tries))
	}
	return lines
}

func (d *desk) wantClaims(when string, now time.Time, want ...string) []ClaimedDelivery {
	d.t.Helper()
	claimed := d.claimAll(now)
	if diff := cmp.Diff(want, brief(claimed)); diff != "" {
		d.t.Errorf("%s (-want +got):\n%s", when, diff)
	}
	return claimed
}

// record records how claimed deliveries ended.
func (d *desk) settled(now time.Time, state sett.DeliveryState, due time.Time, claimed ...ClaimedDelivery) {
	d.t.Helper()
	var results []DeliveryResult
	for _, c := range claimed {
		r := DeliveryResult{ID: c.ID, Claim: c.Claim, State: state, DueAt: due, Attempt: sett.Attempt{Number: int64(c.Tries), At: now, Status: 200}}
		if state != sett.DeliverySent {
			r.Attempt.Status, r.Attempt.Problem = 503, "503 Service Unavailable"
		}
		results = append(results, r)
	}
	if err := d.RecordDeliveries(d.t.Context(), now, results); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) wantNext(when string, want time.Time) {
	d.t.Helper()
	at, ok, err := d.NextDelivery(d.t.Context())
	if err != nil || ok == want.IsZero() || !at.Equal(want) {
		d.t.Errorf("%s: the next delivery is due at %v, %v, %v; want %v", when, at, ok, err, want)
	}
}

func TestDeliveriesAboutOneSubjectAreClaimedInOrder(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.hook()
		d.wantNext("of nothing", time.Time{})
		d.wantClaims("of nothing", noon)
		d.happen(noon, about("fault 1", sett.AlertOccurred, sett.AlertResolved, sett.AlertUnresolved)...)
		d.happen(noon, about("fault 2", sett.AlertOccurred)...)
		d.spread(noon)
		d.wantNext("of two subjects", noon)
		d.wantClaims("before they are due", noon.Add(-time.Second))
		first := d.wantClaims("the first", noon, "fault 1 occurred 1", "fault 2 occurred 1")
		d.wantClaims("while somebody sends them", noon)
		d.wantNext("while somebody sends them", noon.Add(deliveryLease))

		later := noon.Add(10 * time.Second)
		d.settled(noon, sett.DeliveryDue, later, first[0])
		d.settled(noon, sett.DeliveryFailed, noon, first[1])
		d.wantClaims("while the first waits", later.Add(-time.Microsecond))
		d.wantNext("while the first waits", later)
		again := d.wantClaims("the first again", later, "fault 1 occurred 2")
		d.settled(later, sett.DeliverySent, later, again...)
		second := d.wantClaims("the second", later, "fault 1 resolved 1")
		d.settled(later, sett.DeliveryFailed, later, second...)
		third := d.wantClaims("the third, after a failure", later, "fault 1 unresolved 1")
		d.settled(later, sett.DeliverySent, later, third...)
		d.wantNext("at the end", time.Time{})
	})
}

// Who dies with a message in hand leaves it to others, and what they wanted to say of it comes too late.
func TestClaimsEndWithTheirLease(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.hook()
		d.happen(noon, about("fault 1", sett.AlertOccurred)...)
		d.spread(noon)
		dead := d.wantClaims("the first try", noon, "fault 1 occurred 1")
		end := noon.Add(deliveryLease)
		d.wantClaims("before the lease ends", end.Add(-time.Microsecond))
		alive := d.wantClaims("after the lease", end, "fault 1 occurred 2")
		d.settled(end, sett.DeliveryFailed, end, dead...)
		d.settled(end, sett.DeliveryDue, end, dead...)
		d.wantClaims("who lost the claim ends it", end)
		if n := d.numbers(`SELECT count(*) FROM attempts`, 1)[0]; n != 0 {
			t.Errorf("%d attempts of who lost the claim were stored", n)
		}
		d.settled(end, sett.DeliverySent, end, alive...)
		d.settled(end, sett.DeliveryFailed, end, alive...) // told twice
		if diff := cmp.Diff([]string{fmt.Sprint(alive[0].IntegrationID, " occurred sent")}, d.outbox()); diff != "" {
			t.Errorf("in the end (-want +got):\n%s", diff)
		}
	})
}

func TestClaimsLeaveBusyReceiversOut(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		a, b, c := d.hook(), d.hook(), d.hook()
		d.happen(noon, about("fault 1", sett.AlertOccurred)...)
		d.spread(noon)
		claimed := d.claimAll(noon, sett.IntegrationReceiver(a.ID), sett.IntegrationReceiver(c.ID))
		if len(claimed) != 1 || claimed[0].IntegrationID != b.ID {
			t.Errorf("claimed %v, want only that of integration %d", claimed, b.ID)
		}
		some, err := s.ClaimDeliveries(t.Context(), noon, deliveryLease, 1, nil, anyRoom)
		if err != nil || len(some) != 1 || some[0].IntegrationID != a.ID {
			t.Errorf("one at most: %v, %v", some, err)
		}
	})
}

// A receiver of which there is much to tell leaves room for others.
func TestClaimsTakeForOneReceiverWhatThereIsRoomFor(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		much, some := d.hook(), d.hook(func(i *sett.Integration) { i.Events = []sett.AlertEvent{sett.AlertDown} })
		for n := range 5 {
			d.happen(noon, about(sett.FaultSubject(int64(n)), sett.AlertOccurred)...)
		}
		d.happen(noon, about("site a", sett.AlertDown)...)
		d.spread(noon)
		room := func(r sett.Receiver) int { return map[sett.Receiver]int{sett.IntegrationReceiver(much.ID): 2}[r] + 1 }
		claimed, err := s.ClaimDeliveries(t.Context(), noon, deliveryLease, 100, nil, room)
		if diff := cmp.Diff([]string{"fault 0 occurred 1", "fault 1 occurred 1", "fault 2 occurred 1", "site a down 1"}, brief(claimed)); diff != "" || err != nil {
			t.Errorf("%v, claimed (-want +got):\n%s", err, diff)
		}
		if last := len(claimed) - 1; claimed[last].IntegrationID != some.ID {
			t.Errorf("the last is for integration %d", claimed[last].IntegrationID)
		}
		d.wantNext("of what was left", noon)
	})
}

func TestWhatALaterMessageTellsIsMerged(t *testing.T) {
	t.Parallel()
	const (
		down, up, cert     = sett.AlertDown, sett.AlertUp, sett.AlertCertWillExpire
		missing, reporting = sett.AlertCheckInMissing, sett.AlertCheckInReporting
	)
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		i := d.hook()
		for n, c := range []struct {
			events []sett.AlertEvent
			want   []string // states after the first claim: "try" is claimed
		}{
			{[]sett.AlertEvent{down}, []string{"try"}},
			{[]sett.AlertEvent{down, up}, []string{"merged", "try"}},
			{[]sett.AlertEvent{down, cert, up}, []string{"merged", "try", "due"}},
			{[]sett.AlertEvent{up, down}, []string{"try", "due"}},
			{[]sett.AlertEvent{down, up, down, up, down}, []string{"merged", "try", "due", "due", "due"}},
			{[]sett.AlertEvent{missing, reporting}, []string{"merged", "try"}},
			{[]sett.AlertEvent{missing, missing, missing}, []string{"merged", "merged", "try"}},
			{[]sett.AlertEvent{missing, missing, reporting, missing}, []string{"merged", "merged", "try", "due"}},
			{[]sett.AlertEvent{reporting, missing}, []string{"try", "due"}},
			{[]sett.AlertEvent{sett.AlertOccurred, sett.AlertResolved}, []string{"try", "due"}},
		} {
			d.run(`DELETE FROM deliveries`)
			now := noon.Add(time.Duration(n) * time.Hour)
			d.happen(now, about("subject 1", c.events...)...)
			d.happen(now, about("subject 2", up)...) // about another, merges nothing
			d.spread(now)
			claimed := map[string]bool{}
			for _, line := range brief(d.claimAll(now)) {
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

// What somebody is sending, or waits to be sent, is not merged.
func TestWhatIsTriedIsNotMerged(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		i := d.hook()
		d.happen(noon, about("site 1", sett.AlertDown)...)
		d.spread(noon)
		down := d.wantClaims("the outage", noon, "site 1 down 1")
		d.happen(noon, about("site 1", sett.AlertUp)...)
		d.spread(noon)
		d.happen(noon, about("fault 1", sett.AlertOccurred)...) // so that there is something to claim
		d.spread(noon)
		other := d.wantClaims("while it is told", noon, "fault 1 occurred 1")
		later := noon.Add(time.Minute)
		d.settled(noon, sett.DeliveryDue, later, down...)
		d.settled(noon, sett.DeliveryDue, later, down...) // told twice
		if n := d.numbers(`SELECT count(*) FROM attempts`, 1)[0]; n != 1 {
			t.Errorf("a result that was recorded twice made %d attempts", n)
		}
		d.settled(noon, sett.DeliveryFailed, noon, other...)
		d.wantClaims("while it waits", later.Add(-time.Microsecond))
		if diff := cmp.Diff([]string{"due", "due", "failed"}, d.statesOf(i.ID)); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
		d.wantClaims("when both are due", later, "site 1 up 1")
		if diff := cmp.Diff([]string{"merged", "due", "failed"}, d.statesOf(i.ID)); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
		if _, err := s.Redeliver(t.Context(), later, d.ProjectID, i.ID, down[0].ID); err != nil {
			t.Fatal(err)
		}
		d.wantClaims("again, while its end is told", later, "site 1 down 1")
	})
}

func TestClaimsTellAllThatIsKnown(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.record(noon, sett.Limits{}, d.report("E"))
		d.nothingHappened()
		i := d.hook(func(i *sett.Integration) { i.Type, i.Options = "Github", map[string]any{"url": "https://x.test"} })
		d.run(`UPDATE integrations SET rate = '', threshold = 0 WHERE id = $1`, i.ID)
		link := sett.LinkData{"number": json.RawMessage(`7`)}
		if err := s.LinkFault(t.Context(), noon, d.ProjectID, d.faultID("E"), i.ID, link); err != nil {
			t.Fatal(err)
		}
		a := sett.Alert{
			ProjectID: d.ProjectID, Event: sett.AlertOccurred, Subject: sett.FaultSubject(d.faultID("E")), FaultID: d.faultID("E"), Environment: "production",
			At: noon, CreatedAt: noon, Facts: sett.AlertFacts{NoticeID: 5, NoticesCount: 1},
		}
		d.happen(noon, a)
		d.spread(noon)
		claimed := d.claimAll(noon)
		if len(claimed) != 1 {
			t.Fatalf("claimed %v", claimed)
		}
		got := claimed[0]
		a.ID = got.Alert.ID
		want := ClaimedDelivery{
			Delivery: sett.Delivery{
				ID: got.ID, AlertID: a.ID, Receiver: sett.IntegrationReceiver(i.ID), IntegrationID: i.ID, Event: a.Event, Subject: a.Subject,
				State: sett.DeliveryDue, DueAt: noon.Add(deliveryLease), Tries: 1, CreatedAt: noon,
			},
			Alert: a, Integration: got.Integration, Link: link, Claim: 1,
		}
		if diff := cmp.Diff(want, got); diff != "" || got.Integration == nil || got.Integration.Options["url"] != "https://x.test" {
			t.Errorf("claimed of %+v (-want +got):\n%s", got.Integration, diff)
		}

		d.run(`INSERT INTO deliveries (alert_id, receiver, user_id, event, subject, state, due_at, tries, created_at, done_at, problem)
			VALUES ($1, $2, $3, 'occurred', 'x', 'due', 0, 0, 0, 0, '')`, a.ID, string(sett.UserReceiver(d.UserID)), d.UserID)
		claimed = d.claimAll(noon)
		if len(claimed) != 1 || claimed[0].Integration != nil || claimed[0].Link != nil ||
			cmp.Diff(&sett.Person{ID: d.UserID, Email: "owner@example.test", Name: "Olga"}, claimed[0].User) != "" {
			t.Errorf("claimed for a user: %+v", claimed)
		}
	})
}

// What was due when somebody turned the integration off is given up, but not what is said to it in any case.
func TestIntegrationsThatWereTurnedOffAreToldNoMore(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		i := d.hook()
		d.happen(noon, append(about("fault 1", sett.AlertOccurred), sett.Alert{Event: sett.AlertIssueClose, Subject: "fault 2", IntegrationID: i.ID})...)
		d.spread(noon)
		d.run(`UPDATE integrations SET active = false`)
		d.wantClaims("of an inactive one", noon, "fault 2 issue_close 1")
		found, _, err := s.ListDeliveries(t.Context(), d.ProjectID, i.ID, sett.Page{Size: 9})
		if err != nil || len(found) != 2 || found[1].State != sett.DeliveryFailed || found[1].Problem != "The integration was turned off." ||
			found[1].Tries != 0 || found[1].DoneAt != noon {
			t.Errorf("given up: %+v, %v", found, err)
		}
	})
}

// So is what was due when somebody turned the project off, and what waited for it has its turn.
func TestProjectsThatWereTurnedOffAreToldOfNoMore(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		i := d.hook()
		d.happen(noon, append(about("fault 1", sett.AlertOccurred, sett.AlertResolved), sett.Alert{Event: sett.AlertIssueClose, Subject: "fault 2", IntegrationID: i.ID})...)
		d.spread(noon)
		d.run(`UPDATE projects SET active = false`)
		woken, _ := s.Sleep(DeliveryDue)
		d.wantClaims("of one that is off", noon, "fault 2 issue_close 1")
		<-woken
		d.wantClaims("the next", noon)
		found, _, err := s.ListDeliveries(t.Context(), d.ProjectID, i.ID, sett.Page{Size: 9})
		if err != nil || len(found) != 3 {
			t.Fatalf("%+v, %v", found, err)
		}
		for _, f := range found[1:] {
			if f.State != sett.DeliveryFailed || f.Problem != "The project was turned off." || f.Tries != 0 || f.DoneAt != noon {
				t.Errorf("given up: %+v", f)
			}
		}
	})
}

// Two nodes that claim as fast as they can get each delivery once, all of them, and those about one subject in order.
func TestTwoNodesClaimEachDeliveryOnce(t *testing.T) {
	t.Parallel()
	dsn := freshPostgres(t)
	nodes := []*Store{openTest(t, db.Options{Database: dsn}), openTest(t, db.Options{Database: dsn})}
	d := newDesk(t, nodes[0])
	d.hook()
	const subjects, each = 10, 5
	for range each {
		for n := range subjects {
			d.happen(noon, about(sett.FaultSubject(int64(n)), sett.AlertCommented)...)
		}
	}
	d.spread(noon)
	var mu sync.Mutex
	last, seen := map[sett.AlertSubject]int64{}, map[int64]bool{}
	note := func(claimed []ClaimedDelivery) {
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
			node := &desk{nodes[i%2], d.SetupResult, t}
			for ok := true; ok; {
				claimed, err := node.ClaimDeliveries(t.Context(), noon, deliveryLease, 3, nil, anyRoom)
				if err != nil {
					t.Error(err)
					return
				}
				note(claimed)
				node.settled(noon, sett.DeliverySent, noon, claimed...)
				_, ok, err = node.NextDelivery(t.Context())
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
func TestTwoNodesSpreadInOrder(t *testing.T) {
	t.Parallel()
	dsn := freshPostgres(t)
	nodes := []*Store{openTest(t, db.Options{Database: dsn}), openTest(t, db.Options{Database: dsn})}
	d := newDesk(t, nodes[0])
	i := d.hook(limited(7))
	const alerts = 60
	for n := range alerts {
		d.happen(noon, about(sett.FaultSubject(int64(n%3)), sett.AlertCommented)...)
	}
	var done sync.WaitGroup
	for n := range 4 {
		done.Go(func() {
			for more := true; more; {
				spread, err := nodes[n%2].SpreadAlerts(t.Context(), noon, 5, false)
				if more = spread.More; err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	d.spread(noon)
	inOrder := d.numbers(`SELECT count(*) FROM (SELECT alert_id, lag(alert_id) OVER (ORDER BY id) AS before FROM deliveries) d WHERE before < alert_id`, 1)[0]
	due := d.numbers(`SELECT count(*) FROM deliveries WHERE state = 'due'`, 1)[0]
	if states := d.statesOf(i.ID); len(states) != alerts || inOrder != alerts-1 || due != 7 {
		t.Errorf("%d deliveries, %d in order, %d not held", len(states), inOrder, due)
	}
}

// What somebody asks of one receiver is told after what had happened before, also when that is not spread yet.
func TestWhatIsAskedWaitsForWhatHappened(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		i := d.hook()
		d.happen(noon, about("fault 1", sett.AlertOccurred)...)
		asked := sett.Alert{ProjectID: d.ProjectID, Event: sett.AlertIssueClose, Subject: "fault 1", IntegrationID: i.ID}
		err := d.inTx(t.Context(), "ask", func(tx *tx) error { return tx.RaiseFor(t.Context(), noon, &asked, delivery.IntegrationReceiver(i)) })
		if err != nil {
			t.Fatal(err)
		}
		d.wantClaims("before the spread", noon)
		d.spread(noon)
		d.settled(noon, sett.DeliverySent, noon, d.wantClaims("after it", noon, "fault 1 occurred 1")...)
		d.wantClaims("once that is told", noon, "fault 1 issue_close 1")
	})
}
