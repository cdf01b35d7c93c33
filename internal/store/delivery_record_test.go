package store

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/delivery"
)

// due makes one delivery about each subject and claims them.
func (d *desk) due(now time.Time, subjects ...sett.AlertSubject) []ClaimedDelivery {
	d.t.Helper()
	for _, s := range subjects {
		d.happen(now, about(s, sett.AlertOccurred)...)
	}
	d.spread(now)
	claimed := d.claimAll(now)
	if len(claimed) != len(subjects) {
		d.t.Fatalf("claimed %v of %v", brief(claimed), subjects)
	}
	return claimed
}

// mark is what an integration shows of its last failure, and whether it is active.
func (d *desk) mark(id int64) string {
	d.t.Helper()
	all, err := d.ListIntegrations(d.t.Context(), d.ProjectID)
	if err != nil {
		d.t.Fatal(err)
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
	d.t.Helper()
	for {
		m, ok, err := d.ClaimMail(d.t.Context(), noon.AddDate(0, 0, 9), mailLease)
		if err != nil {
			d.t.Fatal(err)
		}
		if !ok {
			return lines
		}
		if m.Kind != sett.IntegrationFailedMail || m.Fields["project"] != "Shop" {
			d.t.Errorf("mail %+v", m)
		}
		lines = append(lines, m.To+" "+m.Fields["integration"]+" "+m.Fields["problem"])
		if err := d.DropMail(d.t.Context(), m.ID); err != nil {
			d.t.Fatal(err)
		}
	}
}

const unmarked = `00:00:00 "" true`

func TestAFailedDeliveryMarksItsIntegrationAndTellsTheOwnerOnce(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		i := d.hook(func(i *sett.Integration) { i.Options = map[string]any{"label": "Ops"} })
		want := func(when, mark string, mails ...string) {
			t.Helper()
			if got := d.mark(i.ID); got != mark {
				t.Errorf("%s: %s, want %s", when, got, mark)
			}
			if diff := cmp.Diff(mails, d.failureMails()); diff != "" {
				t.Errorf("%s, mails (-want +got):\n%s", when, diff)
			}
		}
		c := d.due(noon, "a", "b", "c", "d", "e")
		d.settled(noon, sett.DeliveryDue, noon.Add(48*time.Hour), c[0])
		want("one that is tried again", unmarked)
		d.settled(noon, sett.DeliveryFailed, noon, c[1], c[2])
		want("two that were given up", `12:00:00 "503 Service Unavailable" true`, "owner@example.test Ops (WebHook) 503 Service Unavailable")
		d.settled(noon.Add(time.Minute), sett.DeliveryFailed, noon, c[3])
		want("another", `12:01:00 "503 Service Unavailable" true`)
		d.settled(noon.Add(time.Minute), sett.DeliverySent, noon, c[4])
		want("one that was taken", unmarked)

		deputy := d.user("Deputy", sett.Member)
		d.run(`UPDATE projects SET owner_id = $1`, deputy)
		day := noon.Add(delivery.MailEvery)
		d.run(`UPDATE deliveries SET due_at = $1 WHERE state = 'due'`, db.Micros(day.Add(time.Hour)))
		d.settled(day, sett.DeliveryFailed, day, d.due(day, "f")...)
		var email string
		if err := s.Read.QueryRowContext(t.Context(), `SELECT email FROM users WHERE id = $1`, deputy).Scan(&email); err != nil {
			t.Fatal(err)
		}
		want("the project has an owner", `12:00:00 "503 Service Unavailable" true`, email+" Ops (WebHook) 503 Service Unavailable")

		gone := DeliveryResult{State: sett.DeliveryFailed, Attempt: sett.Attempt{At: noon, Status: 410, Problem: "410 Gone"}, Gone: true}
		last := d.due(day, "g")[0]
		gone.ID, gone.Claim = last.ID, last.Claim
		if err := s.RecordDeliveries(t.Context(), noon, []DeliveryResult{gone}); err != nil {
			t.Fatal(err)
		}
		want("gone", `12:00:00 "410 Gone" false`)
	})
}

