package deliverydb_test

import (
	"context"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/deliverydb"
	"sett/internal/store/storetest"
)

// ack acknowledges at a minute and returns the code of the error, "" for none.
func (d *desk) ack(at int, subject alerts.AlertSubject) sett.Code {
	d.T.Helper()
	a, err := d.Deliveries.Acknowledge(d.T.Context(), minute(at), d.ProjectID, d.UserID, subject, alerts.ByPage)
	if err == nil && (a.By == nil || a.By.ID != d.UserID || !a.At.Equal(minute(at))) {
		d.T.Errorf("acknowledged %+v", a)
	}
	return sett.CodeOf(err)
}

// wantAcknowledged checks what of some subjects is acknowledged, in the list and each alone.
func (d *desk) wantAcknowledged(when string, n int, subject alerts.AlertSubject, has bool) {
	d.T.Helper()
	listed, err := d.Deliveries.Acknowledgements(d.T.Context(), d.ProjectID)
	if err != nil || len(listed) != n {
		d.T.Errorf("%s: %d acknowledgements, %v; want %d", when, len(listed), err, n)
	}
	p, err := d.Deliveries.ProblemOf(d.T.Context(), d.ProjectID, subject)
	if err != nil || (p != nil && p.Acknowledgement != nil) != has {
		d.T.Errorf("%s: %+v, %v", when, p, err)
	}
	who, err := d.Deliveries.WhoLooks(d.T.Context(), d.ProjectID, []alerts.AlertSubject{subject, alerts.FaultSubject(0)})
	if err != nil || (who[subject] != "") != has || len(who) > 1 {
		d.T.Errorf("%s: %q look, %v", when, who, err)
	}
}

// An acknowledgement is of a problem while it lasts, and not of the next one of the same thing.
func TestAcknowledgementsEndWithTheirProblem(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, a, _ := maintained(t, s)
		site := alerts.SiteSubject(a.ID)
		if code := d.ack(1, site); code != sett.Conflict {
			t.Errorf("of a site that is up: %q", code)
		}
		d.checks(2, a, false)
		d.wantAcknowledged("before", 0, site, false)
		if code := d.ack(3, site); code != "" {
			t.Errorf("of a site that is down: %q", code)
		}
		d.wantAcknowledged("afterwards", 1, site, true)
		d.checks(4, a, true)
		d.wantAcknowledged("of the outage that ended", 0, site, false)
		d.checks(5, a, false)
		d.wantAcknowledged("in the next outage", 0, site, false)

		job := d.CheckIn(d.ProjectID, storetest.Hourly("backup"))
		d.PingAt(minute(0), job)
		d.SweepAll(minute(70), 10)
		missing := alerts.CheckInSubject(job.ID)
		if code := d.ack(71, missing); code != "" {
			t.Errorf("of a missing check-in: %q", code)
		}
		d.SweepAll(minute(140), 10) // it is missed again
		d.wantAcknowledged("while it is missing", 1, missing, true)
		d.PingAt(minute(141), job)
		d.wantAcknowledged("after it reported", 0, missing, false)

		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"))
		fault := alerts.FaultSubject(d.FaultID("A"))
		if code := d.ack(1, fault); code != "" {
			t.Errorf("of an error: %q", code)
		}
		d.wantAcknowledged("of an error", 1, fault, true)
		d.Update("A", faults.FaultChange{Resolved: sett.Some(true)})
		d.wantAcknowledged("of a resolved error", 0, fault, false)
		d.Record(minute(5), accounts.Limits{}, d.Report("A"))
		d.wantAcknowledged("of an error that occurs again", 0, fault, false)

		bell := d.Alarm(d.ProjectID)
		d.Run(`UPDATE alarms SET state = 'alarm', state_since = 5`)
		if code := d.ack(1, alerts.AlarmSubject(bell.ID)); code != "" {
			t.Errorf("of an alarm: %q", code)
		}
		d.wantAcknowledged("of an alarm", 1, alerts.AlarmSubject(bell.ID), true)
	})
}

// The link in a mail names its user and its alert, and is of no use to others, for other alerts, or once the problem ended.
func TestLinksThatAcknowledge(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, a, b := maintained(t, s)
		d.checks(1, a, false)
		d.checks(1, b, false)
		var key []byte
		err := s.Deliveries.InOwnTx(t.Context(), "make key", func(t deliverydb.Tx) (err error) {
			key, err = t.LinkKey(context.Background(), d.UserID, d.ProjectID)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		var ids [2]int64
		d.Scan(`SELECT min(id), max(id) FROM alerts`, nil, &ids[0], &ids[1])
		token := alerts.AcknowledgeToken(d.UserID, d.ProjectID, ids[0], key)
		for name, bad := range map[string]string{"": "", "another user": "99" + token[1:], "forged": token[:len(token)-1], "no MAC": token[:2]} {
			if _, err := s.Deliveries.AcknowledgeBy(t.Context(), minute(2), ids[0], bad); sett.CodeOf(err) != sett.NotFound {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := s.Deliveries.AcknowledgeBy(t.Context(), minute(2), ids[1], token); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("for another alert: %v", err)
		}
		d.wantAcknowledged("before", 0, alerts.SiteSubject(a.ID), false)
		if got, err := s.Deliveries.AcknowledgeBy(t.Context(), minute(2), ids[0], token); err != nil || got.Problem == nil || got.Problem.Acknowledgement == nil {
			t.Errorf("%+v, %v", got, err)
		}
		d.wantAcknowledged("afterwards", 1, alerts.SiteSubject(a.ID), true)
		d.checks(3, a, true)
		d.checks(4, a, false)
		if got, err := s.Deliveries.AcknowledgeBy(t.Context(), minute(5), ids[0], token); err != nil || got.Problem != nil {
			t.Errorf("for an outage that ended, while another lasts: %+v, %v", got.Problem, err)
		}
		d.wantAcknowledged("of the next outage", 0, alerts.SiteSubject(a.ID), false)
		d.Run(`DELETE FROM memberships`)
		if _, err := s.Deliveries.AcknowledgingBy(t.Context(), ids[0], token); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("of a user who may not see the project any more: %v", err)
		}
	})
}
