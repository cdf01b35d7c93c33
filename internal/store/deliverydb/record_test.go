package deliverydb_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/stats"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/deliverydb"
	"sett/internal/store/faultdb"
	"sett/internal/store/sheet"
	"sett/internal/store/storetest"
)

// mark is what an integration shows of its last failure, and whether it is active.
func (d *desk) mark(id int64) string {
	d.T.Helper()
	all, err := d.Deliveries.ListIntegrations(d.T.Context(), d.ProjectID)
	if err != nil {
		d.T.Fatal(err)
	}
	for _, i := range all {
		if i.ID == id {
			return fmt.Sprintf("%s %q %v", i.FailedAt.Format("15:04:05"), i.Problem, i.Active)
		}
	}
	return "gone"
}

// failureMails lists the mails of failed integrations that wait, as "<to> <integration> <problem>", and drops them.
func (d *desk) failureMails() (lines []string) {
	d.T.Helper()
	for _, m := range storetest.TakeMails(d.T, d.Store, storetest.Noon.AddDate(0, 0, 9)) {
		if m.Kind != alerts.IntegrationFailedMail || m.Fields["project"] != "Shop" {
			d.T.Errorf("mail %+v", m)
		}
		lines = append(lines, m.To+" "+m.Fields["integration"]+" "+m.Fields["problem"])
	}
	return lines
}

const unmarked = `00:00:00 "" true`

func TestAFailedDeliveryMarksItsIntegrationAndMailsTheOwnerOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.WebHook(func(i *alerts.Integration) { i.Options = map[string]any{"label": "Ops"} })
		want := func(when, mark string, mails ...string) {
			t.Helper()
			if got := d.mark(i.ID); got != mark {
				t.Errorf("%s: %s, want %s", when, got, mark)
			}
			if diff := cmp.Diff(mails, d.failureMails()); diff != "" {
				t.Errorf("%s, mails (-want +got):\n%s", when, diff)
			}
		}
		c := d.Due(storetest.Noon, "a", "b", "c", "d", "e")
		d.Settled(storetest.Noon, alerts.DeliveryDue, storetest.Noon.Add(48*time.Hour), c[0])
		want("one that is tried again", unmarked)
		d.Settled(storetest.Noon, alerts.DeliveryFailed, storetest.Noon, c[1], c[2])
		want("two that were given up", `12:00:00 "503 Service Unavailable" true`, "owner@example.test Ops (WebHook) 503 Service Unavailable")
		d.Settled(storetest.Noon.Add(time.Minute), alerts.DeliveryFailed, storetest.Noon, c[3])
		want("another", `12:01:00 "503 Service Unavailable" true`)
		d.Settled(storetest.Noon.Add(time.Minute), alerts.DeliverySent, storetest.Noon, c[4])
		want("one that was taken", unmarked)

		deputy := d.User("Deputy", accounts.Member)
		d.Run(`UPDATE projects SET owner_id = $1`, deputy)
		day := storetest.Noon.Add(deliverydb.MailEvery)
		d.Run(`UPDATE deliveries SET due_at = $1 WHERE state = 'due'`, db.Micros(day.Add(time.Hour)))
		d.Settled(day, alerts.DeliveryFailed, day, d.Due(day, "f")...)
		var email string
		if err := s.Read.QueryRowContext(t.Context(), `SELECT email FROM users WHERE id = $1`, deputy).Scan(&email); err != nil {
			t.Fatal(err)
		}
		want("the project has an owner", `12:00:00 "503 Service Unavailable" true`, email+" Ops (WebHook) 503 Service Unavailable")

		gone := deliverydb.DeliveryResult{State: alerts.DeliveryFailed, Attempt: alerts.Attempt{At: storetest.Noon, Status: 410, Problem: "410 Gone"}, Gone: true}
		last := d.Due(day, "g")[0]
		gone.ID, gone.Claim = last.ID, last.Claim
		if err := s.Deliveries.RecordDeliveries(t.Context(), storetest.Noon, []deliverydb.DeliveryResult{gone}); err != nil {
			t.Fatal(err)
		}
		want("gone", `12:00:00 "410 Gone" false`)
	})
}