// An integration that fails and works by turns tells its owner once a day, and of what was not told, the day after.
func TestTheOwnerIsToldOfFailuresOnceADay(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.hook()
		n := 0
		ends := func(after time.Duration, state sett.DeliveryState, mails int) {
			t.Helper()
			n++
			now := noon.Add(after)
			d.settled(now, state, now, d.due(now, sett.FaultSubject(int64(n)))...)
			if got := d.failureMails(); len(got) != mails {
				t.Errorf("%v later %s: mails %v, want %d", after, state, got, mails)
			}
		}
		ends(0, sett.DeliveryFailed, 1)
		ends(time.Hour, sett.DeliverySent, 0)
		ends(2*time.Hour, sett.DeliveryFailed, 0)
		ends(3*time.Hour, sett.DeliverySent, 0)
		ends(25*time.Hour, sett.DeliveryFailed, 1)
		ends(26*time.Hour, sett.DeliveryFailed, 0)
		ends(50*time.Hour, sett.DeliveryFailed, 0) // they know
		ends(51*time.Hour, sett.DeliverySent, 0)
		ends(52*time.Hour, sett.DeliveryFailed, 1)
		ends(53*time.Hour, sett.DeliverySent, 0)
		ends(54*time.Hour, sett.DeliveryFailed, 0)
		ends(77*time.Hour, sett.DeliveryFailed, 1) // of what they were not told the day before
		ends(102*time.Hour, sett.DeliveryFailed, 0)
	})
}

// A receiver that has said how long it wants to be left alone with a message is, whatever else it takes.
func TestASentDeliveryHastensNothingThatIsToWait(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.hook()
		c := d.due(noon, "a", "b", "c")
		until := noon.Add(time.Hour)
		result := DeliveryResult{ID: c[0].ID, Claim: c[0].Claim, State: sett.DeliveryDue, DueAt: until.Add(time.Hour), Spare: until, Attempt: sett.Attempt{At: noon, Status: 429}}
		if err := s.RecordDeliveries(t.Context(), noon, []DeliveryResult{result}); err != nil {
			t.Fatal(err)
		}
		d.run(`UPDATE deliveries SET due_at = $1 WHERE trying`, db.Micros(until.Add(deliveryLease)))
		d.settled(until.Add(-time.Microsecond), sett.DeliverySent, noon, c[1])
		d.wantNext("as it was told to wait", until.Add(deliveryLease))
		d.settled(until, sett.DeliverySent, noon, c[2])
		d.wantNext("once it has waited", until)
	})
}

// A receiver that has taken a message is well: what waits for it is tried at once, and nothing that waits for others.
func TestASentDeliveryHastensWhatWaits(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.hook()
		other := d.hook(func(i *sett.Integration) { i.Events = []sett.AlertEvent{sett.AlertDown} })
		d.happen(noon, about("site x", sett.AlertDown)...)
		d.spread(noon)
		later := noon.Add(6 * time.Hour)
		d.settled(noon, sett.DeliveryDue, later, d.claimAll(noon)...)
		c := d.due(noon, "a", "b", "b2", "c")
		d.settled(noon, sett.DeliveryDue, later, c[0])
		tenth := noon.Add(36 * time.Minute)
		d.run(`UPDATE deliveries SET due_at = $1 WHERE trying`, db.Micros(tenth.Add(deliveryLease)))
		woken, _ := s.Sleep(DeliveryDue)
		d.settled(tenth.Add(-time.Second), sett.DeliverySent, noon, c[1]) // the last is being sent
		<-woken
		if got := d.claimAll(tenth.Add(-time.Second)); len(got) > 0 {
			t.Errorf("due before it has waited a tenth of its time: %v", brief(got))
		}
		d.settled(tenth, sett.DeliverySent, noon, c[2])
		got := d.claimAll(tenth)
		if diff := cmp.Diff([]string{"site x down 2", "a occurred 2"}, brief(got)); diff != "" || got[0].IntegrationID == other.ID {
			t.Errorf("due after a success (-want +got):\n%s", diff)
		}
		d.wantNext("nothing but what is being sent", tenth.Add(deliveryLease))
	})
}

