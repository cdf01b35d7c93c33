package deliverydb_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/deliverydb"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// digestsDue lists the personal digests that are due as "<user> <interval> <from> <to>".
func (d *desk) digestsDue(now time.Time) (found []alerts.DueDigest, lines []string) {
	d.T.Helper()
	found, err := d.Deliveries.DueDigests(d.T.Context(), now, alerts.DueDigest{}, 10)
	if err != nil {
		d.T.Fatal(err)
	}
	for _, f := range found {
		lines = append(lines, fmt.Sprint(f.User.Name, " ", f.Interval, " ", f.From().Format("01-02T15"), " ", f.To.Format("01-02T15")))
	}
	return found, lines
}

// noon is a Wednesday.
func TestDueDigests(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		mia := d.User("Mia", accounts.Member)
		d.Team(d.ProjectID, mia)
		d.wants(d.UserID, alerts.PersonalAlertsChange{Digest: sett.Some("daily")})
		d.wants(mia, alerts.PersonalAlertsChange{Digest: sett.Some("weekly")})
		eight := time.Date(2026, 11, 19, 8, 0, 0, 0, time.UTC)
		check := func(name string, at time.Time, want ...string) []alerts.DueDigest {
			t.Helper()
			found, lines := d.digestsDue(at)
			if diff := cmp.Diff(want, lines); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			return found
		}
		check("at once", storetest.Noon)
		check("just before all of it is counted", eight.Add(deliverydb.DigestsWait-time.Microsecond))
		eight = eight.Add(deliverydb.DigestsWait)
		first := check("at eight", eight, "Olga daily 11-18T08 11-19T08")
		check("on Monday", eight.AddDate(0, 0, 4), "Olga daily 11-18T08 11-23T08", "Mia weekly 11-16T08 11-23T08")
		check("after a month", eight.AddDate(0, 0, 28), "Olga daily 12-10T08 12-17T08", "Mia weekly 12-07T08 12-14T08")

		up := alerts.PersonalAlertsChange{Events: sett.Some([]string{"up"})}
		if err := s.Deliveries.UpdatePersonalAlerts(t.Context(), eight.AddDate(0, 0, 4), mia, d.ProjectID, up); err != nil {
			t.Fatal(err)
		}
		token, err := s.Deliveries.UnsubscribeToken(t.Context(), d.UserID, d.ProjectID)
		if err != nil {
			t.Fatal(err)
		}
		check("on Monday, after a change of other fields", eight.AddDate(0, 0, 4), "Olga daily 11-18T08 11-23T08", "Mia weekly 11-16T08 11-23T08")
		digest := alerts.PersonalDigest{Deploys: alerts.DigestPart[alerts.DigestDeploy]{Count: 1}}
		var nodes sync.WaitGroup
		for range 4 {
			nodes.Go(func() {
				if err := s.Deliveries.QueueDigest(t.Context(), eight, first[0], digest); err != nil {
					t.Error(err)
				}
			})
		}
		nodes.Wait()
		check("once it is queued", eight.Add(23*time.Hour))
		if n := d.Numbers(`SELECT count(*) FROM mails WHERE kind = 'personal_digest' AND recipient = 'owner@example.test'`, 1)[0]; n != 1 {
			t.Errorf("%d mails, want 1", n)
		}
		if mails := storetest.TakeMails(t, s, eight); len(mails) != 1 || mails[0].Fields["token"] != token {
			t.Errorf("the mails are %+v; want one with the token %s", mails, token)
		}
		next := check("the day after", eight.AddDate(0, 0, 1), "Olga daily 11-19T08 11-20T08")
		if err := s.Deliveries.QueueDigest(t.Context(), eight, next[0], alerts.PersonalDigest{}); err != nil {
			t.Fatal(err)
		}
		check("after an empty digest", eight.AddDate(0, 0, 1))
		if n := d.Numbers(`SELECT count(*) FROM mails`, 1)[0]; n != 0 {
			t.Errorf("%d mails, want 0", n)
		}
		d.Run(`DELETE FROM team_members`)
		d.wants(d.UserID, alerts.PersonalAlertsChange{Digest: sett.Some("off")})
		check("without recipients", eight.AddDate(0, 1, 0))
	})
}

