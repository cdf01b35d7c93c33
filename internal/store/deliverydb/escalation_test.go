package deliverydb_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// onCall is a project with a site that is up, a channel that gets everything, and one that only gets what is sent on, after ten minutes.
func onCall(t *testing.T, s *store.Store) (d *desk, site checks.Site, first, second alerts.Integration) {
	t.Helper()
	d = newDesk(t, s)
	first = d.WebHook()
	second = d.WebHook(func(i *alerts.Integration) { i.Events = nil })
	d.sendsOn(first, second.ID)
	d.Live(storetest.Noon, checks.Virginia)
	site = d.Site(d.ProjectID, storetest.Named("A"))
	d.checks(0, site, true)
	return d, site, first, second
}

// sendsOn sets where a channel sends on to after ten minutes; 0: nowhere.
func (d *desk) sendsOn(i alerts.Integration, to int64) {
	d.T.Helper()
	change := alerts.IntegrationChange{Escalation: sett.Optional[alerts.EscalationChange]{Sent: true, Null: true}}
	if to > 0 {
		change.Escalation = sett.Some(alerts.EscalationChange{ChannelID: sett.Some(to), Minutes: sett.Some(int64(10))})
	}
	if err := d.Deliveries.UpdateIntegration(d.T.Context(), storetest.Noon, i.ProjectID, i.ID, channel.Rules(), change); err != nil {
		d.T.Fatal(err)
	}
}

// gets runs the loops at a minute and returns what is sent to whom, as "2 down, sent on".
func (d *desk) gets(at int, state alerts.DeliveryState) (sent []string) {
	d.T.Helper()
	d.FanOut(minute(at))
	if err := d.Deliveries.SettleMaintenance(d.T.Context(), minute(at)); err != nil {
		d.T.Fatal(err)
	}
	d.FanOut(minute(at))
	if _, err := d.Deliveries.Escalate(d.T.Context(), minute(at)); err != nil {
		d.T.Fatal(err)
	}
	d.FanOut(minute(at))
	claimed := d.ClaimAll(minute(at))
	d.Settled(minute(at), state, minute(at), claimed...)
	for _, c := range claimed {
		text := fmt.Sprint(c.IntegrationID, " ", c.Event)
		if e := c.Alert.Facts.Escalation; e != nil {
			text += fmt.Sprintf(", %s in %s", e.Why(), e.From)
		}
		sent = append(sent, text)
	}
	return sent
}

func (d *desk) wantGets(when string, at int, want ...string) {
	d.T.Helper()
	if diff := cmp.Diff(want, d.gets(at, alerts.DeliverySent)); diff != "" {
		d.T.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

// An alert is sent on once while its problem lasts and no person looks at it, and who got it gets the end.
func TestEscalation(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, site, first, second := onCall(t, s)
		down, sentOn, up := fmt.Sprint(first.ID, " down"), fmt.Sprint(second.ID, " down, not acknowledged for 10 minutes in WebHook"), fmt.Sprint(first.ID, " up")
		upToo := fmt.Sprint(second.ID, " up")
		d.checks(1, site, false)
		d.wantGets("at first", 1, down)
		d.wantGets("before the time", 10)
		d.wantGets("at the time", 11, sentOn)
		d.wantGets("later", 40)
		d.checks(41, site, true)
		d.wantGets("the end", 41, up, upToo)

		d.checks(50, site, false)
		d.wantGets("of another outage", 50, down)
		d.checks(55, site, true)
		d.wantGets("that ends in time", 55, up)
		d.wantGets("of which no more is heard", 70)

		d.checks(80, site, false)
		d.wantGets("of a third one", 80, down)
		if code := d.ack(81, alerts.SiteSubject(site.ID)); code != "" {
			t.Fatal(code)
		}
		d.wantGets("that is acknowledged", 95)
		listed, err := d.Deliveries.Acknowledgements(t.Context(), d.ProjectID)
		if err != nil || len(listed) != 1 {
			t.Fatal(listed, err)
		}
		if _, err := d.Deliveries.Unacknowledge(t.Context(), d.ProjectID, listed[0].ID); err != nil {
			t.Fatal(err)
		}
		d.wantGets("after that is taken back", 97, sentOn)
		d.checks(98, site, true)
		d.wantGets("the end of the third", 98, up, upToo)
	})
}

