package faultdb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

func (d *desk) olga() *sett.Person {
	return &sett.Person{ID: d.UserID, Email: "owner@example.test", Name: "Olga"}
}

func TestChangesOfFaultsRaiseAlerts(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E", func(r *faults.Report) { r.Environment = "staging" }))
		d.Raised()
		yes, no, unassign := sett.Some(true), sett.Some(false), sett.Optional[int64]{Sent: true, Null: true}
		about := func(event alerts.AlertEvent) alerts.Alert {
			return d.About("E", event, alerts.AlertFacts{Actor: d.olga()})
		}
		mia := d.User("Mia", accounts.Admin)
		assigned := func(user int64, name string) alerts.Alert {
			assignee := &sett.Person{ID: user, Email: name + "@example.test", Name: name}
			return d.About("E", alerts.AlertAssigned, alerts.AlertFacts{Actor: d.olga(), Assignee: assignee})
		}
		for _, c := range []struct {
			name   string
			change faults.FaultChange
			want   []alerts.Alert
		}{
			{"nothing", faults.FaultChange{}, nil},
			{"resolved", faults.FaultChange{Resolved: yes}, []alerts.Alert{about(alerts.AlertResolved)}},
			{"resolved again", faults.FaultChange{Resolved: yes}, nil},
			{"unresolved", faults.FaultChange{Resolved: no}, []alerts.Alert{about(alerts.AlertUnresolved)}},
			{"unresolved again", faults.FaultChange{Resolved: no}, nil},
			{"ignored", faults.FaultChange{Ignored: yes}, nil},
			{"no longer ignored", faults.FaultChange{Ignored: no}, nil},
			{"to be resolved on deploy", faults.FaultChange{ResolveOnDeploy: yes}, nil},
			{"assigned", faults.FaultChange{AssigneeID: sett.Some(mia)}, []alerts.Alert{assigned(mia, "Mia")}},
			{"assigned again", faults.FaultChange{AssigneeID: sett.Some(mia)}, nil},
			{"unassigned", faults.FaultChange{AssigneeID: unassign}, nil},
			{"both", faults.FaultChange{Resolved: yes, AssigneeID: sett.Some(mia)}, []alerts.Alert{about(alerts.AlertResolved), assigned(mia, "Mia")}},
		} {
			d.Update("E", c.change)
			d.WantRaised(c.name, c.want...)
		}
		d.Pause("E", faults.Pause{Time: sett.Some("day")})
		if err := d.Faults.UnpauseFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID("E")); err != nil {
			t.Fatal(err)
		}
		if err := d.Faults.UpdateFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID("E"), faults.FaultChange{Resolved: no, AssigneeID: sett.Some[int64](999)}); err == nil {
			t.Error("assigned to a user who does not exist")
		}
		d.WantRaised("paused, and a change that is refused")
	})
}

func TestFaultsThatAreResolvedTogetherShareAnAlert(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		staging := func(r *faults.Report) { r.Environment = "staging" }
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"), d.Report("C", staging), d.Report("Resolved"))
		d.Update("Resolved", faults.FaultChange{Resolved: sett.Some(true)})
		d.Raised()
		resolve := func(query string) {
			t.Helper()
			search, err := sett.ParseSearch(query, storetest.Noon)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.Search.ResolveFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, searchdb.Filter{Search: search}); err != nil {
				t.Fatal(err)
			}
		}
		resolve("environment:staging")
		d.WantRaised("a single one", d.About("C", alerts.AlertResolved, alerts.AlertFacts{Actor: d.olga()}))
		resolve("environment:production")
		want := alerts.Alert{
			ProjectID: d.ProjectID, Event: alerts.AlertResolved, Subject: alerts.ProjectSubject(d.ProjectID), Environment: "production", At: storetest.Noon, CreatedAt: storetest.Noon,
			Facts: alerts.AlertFacts{Actor: d.olga(), FaultIDs: []int64{d.FaultID("A"), d.FaultID("B")}},
		}
		d.WantRaised("some", want)
		resolve("")
		d.WantRaised("none is left")
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("C", staging))
		d.Raised()
		resolve("")
		facts := alerts.AlertFacts{Actor: d.olga()}
		d.WantRaised("of two environments", d.About("A", alerts.AlertResolved, facts), d.About("C", alerts.AlertResolved, facts))
	})
}