// If an integration fails and works by turns, its owner gets at most one mail a day. A failure that this leaves out is mailed with the
// first failure after that day.
func TestTheOwnerIsNotifiedOfFailuresOnceADay(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook()
		n := 0
		ends := func(after time.Duration, state alerts.DeliveryState, mails int) {
			t.Helper()
			n++
			now := storetest.Noon.Add(after)
			d.Settled(now, state, now, d.Due(now, alerts.FaultSubject(int64(n)))...)
			if got := d.failureMails(); len(got) != mails {
				t.Errorf("%v later %s: mails %v, want %d", after, state, got, mails)
			}
		}
		ends(0, alerts.DeliveryFailed, 1)
		ends(time.Hour, alerts.DeliverySent, 0)
		ends(2*time.Hour, alerts.DeliveryFailed, 0)
		ends(3*time.Hour, alerts.DeliverySent, 0)
		ends(25*time.Hour, alerts.DeliveryFailed, 1)
		ends(26*time.Hour, alerts.DeliveryFailed, 0)
		ends(50*time.Hour, alerts.DeliveryFailed, 0) // they know
		ends(51*time.Hour, alerts.DeliverySent, 0)
		ends(52*time.Hour, alerts.DeliveryFailed, 1)
		ends(53*time.Hour, alerts.DeliverySent, 0)
		ends(54*time.Hour, alerts.DeliveryFailed, 0)
		ends(77*time.Hour, alerts.DeliveryFailed, 1) // makes up for the failure at 54 hours
		ends(102*time.Hour, alerts.DeliveryFailed, 0)
	})
}

// A receiver that has said how long it wants to be left alone with a message is, whatever else it takes.
func TestASentDeliveryHastensNothingThatIsToWait(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook()
		c := d.Due(storetest.Noon, "a", "b", "c")
		until := storetest.Noon.Add(time.Hour)
		result := deliverydb.DeliveryResult{ID: c[0].ID, Claim: c[0].Claim, State: alerts.DeliveryDue, DueAt: until.Add(time.Hour), Spare: until, Attempt: alerts.Attempt{At: storetest.Noon, Status: 429}}
		if err := s.Deliveries.RecordDeliveries(t.Context(), storetest.Noon, []deliverydb.DeliveryResult{result}); err != nil {
			t.Fatal(err)
		}
		d.Run(`UPDATE deliveries SET due_at = $1 WHERE trying`, db.Micros(until.Add(storetest.DeliveryLease)))
		d.Settled(until.Add(-time.Microsecond), alerts.DeliverySent, storetest.Noon, c[1])
		d.WantNext("before the time that the receiver asked for", until.Add(storetest.DeliveryLease))
		d.Settled(until, alerts.DeliverySent, storetest.Noon, c[2])
		d.WantNext("once it has waited", until)
	})
}

// A try that has failed because of the database does not count.
func TestOurFailuresAreNoTries(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook()
		c := d.Due(storetest.Noon, "a")[0]
		for _, ours := range []bool{true, true, false} {
			if c.Tries != 1 {
				t.Fatalf("this is try %d, want 1", c.Tries)
			}
			result := deliverydb.DeliveryResult{ID: c.ID, Claim: c.Claim, State: alerts.DeliveryDue, DueAt: storetest.Noon, Attempt: alerts.Attempt{At: storetest.Noon}, Ours: ours}
			if err := s.Deliveries.RecordDeliveries(t.Context(), storetest.Noon, []deliverydb.DeliveryResult{result}); err != nil {
				t.Fatal(err)
			}
			c = d.ClaimAll(storetest.Noon)[0]
		}
		if c.Tries != 2 {
			t.Errorf("after one failure of the receiver this is try %d, want 2", c.Tries)
		}
	})
}

// A receiver that has taken a message is well: what waits for it is tried at once, and nothing that waits for others.
func TestASentDeliveryHastensWhatWaits(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook()
		other := d.WebHook(func(i *alerts.Integration) { i.Events = []alerts.AlertEvent{alerts.AlertDown} })
		d.Happen(storetest.Noon, storetest.About("site x", alerts.AlertDown)...)
		d.FanOut(storetest.Noon)
		later := storetest.Noon.Add(6 * time.Hour)
		d.Settled(storetest.Noon, alerts.DeliveryDue, later, d.ClaimAll(storetest.Noon)...)
		c := d.Due(storetest.Noon, "a", "b", "b2", "c")
		d.Settled(storetest.Noon, alerts.DeliveryDue, later, c[0])
		tenth := storetest.Noon.Add(36 * time.Minute)
		d.Run(`UPDATE deliveries SET due_at = $1 WHERE trying`, db.Micros(tenth.Add(storetest.DeliveryLease)))
		woken, _ := s.Sleep(deliverydb.DeliveryDue)
		d.Settled(tenth.Add(-time.Second), alerts.DeliverySent, storetest.Noon, c[1]) // the last is being sent
		<-woken
		if got := d.ClaimAll(tenth.Add(-time.Second)); len(got) > 0 {
			t.Errorf("due before it has waited a tenth of its time: %v", storetest.Brief(got))
		}
		d.Settled(tenth, alerts.DeliverySent, storetest.Noon, c[2])
		got := d.ClaimAll(tenth)
		if diff := cmp.Diff([]string{"site x down 2", "a occurred 2"}, storetest.Brief(got)); diff != "" || got[0].IntegrationID == other.ID {
			t.Errorf("due after a success (-want +got):\n%s", diff)
		}
		d.WantNext("nothing but what is being sent", tenth.Add(storetest.DeliveryLease))
	})
}