// A receiver that takes one message at a time and refuses what comes beside it gets nothing again before its time.
func TestARefusedDeliveryIsNotHastenedByOneBesideIt(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.hook()
		c := d.due(noon, "a", "b")
		result := func(c ClaimedDelivery, state sett.DeliveryState, status int) DeliveryResult {
			return DeliveryResult{ID: c.ID, Claim: c.Claim, State: state, DueAt: noon.Add(30 * time.Second), Attempt: sett.Attempt{At: noon, Status: status}}
		}
		results := []DeliveryResult{result(c[0], sett.DeliveryDue, 429), result(c[1], sett.DeliverySent, 200)}
		if err := s.RecordDeliveries(t.Context(), noon.Add(time.Second), results); err != nil {
			t.Fatal(err)
		}
		d.wantNext("as it was told to wait", noon.Add(30*time.Second))
	})
}

func TestRecordKeepsAttemptsMessageAndLink(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.record(noon, sett.Limits{}, d.report("E"))
		d.nothingHappened()
		fault := d.faultID("E")
		first, second := d.hook(), d.hook()
		d.happen(noon, sett.Alert{Event: sett.AlertOccurred, Subject: sett.FaultSubject(fault), FaultID: fault, Environment: "production"})
		d.spread(noon)
		result := func(c ClaimedDelivery, state sett.DeliveryState, message string, number string) DeliveryResult {
			r := DeliveryResult{
				ID: c.ID, Claim: c.Claim, State: state, DueAt: noon, Message: []byte(message),
				Attempt: sett.Attempt{Number: int64(c.Tries), At: noon, Duration: 1500 * time.Microsecond, Status: 201},
			}
			if number != "" {
				r.Link = sett.LinkData{"number": json.RawMessage(number)}
			}
			return r
		}
		c := d.claimAll(noon)
		results := []DeliveryResult{result(c[1], sett.DeliveryDue, `{"text":"later"}`, ""), result(c[0], sett.DeliverySent, `{"text":"first"}`, "7")}
		if err := s.RecordDeliveries(t.Context(), noon, results); err != nil {
			t.Fatal(err)
		}
		links, err := s.FaultLinks(t.Context(), d.ProjectID, fault)
		if err != nil || len(links) != 1 || links[0].IntegrationID != first.ID || string(links[0].Data["number"]) != "7" {
			t.Errorf("links %+v, %v", links, err)
		}
		again := d.claimAll(noon)
		if len(again) != 1 || again[0].IntegrationID != second.ID {
			t.Fatalf("claimed %v", brief(again))
		}
		said := string(again[0].Message)
		if err := s.RecordDeliveries(t.Context(), noon, []DeliveryResult{result(again[0], sett.DeliverySent, `{"text":"other"}`, "")}); err != nil {
			t.Fatal(err)
		}
		got, attempts, message, err := s.DeliveryByID(t.Context(), d.ProjectID, second.ID, again[0].ID)
		want := []sett.Attempt{
			{Number: 1, At: noon, Duration: 1500 * time.Microsecond, Status: 201}, {Number: 2, At: noon, Duration: 1500 * time.Microsecond, Status: 201},
		}
		if diff := cmp.Diff(want, attempts); diff != "" || err != nil || got.State != sett.DeliverySent || got.DoneAt != noon {
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
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.hook()
		d.happen(noon, sett.Alert{Event: sett.AlertResolved, Subject: "fault 99", FaultID: 99, Environment: "production"})
		d.spread(noon)
		c := d.claimAll(noon)[0]
		err := s.RecordDeliveries(t.Context(), noon, []DeliveryResult{{ID: c.ID, Claim: c.Claim, State: sett.DeliverySent, Link: sett.LinkData{"number": json.RawMessage(`7`)}}})
		if err != nil || d.statesOf(c.IntegrationID)[0] != "sent" {
			t.Errorf("%v, %v", err, d.outbox())
		}
	})
}
