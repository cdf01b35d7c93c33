package deliverydb_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/deliverydb"
	"sett/internal/store/storetest"
)

// Nights of these tests.
var (
	evening  = time.Date(2026, 11, 18, 22, 0, 0, 0, time.UTC)
	midnight = evening.Add(2 * time.Hour)
	morning  = evening.Add(9 * time.Hour)
)

var nights = alerts.QuietHours{From: "22:00", To: "07:00"}

func urgentNights() alerts.QuietHours {
	q := nights
	q.Urgent = true
	return q
}

// quiet gives an integration quiet hours.
func (d *desk) quiet(i alerts.Integration, q alerts.QuietHours) alerts.Integration {
	d.T.Helper()
	d.Run(`UPDATE integrations SET quiet_hours = $2 WHERE id = $1`, i.ID, deliverydb.QuietText(&q))
	return i
}

// waits lists what is due, as "<subject> <event> <hour at which it is>", with a q where quiet hours say so.
func (d *desk) waits() (lines []string) {
	d.T.Helper()
	found, err := d.Deliveries.Deliveries(d.T.Context(), d.Read, `SELECT `+deliverydb.DeliveryColumns+` FROM deliveries d WHERE d.state = 'due' ORDER BY d.id`)
	if err != nil {
		d.T.Fatal(err)
	}
	for _, f := range found {
		mark := map[bool]string{true: "q"}[f.Quiet()]
		lines = append(lines, fmt.Sprint(f.Subject, " ", f.Event, " ", f.DueAt.Format("15:04"), mark))
	}
	return lines
}

func (d *desk) wantWaits(when string, want ...string) {
	d.T.Helper()
	if diff := cmp.Diff(want, d.waits()); diff != "" {
		d.T.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

func TestInQuietHoursWhatHappensWaits(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.quiet(d.WebHook(), nights)
		d.Happen(evening.Add(-time.Second), storetest.About("fault 0", alerts.AlertOccurred)...)
		d.FanOut(evening.Add(-time.Second))
		before := d.WantClaims("before they begin", evening.Add(-time.Second), "fault 0 occurred 1")
		d.Happen(evening, storetest.About("fault 1", alerts.AlertOccurred, alerts.AlertResolved)...)
		d.Happen(evening, storetest.About("site a", alerts.AlertDown)...)
		d.FanOut(evening)
		d.Happen(midnight, storetest.About("site a", alerts.AlertUp)...)
		d.Happen(midnight, storetest.About("fault 0", alerts.AlertCommented)...)
		d.FanOut(midnight)
		d.wantWaits("at night", "fault 0 occurred 22:00", "fault 1 occurred 07:00q", "fault 1 resolved 07:00q", "site a down 07:00q", "site a up 07:00q", "fault 0 commented 07:00q")
		if got, _, err := s.Deliveries.ListDeliveries(t.Context(), d.ProjectID, i.ID, sett.Page{Size: 1}); err != nil || !got[0].CreatedAt.Equal(midnight) || !got[0].QuietUntil.Equal(morning) {
			t.Errorf("one that waits: %+v, %v", got, err)
		}
		d.Settled(midnight, alerts.DeliverySent, midnight, before...) // another that was taken frees none
		d.WantNext("at night", morning)
		d.WantClaims("at night", morning.Add(-time.Microsecond))
		first := d.WantClaims("in the morning", morning, "fault 1 occurred 1", "site a up 1", "fault 0 commented 1")
		d.Settled(morning, alerts.DeliverySent, morning, first...)
		d.WantClaims("after the first", morning, "fault 1 resolved 1")
	})
}

func TestUrgentEventsAreNotifiedInQuietHours(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.quiet(d.WebHook(), urgentNights())
		for _, e := range alerts.AlertEvents() {
			a := alerts.Alert{Event: e, Subject: alerts.AlertSubject("x " + e)}
			if e == alerts.AlertRateExceeded {
				a.IntegrationID = i.ID // as each has its own rate
			}
			d.Happen(midnight, a)
		}
		d.FanOut(midnight)
		var claimed []alerts.AlertEvent
		for _, c := range d.ClaimAll(midnight) {
			claimed = append(claimed, c.Event)
		}
		want := alerts.UrgentEvents()
		slices.Sort(claimed)
		slices.Sort(want)
		if diff := cmp.Diff(want, claimed); diff != "" {
			t.Errorf("claimed at night (-want +got):\n%s", diff)
		}
		if got, err := s.Deliveries.TestIntegration(t.Context(), midnight, d.ProjectID, i.ID); err != nil || !got.DueAt.Equal(midnight) || !got.QuietUntil.IsZero() {
			t.Errorf("a test: %+v, %v", got, err)
		}
		d.Run(`UPDATE integrations SET quiet_hours = 'broken'`)
		if n := d.FanOut(midnight); n != 0 {
			t.Errorf("%d deliveries for nothing", n)
		}
	})
}