// A receiver that takes one message at a time and refuses what comes beside it gets nothing again before its time.
func TestARefusedDeliveryIsNotHastenedByOneBesideIt(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook()
		c := d.Due(storetest.Noon, "a", "b")
		result := func(c deliverydb.ClaimedDelivery, state alerts.DeliveryState, status int) deliverydb.DeliveryResult {
			return deliverydb.DeliveryResult{ID: c.ID, Claim: c.Claim, State: state, DueAt: storetest.Noon.Add(30 * time.Second), Attempt: alerts.Attempt{At: storetest.Noon, Status: status}}
		}
		results := []deliverydb.DeliveryResult{result(c[0], alerts.DeliveryDue, 429), result(c[1], alerts.DeliverySent, 200)}
		if err := s.Deliveries.RecordDeliveries(t.Context(), storetest.Noon.Add(time.Second), results); err != nil {
			t.Fatal(err)
		}
		d.WantNext("at its own time", storetest.Noon.Add(30*time.Second))
	})
}

func TestRecordKeepsAttemptsMessageAndLink(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		d.nothingHappened()
		fault := d.FaultID("E")
		first, second := d.WebHook(), d.WebHook()
		d.Happen(storetest.Noon, alerts.Alert{Event: alerts.AlertOccurred, Subject: alerts.FaultSubject(fault), FaultID: fault, Environment: "production"})
		d.FanOut(storetest.Noon)
		result := func(c deliverydb.ClaimedDelivery, state alerts.DeliveryState, message string, number string) deliverydb.DeliveryResult {
			r := deliverydb.DeliveryResult{
				ID: c.ID, Claim: c.Claim, State: state, DueAt: storetest.Noon, Message: []byte(message),
				Attempt: alerts.Attempt{Number: int64(c.Tries), At: storetest.Noon, Duration: 1500 * time.Microsecond, Status: 201},
			}
			if number != "" {
				r.Link = triage.LinkData{"number": json.RawMessage(number)}
			}
			return r
		}
		c := d.ClaimAll(storetest.Noon)
		results := []deliverydb.DeliveryResult{result(c[1], alerts.DeliveryDue, `{"text":"later"}`, ""), result(c[0], alerts.DeliverySent, `{"text":"first"}`, "7")}
		if err := s.Deliveries.RecordDeliveries(t.Context(), storetest.Noon, results); err != nil {
			t.Fatal(err)
		}
		found, err := s.Sheets.OfFault(t.Context(), storetest.Noon, sheet.FaultAsk{SheetAsk: faultdb.SheetAsk{ProjectID: d.ProjectID, FaultID: fault, Period: stats.PastDay}})
		if links := found.Links; err != nil || len(links) != 1 || links[0].IntegrationID != first.ID || string(links[0].Data["number"]) != "7" {
			t.Errorf("links %+v, %v", links, err)
		}
		again := d.ClaimAll(storetest.Noon)
		if len(again) != 1 || again[0].IntegrationID != second.ID {
			t.Fatalf("claimed %v", storetest.Brief(again))
		}
		said := string(again[0].Message)
		if err := s.Deliveries.RecordDeliveries(t.Context(), storetest.Noon, []deliverydb.DeliveryResult{result(again[0], alerts.DeliverySent, `{"text":"other"}`, "")}); err != nil {
			t.Fatal(err)
		}
		got, attempts, message, err := s.Deliveries.DeliveryByID(t.Context(), d.ProjectID, second.ID, again[0].ID)
		want := []alerts.Attempt{
			{Number: 1, At: storetest.Noon, Duration: 1500 * time.Microsecond, Status: 201}, {Number: 2, At: storetest.Noon, Duration: 1500 * time.Microsecond, Status: 201},
		}
		if diff := cmp.Diff(want, attempts); diff != "" || err != nil || got.State != alerts.DeliverySent || got.DoneAt != storetest.Noon {
			t.Errorf("%+v, %v, attempts (-want +got):\n%s", got, err, diff)
		}
		if string(message) != said || said != `{"text":"later"}` && said != `{"text":"first"}` {
			t.Errorf("the message was %s, then %s", said, message)
		}
	})
}

// An issue that was made of a fault that is gone by then is nothing to remember.
func TestRecordOfAFaultThatIsGone(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook()
		d.Happen(storetest.Noon, alerts.Alert{Event: alerts.AlertResolved, Subject: "fault 99", FaultID: 99, Environment: "production"})
		d.FanOut(storetest.Noon)
		c := d.ClaimAll(storetest.Noon)[0]
		err := s.Deliveries.RecordDeliveries(t.Context(), storetest.Noon, []deliverydb.DeliveryResult{{ID: c.ID, Claim: c.Claim, State: alerts.DeliverySent, Link: triage.LinkData{"number": json.RawMessage(`7`)}}})
		if err != nil || d.statesOf(c.IntegrationID)[0] != "sent" {
			t.Errorf("%v, %v", err, d.outbox())
		}
	})
}