func TestCommentsRaiseAlerts(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		mia, outside := d.User("Mia", accounts.Member), d.User("Otto", accounts.Member)
		d.Team(d.ProjectID, mia)
		d.Raised()
		written := func(c faults.Comment, mentioned ...int64) alerts.Alert {
			return d.About("E", alerts.AlertCommented, alerts.AlertFacts{
				Actor: d.olga(), Comment: &alerts.CommentFacts{ID: c.ID, Body: c.Body, CreatedAt: storetest.Noon}, Mentioned: mentioned,
			})
		}
		plain := d.Comment(d.UserID, "E", "Is it the cache?")
		d.WantRaised("a comment", written(plain))
		naming := d.Comment(d.UserID, "E", "@mia, @otto, @olga: it is; ask owner@example.test")
		d.WantRaised("names", written(naming, mia)) // who writes names themselves in vain
		if err := d.Faults.UpdateComment(t.Context(), d.UserID, d.ProjectID, d.FaultID("E"), naming.ID, faults.CommentChange{Body: sett.Some("@mia")}); err != nil {
			t.Fatal(err)
		}
		d.WantRaised("changed")
		if outside == mia {
			t.Error("the test needs a user who cannot see the project")
		}
	})
}

func TestDeploysRaiseAlerts(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		tracker := d.WebHook(func(i *alerts.Integration) { i.Type = "Github" }).ID
		if err := d.Accounts.UpdateProject(t.Context(), d.ProjectID, accounts.ProjectChange{ResolveErrorsOnDeploy: sett.Some(true)}); err != nil {
			t.Fatal(err)
		}
		occur := func(linked ...string) {
			d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"), d.Report("C"))
			for _, class := range linked {
				if err := d.Faults.LinkFault(t.Context(), storetest.Noon, d.ProjectID, d.FaultID(class), tracker, triage.LinkData{"number": []byte("1")}); err != nil {
					t.Fatal(err)
				}
			}
			d.Raised()
		}
		deployed := func(id int64, environment string, at time.Time) alerts.Alert {
			return alerts.Alert{
				ProjectID: d.ProjectID, Event: alerts.AlertDeployed, Subject: alerts.DeploySubject(id), Environment: environment, At: at, CreatedAt: storetest.Noon,
				Facts: alerts.AlertFacts{DeployID: id},
			}
		}
		closed := func(class string, deploy int64) alerts.Alert {
			a := d.About(class, alerts.AlertIssueClose, alerts.AlertFacts{DeployID: deploy})
			a.IntegrationID = tracker
			return a
		}
		occur()
		early := storetest.Noon.Add(-time.Hour)
		d.WantRaised("nothing is linked", deployed(d.Deploy(storetest.Noon, faults.Deploy{Environment: "production", CreatedAt: early}), "production", early))
		occur("A")
		d.WantRaised("another environment", deployed(d.Deploy(storetest.Noon, faults.Deploy{Environment: "staging"}), "staging", storetest.Noon))
		id := d.Deploy(storetest.Noon, faults.Deploy{})
		d.WantRaised("one is linked", deployed(id, "", storetest.Noon), closed("A", id))
		occur("B")
		id = d.Deploy(storetest.Noon, faults.Deploy{})
		d.WantRaised("two are", deployed(id, "", storetest.Noon), closed("A", id), closed("B", id))
		d.Run(`UPDATE integrations SET events = '["occurred"]'`)
		occur()
		id = d.Deploy(storetest.Noon, faults.Deploy{})
		d.WantRaised("no receiver selects it", deployed(id, "", storetest.Noon))
	})
}