// An urgent delivery is not sent before older ones about its subject. Those do not wait for the end of the quiet hours either.
func TestWhatIsUrgentTakesItsEldersAlong(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.quiet(d.WebHook(), urgentNights())
		other := d.quiet(d.WebHook(func(i *alerts.Integration) { i.Events = []alerts.AlertEvent{alerts.AlertCertWillExpire} }), urgentNights())
		d.Happen(evening, storetest.About("site a", alerts.AlertCertWillExpire)...)
		d.Happen(evening, storetest.About("site b", alerts.AlertCertWillExpire)...)
		d.FanOut(evening)
		d.Happen(midnight, storetest.About("site a", alerts.AlertDown, alerts.AlertCertWillExpire)...)
		d.FanOut(midnight)
		d.wantWaits("at night", "site a cert_will_expire 00:00", "site a cert_will_expire 07:00q", "site b cert_will_expire 07:00q", "site b cert_will_expire 07:00q",
			"site a down 00:00", "site a cert_will_expire 07:00q", "site a cert_will_expire 07:00q")
		first := d.WantClaims("at night", midnight, "site a cert_will_expire 1")
		if first[0].IntegrationID == other.ID {
			t.Error("it is that of another receiver")
		}
		d.Settled(midnight, alerts.DeliverySent, midnight, first...)
		d.Settled(midnight, alerts.DeliverySent, midnight, d.WantClaims("after it", midnight, "site a down 1")...)
		d.WantNext("then", morning)
	})
}

// A try that failed is followed by the next one at its time, or after the quiet hours that this is in.
func TestRetriesWaitForTheEndOfQuietHours(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.quiet(d.WebHook(), urgentNights())
		before := evening.Add(-time.Minute)
		d.Happen(before, storetest.About("fault 1", alerts.AlertOccurred, alerts.AlertResolved)...)
		d.Happen(before, storetest.About("fault 2", alerts.AlertOccurred)...)
		d.Happen(before, storetest.About("site a", alerts.AlertDown)...)
		d.Happen(before, storetest.About("site b", alerts.AlertCertWillExpire)...)
		d.FanOut(before)
		test, err := s.Deliveries.TestIntegration(t.Context(), before, d.ProjectID, i.ID)
		if err != nil {
			t.Fatal(err)
		}
		c := d.ClaimAll(before)
		if len(c) != 5 {
			t.Fatalf("claimed %v", storetest.Brief(c))
		}
		d.Happen(evening, storetest.About("site b", alerts.AlertDown)...) // behind one that is just being tried
		d.FanOut(evening)
		soon := before.Add(30 * time.Second)
		d.Settled(before, alerts.DeliveryDue, soon, c[1])
		again := d.WantClaims("again before they begin", soon, "fault 2 occurred 2")
		late := evening.Add(time.Minute)
		d.Settled(soon, alerts.DeliveryDue, late, append(again, c[0], c[2], c[3], c[4])...)
		d.wantWaits("at night", "fault 1 occurred 07:00q", "fault 1 resolved 21:59", "fault 2 occurred 07:00q", "site a down 22:01", "site b cert_will_expire 21:59",
			fmt.Sprint(test.Subject, " occurred 22:01"), "site b down 22:00")
		got := d.WantClaims("at night", late, "site a down 2", "site b cert_will_expire 2", fmt.Sprint(test.Subject, " occurred 2"))
		d.Settled(late, alerts.DeliverySent, late, got...)
		d.Settled(late, alerts.DeliverySent, late, d.WantClaims("then", late, "site b down 1")...)
		d.WantClaims("what is behind one that waits", morning.Add(-time.Second))
		d.Settled(morning, alerts.DeliverySent, morning, d.WantClaims("in the morning", morning, "fault 1 occurred 2", "fault 2 occurred 3")...)
		d.WantClaims("after it", morning, "fault 1 resolved 1")
	})
}