// A digest is due at eight where its user is, however many are asked for at once that are not yet due.
func TestDigestsAreDueWhereTheirUsersAre(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		mia := d.User("Mia", accounts.Member)
		d.Team(d.ProjectID, mia)
		d.Run(`UPDATE users SET browser_zone = 'Europe/Berlin' WHERE name = 'Mia'`)
		d.wants(d.UserID, alerts.PersonalAlertsChange{Digest: sett.Some("daily")})
		d.wants(mia, alerts.PersonalAlertsChange{Digest: sett.Some("daily")})
		seven := time.Date(2026, 11, 19, 7, 0, 0, 0, time.UTC).Add(deliverydb.DigestsWait)
		due, err := s.Deliveries.DueDigests(t.Context(), seven, alerts.DueDigest{}, 1)
		if err != nil || len(due) != 1 || due[0].User.ID != mia {
			t.Errorf("%+v are due, %v; want that of Mia", due, err)
		}
		if _, lines := d.digestsDue(seven); !cmp.Equal(lines, []string{"Mia daily 11-18T07 11-19T07"}) {
			t.Errorf("%q are due", lines)
		}
	})
}

func TestReadDigest(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		to := storetest.Noon.Add(-4 * time.Hour)
		from := to.Add(-24 * time.Hour)
		staging := func(r *faults.Report) { r.Environment = "staging" }
		some := func(class string, n int, change ...func(*faults.Report)) (reports []*faultdb.Packed) {
			for range n {
				reports = append(reports, d.Report(class, change...))
			}
			return reports
		}
		other := d.Project("Other")
		d.Record(from.Add(-time.Hour), accounts.Limits{}, append(some("Old", 3), some("Fixed", 1)...)...)
		d.Record(from, accounts.Limits{}, append(append(some("Old", 4), some("New", 2)...), some("Muted", 9, staging)...)...)
		d.Record(from, accounts.Limits{}, d.Report("Theirs", func(r *faults.Report) { r.ProjectID = other.ID }))
		d.Record(to.Add(-time.Minute), accounts.Limits{}, append(some("Ignored", 5), some("New", 1)...)...)
		d.Record(to, accounts.Limits{}, append(some("Late", 7), some("Old", 1)...)...)
		d.Run(`UPDATE environments SET notifications = false WHERE name = 'staging'`)
		d.Run(`UPDATE faults SET ignored = true WHERE class = 'Ignored'`)
		for _, at := range []time.Time{from.Add(time.Hour), to} {
			class := map[bool]string{true: "Fixed", false: "Late"}[at.Before(to)]
			if err := s.Faults.UpdateFault(t.Context(), at, d.UserID, d.ProjectID, d.FaultID(class), faults.FaultChange{Resolved: sett.Some(true)}); err != nil {
				t.Fatal(err)
			}
		}
		for n := range 7 {
			_, err := s.Faults.RecordDeploy(t.Context(), from.Add(time.Duration(n-1)*time.Hour), d.ProjectID, faults.Deploy{Environment: "production", Revision: fmt.Sprint("r", n), LocalUsername: "josh"})
			if err != nil {
				t.Fatal(err)
			}
		}
		site, err := s.Uptime.CreateSite(t.Context(), from, d.ProjectID, checks.SiteChange{Name: sett.Some("Front"), URL: sett.Some("https://shop.test/")})
		_, failed := s.Uptime.CreateCheckIn(t.Context(), from, d.ProjectID, checks.CheckInChange{Slug: sett.Some("backup"), ReportPeriod: sett.Some(checks.PeriodText("1 day"))})
		if err := errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		for _, o := range [][2]time.Time{{from.Add(-time.Hour), from.Add(-time.Minute)}, {from.Add(-time.Minute), from}, {from.Add(time.Hour), from.Add(2 * time.Hour)}, {to.Add(-time.Hour), to.Add(time.Hour)}, {to.Add(-time.Minute), {}}, {to, to.Add(time.Hour)}} {
			d.Run(`INSERT INTO outages (site_id, down_at, up_at, created_at, status, reason, headers, location, phase, body) SELECT s.id, $1, $2, $1, 503, 'no', 'null', '', '', '' FROM sites s`, db.Micros(o[0]), db.Micros(o[1]))
		}
		for _, at := range []time.Time{from.Add(-1), from, to.Add(-time.Hour), to} {
			d.Run(`INSERT INTO check_in_events (check_in, kind, at, payload) SELECT number, 'missing', $1, '' FROM check_ins`, db.Micros(at))
			for _, text := range []string{`{}`, `{"status":"error"}`, `{"exit_code":3}`, `{"status":"success","exit_code":0}`, `{"exit_code":0,"stdout":"\"exit_code\":1"}`, `{"status":"success","stderr":",\"exit_code\":1"}`} {
				payload := checks.ParsePing(fmt.Appendf(nil, `{"check_in":%s}`, text))
				stored, err := json.Marshal(payload)
				if err != nil {
					t.Fatal(err)
				}
				d.Run(`INSERT INTO check_in_events (check_in, kind, at, payload) SELECT number, 'reported', $1, $2 FROM check_ins`, db.Micros(at), strings.TrimPrefix(string(stored), "null"))
			}
		}
		got, err := s.Deliveries.ReadDigest(t.Context(), d.ProjectID, from, to)
		if err != nil {
			t.Fatal(err)
		}
		fault := func(class string, notices int64) alerts.DigestFault {
			return alerts.DigestFault{ID: d.FaultID(class), Class: class, Message: class + " happened", Environment: "production", Notices: notices}
		}
		want := alerts.PersonalDigest{
			From: from, To: to,
			New:      alerts.DigestPart[alerts.DigestFault]{Count: 1, Rows: []alerts.DigestFault{fault("New", 3)}},
			Frequent: alerts.DigestPart[alerts.DigestFault]{Count: 2, Rows: []alerts.DigestFault{fault("Old", 4), fault("New", 3)}},
			Resolved: alerts.DigestPart[alerts.DigestFault]{Count: 1, Rows: []alerts.DigestFault{fault("Fixed", 0)}},
			Outages: alerts.DigestPart[alerts.DigestOutage]{Count: 4, Rows: []alerts.DigestOutage{
				{SiteID: site.ID.String(), Site: "Front", DownAt: to.Add(-time.Minute), Reason: "no"},
				{SiteID: site.ID.String(), Site: "Front", DownAt: to.Add(-time.Hour), Reason: "no"},
				{SiteID: site.ID.String(), Site: "Front", DownAt: from.Add(time.Hour), UpAt: from.Add(2 * time.Hour), Reason: "no"},
				{SiteID: site.ID.String(), Site: "Front", DownAt: from.Add(-time.Minute), UpAt: from, Reason: "no"},
			}},
			Missed: alerts.DigestPart[alerts.DigestMiss]{Count: 1, Rows: []alerts.DigestMiss{{CheckIn: "backup", Count: 2, Failed: 4}}},
		}
		want.Missed.Rows[0].CheckInID = got.Missed.Rows[0].CheckInID
		want.Deploys.Count = 6
		for n := 6; n > 1; n-- {
			want.Deploys.Rows = append(want.Deploys.Rows, alerts.DigestDeploy{Environment: "production", Revision: fmt.Sprint("r", n), By: "josh", At: from.Add(time.Duration(n-1) * time.Hour)})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("digest (-want +got):\n%s", diff)
		}
		if text, err := json.Marshal(got); err != nil || len(text) < 100 {
			t.Errorf("%s, %v", text, err)
		}
		if quiet, err := s.Deliveries.ReadDigest(t.Context(), other.ID, to, storetest.Noon); err != nil || !quiet.Empty() {
			t.Errorf("a quiet project has %+v, %v", quiet, err)
		}
	})
}