// Faults that are resolved at once are one alert, and their issues are closed each by itself.
func TestIssuesOfFaultsThatAreResolvedAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		tracker := d.WebHook(func(i *alerts.Integration) { i.Type = "Github" }).ID
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"))
		if err := d.Faults.LinkFault(t.Context(), storetest.Noon, d.ProjectID, d.FaultID("B"), tracker, triage.LinkData{"number": []byte("1")}); err != nil {
			t.Fatal(err)
		}
		d.Raised()
		if _, err := d.Search.ResolveFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, searchdb.Filter{}); err != nil {
			t.Fatal(err)
		}
		closing := d.About("B", alerts.AlertIssueClose, alerts.AlertFacts{Actor: d.olga()})
		closing.IntegrationID = tracker
		d.WantRaised("one is linked", alerts.Alert{
			ProjectID: d.ProjectID, Event: alerts.AlertResolved, Subject: alerts.ProjectSubject(d.ProjectID), Environment: "production", At: storetest.Noon, CreatedAt: storetest.Noon,
			Facts: alerts.AlertFacts{Actor: d.olga(), FaultIDs: []int64{d.FaultID("A"), d.FaultID("B")}},
		}, closing)
	})
}

// An on-call service closes an alert only by the subject that opened it. So it gets an alert for each fault that was resolved with others or by a
// deploy, if there was trouble with it.
func TestPagesOfFaultsThatAreResolvedAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		pager := d.WebHook(func(i *alerts.Integration) { i.Type = "PagerDutyV2" }).ID
		d.WebHook()
		d.WebHook(func(i *alerts.Integration) { i.Type, i.Active = "Opsgenie", false })
		d.WebHook(func(i *alerts.Integration) { i.Type, i.Events = "JSM", []alerts.AlertEvent{alerts.AlertOccurred} })
		staging := func(r *faults.Report) { r.Environment = "staging" }
		occur := func() {
			d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"), d.Report("Quiet"), d.Report("C", staging))
			if _, err := d.Deliveries.FanOutAlerts(t.Context(), storetest.Noon, 100, true); err != nil {
				t.Fatal(err)
			}
			d.Raised()
			d.Run(`UPDATE deliveries SET state = 'held' WHERE subject = $1`, string(alerts.FaultSubject(d.FaultID("Quiet")))) // by flood control: it opened nothing
		}
		closed := func(class string, facts alerts.AlertFacts) alerts.Alert {
			a := d.About(class, alerts.AlertResolved, facts)
			a.IntegrationID = pager
			return a
		}
		occur()
		if _, err := d.Search.ResolveFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, searchdb.Filter{}); err != nil {
			t.Fatal(err)
		}
		by := alerts.AlertFacts{Actor: d.olga()}
		d.WantRaised("by a user", alerts.Alert{
			ProjectID: d.ProjectID, Event: alerts.AlertResolved, Subject: alerts.ProjectSubject(d.ProjectID), Environment: "production", At: storetest.Noon, CreatedAt: storetest.Noon,
			Facts: alerts.AlertFacts{Actor: d.olga(), FaultIDs: []int64{d.FaultID("A"), d.FaultID("B"), d.FaultID("Quiet")}},
		}, d.About("C", alerts.AlertResolved, by), closed("A", by), closed("B", by))
		occur()
		d.Run(`UPDATE projects SET resolve_errors_on_deploy = true`)
		deploy := alerts.AlertFacts{DeployID: d.Deploy(storetest.Noon, faults.Deploy{Environment: "production"})}
		raised := d.Raised()
		if diff := cmp.Diff([]alerts.Alert{closed("A", deploy), closed("B", deploy)}, raised[1:]); diff != "" || raised[0].Event != alerts.AlertDeployed {
			t.Errorf("by a deploy: %v (-want +got):\n%s", raised[0].Event, diff)
		}
		occur()
		d.Deploy(storetest.Noon, faults.Deploy{Environment: "production"})
		if _, err := d.Deliveries.FanOutAlerts(t.Context(), storetest.Noon, 100, true); err != nil {
			t.Fatal(err)
		}
		var subjects, others int
		d.Scan(`SELECT count(*) FROM deliveries WHERE event = 'resolved' AND integration_id = $1 AND subject IN ($2, $3)`,
			[]any{pager, string(alerts.FaultSubject(d.FaultID("A"))), string(alerts.FaultSubject(d.FaultID("B")))}, &subjects)
		if d.Scan(`SELECT count(*) FROM deliveries WHERE event = 'resolved'`, nil, &others); subjects != 2 || others != 2 {
			t.Errorf("%d of %d deliveries close pages, want 2 of 2", subjects, others)
		}
	})
}