// A waiting delivery that people ask for is due at once, after older ones about its subject. If an attempt fails, it waits for the end
// of the quiet hours. A redelivery of a finished one does not.
func TestPeopleSendWhatWaitsInQuietHours(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.quiet(d.WebHook(), urgentNights())
		d.Settled(storetest.Noon, alerts.DeliverySent, storetest.Noon, d.Due(storetest.Noon, "fault 0")...)
		d.Happen(evening, storetest.About("fault 1", alerts.AlertOccurred, alerts.AlertResolved, alerts.AlertCommented)...)
		d.Happen(evening, storetest.About("fault 2", alerts.AlertOccurred)...)
		d.FanOut(evening)
		found, _, err := s.Deliveries.ListDeliveries(t.Context(), d.ProjectID, i.ID, sett.Page{Size: 9})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Deliveries.Redeliver(t.Context(), midnight, d.ProjectID, i.ID, found[2].ID); err != nil || got.Event != alerts.AlertResolved || !got.DueAt.Equal(midnight) || !got.QuietUntil.IsZero() {
			t.Errorf("sent %+v, %v", got, err)
		}
		d.wantWaits("what was asked for", "fault 1 occurred 00:00", "fault 1 resolved 00:00", "fault 1 commented 07:00q", "fault 2 occurred 07:00q")
		if _, err := s.Deliveries.Redeliver(t.Context(), midnight, d.ProjectID, i.ID, found[4].ID); err != nil {
			t.Fatal(err)
		}
		c := d.WantClaims("at night", midnight, "fault 0 occurred 1", "fault 1 occurred 1")
		later := midnight.Add(time.Minute)
		d.Settled(midnight, alerts.DeliveryDue, later, c...)
		d.wantWaits("after they failed", "fault 0 occurred 00:01", "fault 1 occurred 07:00q", "fault 1 resolved 00:00", "fault 1 commented 07:00q", "fault 2 occurred 07:00q")
	})
}

func (d *desk) changeQuiet(now time.Time, i alerts.Integration, body sett.Optional[alerts.QuietHoursChange]) {
	d.T.Helper()
	if err := d.Deliveries.UpdateIntegration(d.T.Context(), now, d.ProjectID, i.ID, storetest.TestKinds(), alerts.IntegrationChange{QuietHours: body}); err != nil {
		d.T.Fatal(err)
	}
}

func quietFrom(from, to string, urgent bool) sett.Optional[alerts.QuietHoursChange] {
	return sett.Some(alerts.QuietHoursChange{From: sett.Some(from), To: sett.Some(to), Urgent: sett.Some(sett.LenientBool(urgent))})
}