// What could not be delivered at all is sent on as well, and what waits for the end of maintenance only then.
func TestEscalationOfWhatFailed(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, site, first, second := onCall(t, s)
		sentOn := fmt.Sprint(second.ID, " down, not acknowledged for 10 minutes in WebHook")
		d.checks(1, site, false)
		if got := d.gets(1, alerts.DeliveryFailed); len(got) != 1 {
			t.Fatal(got)
		}
		d.window(minute(5), 5, 30)
		d.wantGets("in maintenance", 20)
		d.wantGets("after it", 31, sentOn)
		d.sendsOn(second, first.ID)
		d.checks(32, site, true)
		d.wantGets("the end", 32, fmt.Sprint(first.ID, " up"), fmt.Sprint(second.ID, " up"))
		d.checks(33, site, false)
		d.wantGets("of a pair that send to each other", 33, fmt.Sprint(first.ID, " down"))
		d.wantGets("once", 43, sentOn)
		d.wantGets("back", 53, fmt.Sprint(first.ID, " down, not acknowledged for 10 minutes in WebHook"))
		d.wantGets("and no more", 90)
	})
}

// An error that spikes again is sent on again, and not while it is paused.
func TestEscalationOfErrors(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, _, first, second := onCall(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
		d.gets(0, alerts.DeliverySent)
		spike := func(at int) {
			t.Helper()
			a := d.About("A", alerts.AlertVolumeSpike, alerts.AlertFacts{Spike: &alerts.SpikeFacts{}})
			a.At, a.CreatedAt = minute(at), minute(at)
			d.Happen(minute(at), a)
			d.wantGets("a spike", at, fmt.Sprint(first.ID, " volume_spike"))
		}
		sentOn := fmt.Sprint(second.ID, " volume_spike, not acknowledged for 10 minutes in WebHook")
		spike(1)
		d.wantGets("at the time", 11, sentOn)
		spike(30)
		d.wantGets("again", 40, sentOn)
		spike(50)
		d.Update("A", faults.FaultChange{Ignored: sett.Some(true)})
		d.wantGets("of an ignored one", 65)
	})
}

// Several nodes that look at the same time send one message, and a node that is started anew finds what waits.
func TestEscalationByOneNode(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, site, _, _ := onCall(t, s)
		d.checks(1, site, false)
		d.gets(1, alerts.DeliverySent)
		var sent atomic.Int64
		node := func() error {
			n, err := s.Deliveries.Escalate(t.Context(), minute(12))
			sent.Add(int64(n))
			return err
		}
		if d.SQLite() { // one process writes its file
			for range 2 {
				if err := node(); err != nil {
					t.Error(err)
				}
			}
		} else {
			d.RowHeld(`UPDATE escalations SET due_at = due_at WHERE sent_at = $1`, 0, node, node)
		}
		if sent.Load() != 1 {
			t.Errorf("%d were sent", sent.Load())
		}
	})
}

// Who has quiet hours is not notified before they end, and has the time after that.
func TestEscalationAfterQuietHours(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, site, first, second := onCall(t, s)
		quiet := alerts.QuietHoursChange{From: sett.Some("12:00"), To: sett.Some("12:30"), Urgent: sett.Some(sett.LenientBool(false))}
		if err := d.Deliveries.UpdateIntegration(t.Context(), storetest.Noon, first.ProjectID, first.ID, channel.Rules(), alerts.IntegrationChange{QuietHours: sett.Some(quiet)}); err != nil {
			t.Fatal(err)
		}
		d.checks(1, site, false)
		d.wantGets("in quiet hours", 29)
		d.wantGets("at their end", 30, fmt.Sprint(first.ID, " down"))
		d.wantGets("at the time", 40, fmt.Sprint(second.ID, " down, not acknowledged for 10 minutes in WebHook"))
	})
}

func TestEscalationNeedsAnotherChannel(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, _, first, _ := onCall(t, s)
		for _, id := range []int64{first.ID, 999} {
			change := alerts.IntegrationChange{Escalation: sett.Some(alerts.EscalationChange{ChannelID: sett.Some(id), Minutes: sett.Some(int64(10))})}
			if err := d.Deliveries.UpdateIntegration(t.Context(), storetest.Noon, first.ProjectID, first.ID, channel.Rules(), change); sett.CodeOf(err) != sett.Invalid {
				t.Errorf("%d: %v", id, err)
			}
		}
		d.sendsOn(first, 0)
		if i, err := d.Deliveries.IntegrationByID(t.Context(), first.ProjectID, first.ID); err != nil || i.Escalation != nil {
			t.Error(i.Escalation, err)
		}
	})
}
