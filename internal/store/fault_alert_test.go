package store

import (
	"testing"
	"time"

	"sett/internal/sett"
)

func (d *desk) olga() *sett.Person {
	return &sett.Person{ID: d.UserID, Email: "owner@example.test", Name: "Olga"}
}

func TestChangesOfFaultsAreTold(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.record(noon, sett.Limits{}, d.report("E", func(r *sett.Report) { r.Environment = "staging" }))
		d.raised()
		yes, no, nobody := sett.Some(true), sett.Some(false), sett.Optional[int64]{Sent: true, Null: true}
		told := func(event sett.AlertEvent) sett.Alert { return d.about("E", event, sett.AlertFacts{Actor: d.olga()}) }
		mia := d.user("Mia", sett.Admin)
		assigned := func(user int64, name string) sett.Alert {
			assignee := &sett.Person{ID: user, Email: name + "@example.test", Name: name}
			return d.about("E", sett.AlertAssigned, sett.AlertFacts{Actor: d.olga(), Assignee: assignee})
		}
		for _, c := range []struct {
			name   string
			change sett.FaultChange
			want   []sett.Alert
		}{
			{"nothing", sett.FaultChange{}, nil},
			{"resolved", sett.FaultChange{Resolved: yes}, []sett.Alert{told(sett.AlertResolved)}},
			{"resolved again", sett.FaultChange{Resolved: yes}, nil},
			{"unresolved", sett.FaultChange{Resolved: no}, []sett.Alert{told(sett.AlertUnresolved)}},
			{"unresolved again", sett.FaultChange{Resolved: no}, nil},
			{"ignored", sett.FaultChange{Ignored: yes}, nil},
			{"no longer ignored", sett.FaultChange{Ignored: no}, nil},
			{"to be resolved on deploy", sett.FaultChange{ResolveOnDeploy: yes}, nil},
			{"assigned", sett.FaultChange{AssigneeID: sett.Some(mia)}, []sett.Alert{assigned(mia, "Mia")}},
			{"assigned again", sett.FaultChange{AssigneeID: sett.Some(mia)}, nil},
			{"assigned to nobody", sett.FaultChange{AssigneeID: nobody}, nil},
			{"both", sett.FaultChange{Resolved: yes, AssigneeID: sett.Some(mia)}, []sett.Alert{told(sett.AlertResolved), assigned(mia, "Mia")}},
		} {
			d.update("E", c.change)
			d.wantRaised(c.name, c.want...)
		}
		d.pause("E", sett.Pause{Time: sett.Some("day")})
		if err := d.UnpauseFault(t.Context(), noon, d.UserID, d.ProjectID, d.faultID("E")); err != nil {
			t.Fatal(err)
		}
		if err := d.UpdateFault(t.Context(), noon, d.UserID, d.ProjectID, d.faultID("E"), sett.FaultChange{Resolved: no, AssigneeID: sett.Some[int64](999)}); err == nil {
			t.Error("assigned to nobody there is")
		}
		d.wantRaised("paused, and a change that is refused")
	})
}

func TestFaultsThatAreResolvedTogetherAreToldTogether(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		staging := func(r *sett.Report) { r.Environment = "staging" }
		d.record(noon, sett.Limits{}, d.report("A"), d.report("B"), d.report("C", staging), d.report("Resolved"))
		d.update("Resolved", sett.FaultChange{Resolved: sett.Some(true)})
		d.raised()
		resolve := func(query string) {
			t.Helper()
			search, err := sett.ParseSearch(query, noon)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.ResolveFaults(t.Context(), noon, d.UserID, d.ProjectID, FaultFilter{Search: search}); err != nil {
				t.Fatal(err)
			}
		}
		resolve("environment:staging")
		d.wantRaised("a single one", d.about("C", sett.AlertResolved, sett.AlertFacts{Actor: d.olga()}))
		resolve("environment:production")
		want := sett.Alert{
			ProjectID: d.ProjectID, Event: sett.AlertResolved, Subject: sett.ProjectSubject(d.ProjectID), Environment: "production", At: noon, CreatedAt: noon,
			Facts: sett.AlertFacts{Actor: d.olga(), FaultIDs: []int64{d.faultID("A"), d.faultID("B")}},
		}
		d.wantRaised("some", want)
		resolve("")
		d.wantRaised("none is left")
		d.record(noon, sett.Limits{}, d.report("A"), d.report("C", staging))
		d.raised()
		resolve("")
		facts := sett.AlertFacts{Actor: d.olga()}
		d.wantRaised("of two environments", d.about("A", sett.AlertResolved, facts), d.about("C", sett.AlertResolved, facts))
	})
}