// A change of quiet hours affects the deliveries that wait for their end, and no others.
func TestChangedQuietHoursFreeWhatWaits(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.quiet(d.WebHook(), nights)
		other := d.quiet(d.WebHook(func(i *alerts.Integration) { i.Events = []alerts.AlertEvent{alerts.AlertDeployed} }), nights)
		c := d.Due(evening.Add(-time.Minute), "fault 0", "fault 9")
		spared := deliverydb.DeliveryResult{ID: c[0].ID, Claim: c[0].Claim, State: alerts.DeliveryDue, DueAt: midnight.Add(time.Hour), Spare: midnight.Add(time.Hour), Attempt: alerts.Attempt{At: evening}}
		if err := s.Deliveries.RecordDeliveries(t.Context(), evening, []deliverydb.DeliveryResult{spared}); err != nil {
			t.Fatal(err)
		}
		d.Happen(evening, storetest.About("site a", alerts.AlertCertWillExpire, alerts.AlertDown)...)
		d.Happen(evening, storetest.About("site b", alerts.AlertCertWillExpire)...)
		d.Happen(evening, storetest.About("deploy 1", alerts.AlertDeployed)...)
		d.FanOut(evening)
		rest := func(lines ...string) []string { return append(lines, "deploy 1 deployed 07:00q") }
		d.Run(`DELETE FROM deliveries WHERE event = 'deployed' AND integration_id <> $1`, other.ID)
		const trying = "fault 9 occurred 22:00"
		d.wantWaits("at night", rest("fault 0 occurred 07:00q", trying, "site a cert_will_expire 07:00q", "site a down 07:00q", "site b cert_will_expire 07:00q")...)

		woken, _ := s.Sleep(deliverydb.DeliveryDue)
		d.changeQuiet(midnight, i, quietFrom("21:00", "08:30", false))
		<-woken
		d.wantWaits("with another end", rest("fault 0 occurred 08:30q", trying, "site a cert_will_expire 08:30q", "site a down 08:30q", "site b cert_will_expire 08:30q")...)
		d.changeQuiet(midnight, i, quietFrom("21:00", "08:30", true))
		d.wantWaits("urgent ones at once", rest("fault 0 occurred 08:30q", trying, "site a cert_will_expire 00:00", "site a down 00:00", "site b cert_will_expire 08:30q")...)
		d.changeQuiet(midnight, i, sett.Optional[alerts.QuietHoursChange]{})
		d.changeQuiet(midnight, i, quietFrom("21:00", "08:30", true))
		d.wantWaits("nothing changed", rest("fault 0 occurred 08:30q", trying, "site a cert_will_expire 00:00", "site a down 00:00", "site b cert_will_expire 08:30q")...)
		d.changeQuiet(midnight, i, quietFrom("12:00", "13:00", true))
		d.wantWaits("it is not quiet any more", rest("fault 0 occurred 01:00", trying, "site a cert_will_expire 00:00", "site a down 00:00", "site b cert_will_expire 00:00")...)
		d.changeQuiet(midnight, i, quietFrom("22:00", "07:00", true))
		d.wantWaits("what is due stays due", rest("fault 0 occurred 01:00", trying, "site a cert_will_expire 00:00", "site a down 00:00", "site b cert_will_expire 00:00")...)

		d.Happen(midnight, storetest.About("fault 3", alerts.AlertOccurred)...)
		d.FanOut(midnight)
		d.changeQuiet(midnight, i, sett.Optional[alerts.QuietHoursChange]{Sent: true, Null: true})
		if lines := d.waits(); lines[len(lines)-1] != "fault 3 occurred 00:00" {
			t.Errorf("without quiet hours: %v", lines)
		}
		if got, err := s.Deliveries.IntegrationByID(t.Context(), d.ProjectID, i.ID); err != nil || got.QuietHours != nil {
			t.Errorf("it has %+v, %v", got.QuietHours, err)
		}
	})
}

// All deliveries that wait for the end of quiet hours count in one window of flood control. Urgent ones count in the windows of the
// night.
func TestFloodControlOfWhatWaits(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.quiet(d.WebHook(limited(3)), urgentNights())
		for n := range 9 { // an hour apart
			at := evening.Add(time.Duration(n) * time.Hour)
			d.Happen(at, storetest.About(alerts.FaultSubject(int64(n)), alerts.AlertOccurred)...)
			d.Happen(at, storetest.About(alerts.AlertSubject(fmt.Sprint("site ", n)), alerts.AlertDown)...)
			d.FanOut(at)
			if n := d.closeFloods(at.Add(alerts.FloodWindow)); n != 0 {
				t.Errorf("%v: %d summaries were sent at night", at, n)
			}
		}
		count := func(what string) int64 { return d.Numbers(`SELECT count(*) FROM deliveries WHERE `+what, 1)[0] }
		if due, held := count(`event = 'occurred' AND state = 'due'`), count(`event = 'occurred' AND state = 'held'`); due != 3 || held != 6 {
			t.Errorf("%d wait, %d are held", due, held)
		}
		if urgent := count(`event = 'down' AND state = 'due' AND quiet_until = 0`); urgent != 9 {
			t.Errorf("%d outages are due at once, want 9", urgent)
		}
		if late := count(`state = 'held' AND (due_at <> created_at OR done_at <> created_at OR quiet_until > 0)`); late != 0 {
			t.Errorf("%d that are held wait", late)
		}
		d.changeQuiet(midnight, i, quietFrom("22:00", "08:00", true))
		end := morning.Add(time.Hour)
		if n := d.closeFloods(end.Add(alerts.FloodWindow - time.Microsecond)); n != 0 {
			t.Errorf("%d summaries were sent before the window is over", n)
		}
		if n := d.closeFloods(end.Add(alerts.FloodWindow)); n != 1 {
			t.Errorf("%d summaries were sent, want 1", n)
		}
		if diff := cmp.Diff([]alerts.HeldFacts{{Count: 6, Limit: 3, Minutes: 10, Quiet: true}}, d.heldFacts()); diff != "" {
			t.Errorf("summaries (-want +got):\n%s", diff)
		}
		if n := d.Numbers(`SELECT count(*) FROM floods`, 1)[0]; n != 0 {
			t.Errorf("%d windows are left", n)
		}
	})
}

// The summary of a window that ends in quiet hours is sent when they end.
func TestTheSummaryOfAFloodWaitsForTheEndOfQuietHours(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.quiet(d.WebHook(limited(1)), urgentNights())
		at := evening.Add(-time.Minute)
		d.Happen(at, storetest.About("site a", alerts.AlertCertWillExpire)...)
		d.Happen(at, storetest.About("site b", alerts.AlertCertWillExpire)...)
		d.FanOut(at)
		if n := d.closeFloods(at.Add(alerts.FloodWindow)); n != 1 {
			t.Errorf("%d summaries were sent, want 1", n)
		}
		lines := d.waits()
		if want := fmt.Sprint(alerts.ProjectSubject(d.ProjectID), " flooded 07:00q"); lines[len(lines)-1] != want {
			t.Errorf("%v, want the last to be %s", lines, want)
		}
		if diff := cmp.Diff([]alerts.HeldFacts{{Count: 1, Limit: 1, Minutes: 10}}, d.heldFacts()); diff != "" {
			t.Errorf("summaries (-want +got):\n%s", diff)
		}
	})
}

// A clock that was far ahead leaves nothing that waits for its nights, and quiet hours of days are not taken for its doing.
func TestQuietHoursOfAClockThatIsSetBack(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.quiet(d.WebHook(), alerts.QuietHours{From: "00:00", To: "24:00", Days: []string{"fri", "sat", "sun", "mon", "tue"}})
		friday := time.Date(2026, 11, 20, 1, 0, 0, 0, time.UTC)
		for _, at := range []time.Time{friday, friday.AddDate(0, 0, 14)} {
			d.Happen(at, storetest.About("site a", alerts.AlertDown)...)
			d.FanOut(at)
		}
		if err := s.InTx(t.Context(), "set back", func(t *db.Tx) error { return t.ClockSetBack(d.T.Context(), friday) }); err != nil {
			t.Fatal(err)
		}
		d.wantWaits("set back", "site a down 00:00q", "site a down 01:00")
		if n := d.Numbers(`SELECT count(*) FROM deliveries WHERE quiet_until > 0`, 1)[0]; n != 1 {
			t.Errorf("%d know of quiet hours", n)
		}
		d.WantNext("set back", time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC))
	})
}

// The statements name the events as the rule does.
func TestUrgentEventsAreThoseOfTheRules(t *testing.T) {
	t.Parallel()
	var text string
	for i, e := range alerts.UrgentEvents() {
		text += map[bool]string{true: ", "}[i > 0] + "'" + string(e) + "'"
	}
	if text != deliverydb.Urgent {
		t.Errorf("urgent are %s, and to statements %s", text, deliverydb.Urgent)
	}
}

// The windows of flood control are kept as those of what does not wait.
func TestFloodsAreKeptByTheMigrationOfQuietHours(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Run(`DROP TABLE floods`)
		d.Run(`CREATE TABLE floods (receiver text PRIMARY KEY, project_id bigint NOT NULL, began_at bigint NOT NULL, sent bigint NOT NULL, held bigint NOT NULL)`)
		d.Run(`INSERT INTO floods (receiver, project_id, began_at, sent, held) VALUES ('integration 7', $1, 5, 3, 2)`, d.ProjectID)
		d.Run(`ALTER TABLE integrations DROP COLUMN quiet_hours`)
		d.Run(`ALTER TABLE deliveries DROP COLUMN quiet_until`)
		d.Run(`DELETE FROM goose_db_version WHERE version_id = 30`)
		if err := s.Apply(t.Context(), 30); err != nil {
			t.Fatal(err)
		}
		got := d.Numbers(`SELECT project_id, began_at, sent, held FROM floods WHERE receiver = 'integration 7' AND NOT quiet`, 4)
		if diff := cmp.Diff([]int64{d.ProjectID, 5, 3, 2}, got); diff != "" {
			t.Errorf("the window (-want +got):\n%s", diff)
		}
	})
}