func TestCommentsAreTold(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.record(noon, sett.Limits{}, d.report("E"))
		mia, outside := d.user("Mia", sett.Member), d.user("Otto", sett.Member)
		d.team(d.ProjectID, mia)
		d.raised()
		written := func(c sett.Comment, mentioned ...int64) sett.Alert {
			return d.about("E", sett.AlertCommented, sett.AlertFacts{
				Actor: d.olga(), Comment: &sett.CommentFacts{ID: c.ID, Body: c.Body, CreatedAt: noon}, Mentioned: mentioned,
			})
		}
		plain := d.comment(d.UserID, "E", "Is it the cache?")
		d.wantRaised("a comment", written(plain))
		naming := d.comment(d.UserID, "E", "@mia, @otto, @olga: it is; ask owner@example.test")
		d.wantRaised("names", written(naming, mia)) // who writes names themselves in vain
		if err := d.UpdateComment(t.Context(), d.UserID, d.ProjectID, d.faultID("E"), naming.ID, sett.CommentChange{Body: sett.Some("@mia")}); err != nil {
			t.Fatal(err)
		}
		d.wantRaised("changed")
		if outside == mia {
			t.Error("the test needs somebody who cannot see the project")
		}
	})
}

func TestDeploysAreTold(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		tracker := d.hook(func(i *sett.Integration) { i.Type = "Github" }).ID
		if err := d.UpdateProject(t.Context(), d.ProjectID, sett.ProjectChange{ResolveErrorsOnDeploy: sett.Some(true)}); err != nil {
			t.Fatal(err)
		}
		occur := func(linked ...string) {
			d.record(noon, sett.Limits{}, d.report("A"), d.report("B"), d.report("C"))
			for _, class := range linked {
				if err := d.LinkFault(t.Context(), noon, d.ProjectID, d.faultID(class), tracker, sett.LinkData{"number": []byte("1")}); err != nil {
					t.Fatal(err)
				}
			}
			d.raised()
		}
		deployed := func(id int64, environment string, at time.Time) sett.Alert {
			return sett.Alert{
				ProjectID: d.ProjectID, Event: sett.AlertDeployed, Subject: sett.DeploySubject(id), Environment: environment, At: at, CreatedAt: noon,
				Facts: sett.AlertFacts{DeployID: id},
			}
		}
		closed := func(class string, deploy int64) sett.Alert {
			a := d.about(class, sett.AlertIssueClose, sett.AlertFacts{DeployID: deploy})
			a.IntegrationID = tracker
			return a
		}
		occur()
		early := noon.Add(-time.Hour)
		d.wantRaised("nothing is linked", deployed(d.deploy(noon, sett.Deploy{Environment: "production", CreatedAt: early}), "production", early))
		occur("A")
		d.wantRaised("another environment", deployed(d.deploy(noon, sett.Deploy{Environment: "staging"}), "staging", noon))
		id := d.deploy(noon, sett.Deploy{})
		d.wantRaised("one is linked", deployed(id, "", noon), closed("A", id))
		occur("B")
		id = d.deploy(noon, sett.Deploy{})
		d.wantRaised("two are", deployed(id, "", noon), closed("A", id), closed("B", id))
		d.run(`UPDATE integrations SET events = '["occurred"]'`)
		occur()
		id = d.deploy(noon, sett.Deploy{})
		d.wantRaised("nobody wants to hear of it", deployed(id, "", noon))
	})
}

// Faults that are resolved at once are one alert, and their issues are closed each by itself.
func TestIssuesOfFaultsThatAreResolvedAtOnce(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		tracker := d.hook(func(i *sett.Integration) { i.Type = "Github" }).ID
		d.record(noon, sett.Limits{}, d.report("A"), d.report("B"))
		if err := d.LinkFault(t.Context(), noon, d.ProjectID, d.faultID("B"), tracker, sett.LinkData{"number": []byte("1")}); err != nil {
			t.Fatal(err)
		}
		d.raised()
		if _, err := d.ResolveFaults(t.Context(), noon, d.UserID, d.ProjectID, FaultFilter{}); err != nil {
			t.Fatal(err)
		}
		closing := d.about("B", sett.AlertIssueClose, sett.AlertFacts{Actor: d.olga()})
		closing.IntegrationID = tracker
		d.wantRaised("one is linked", sett.Alert{
			ProjectID: d.ProjectID, Event: sett.AlertResolved, Subject: sett.ProjectSubject(d.ProjectID), Environment: "production", At: noon, CreatedAt: noon,
			Facts: sett.AlertFacts{Actor: d.olga(), FaultIDs: []int64{d.faultID("A"), d.faultID("B")}},
		}, closing)
	})
}
