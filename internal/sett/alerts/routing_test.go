package alerts

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

var hearNoon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// hearing is one that is heard: of a fault of production, by an integration that wants everything.
func hearing(change ...func(*Routing)) Routing {
	h := Routing{
		Alert:         Alert{Event: AlertOccurred, Subject: FaultSubject(7), FaultID: 7, Environment: "production", At: hearNoon, Facts: AlertFacts{NoticesCount: 1}},
		Integration:   Integration{ID: 3, IntegrationSettings: IntegrationSettings{Active: true, Events: AlertEvents()}},
		ProjectActive: true,
		Matches:       func(query string) bool { return query == "found" },
	}
	for _, c := range change {
		c(&h)
	}
	return h
}

func of(e AlertEvent) func(*Routing) { return func(h *Routing) { h.Alert.Event = e } }

type hearCase struct {
	name   string
	change func(*Routing)
	want   SkipReason
}

func checkHearings(t *testing.T, cases []hearCase) {
	t.Helper()
	for _, c := range cases {
		if got := hearing(c.change).Route(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestHearEvents(t *testing.T) {
	t.Parallel()
	checkHearings(t, []hearCase{
		{"all is well", func(*Routing) {}, Routed},
		{"another event is wanted", func(h *Routing) { h.Integration.Events = []AlertEvent{AlertDown} }, NotWanted},
		{"no event is wanted", func(h *Routing) { h.Integration.Events = nil }, NotWanted},
		{"the integration is off", func(h *Routing) { h.Integration.Active = false }, NotActive},
		{"the project is off", func(h *Routing) { h.ProjectActive = false }, NotActive},
	})
	for _, e := range AlertEvents() {
		h := hearing(of(e), func(h *Routing) { h.Alert.IntegrationID = 3; h.Integration.Events = []AlertEvent{e} })
		if got := h.Route(); got != Routed {
			t.Errorf("%s alone is wanted: %q", e, got)
		}
		h.Integration.Events = slices.DeleteFunc(AlertEvents(), func(other AlertEvent) bool { return other == e })
		if got := h.Route(); got != NotWanted {
			t.Errorf("all but %s are wanted: %q", e, got)
		}
	}
}

// deaf wants nothing of anybody.
func deaf(h *Routing) {
	h.Integration = Integration{ID: 3, IntegrationSettings: IntegrationSettings{
		ExcludedEnvironments: []string{"production"}, SiteIDs: []string{"x"}, Filters: []IntegrationFilter{{"all", "lost"}},
	}}
	h.ProjectActive, h.Silent = false, true
}

func TestHearWhatIsForOneReceiver(t *testing.T) {
	t.Parallel()
	to := func(id int64, e AlertEvent, more ...func(*Routing)) func(*Routing) {
		return func(h *Routing) {
			h.Alert.IntegrationID, h.Alert.Event = id, e
			for _, m := range more {
				m(h)
			}
		}
	}
	test := func(h *Routing) { h.Alert.Facts.Test = true }
	checkHearings(t, []hearCase{
		{"a rate of this integration", to(3, AlertRateExceeded), Routed},
		{"a rate of another", to(4, AlertRateExceeded), ForAnother},
		{"a rate of no integration", to(0, AlertRateExceeded), ForAnother},
		{"a rate that is not wanted", to(3, AlertRateExceeded, func(h *Routing) { h.Integration.Events = nil }), NotWanted},
		{"any event for another", to(4, AlertDown), ForAnother},
		{"sett speaks to who is deaf", to(3, AlertFlooded, deaf), Routed},
		{"sett speaks to another", to(4, AlertFlooded), ForAnother},
		{"sett speaks to a user", to(0, AlertFlooded), ForAnother},
		{"an issue is wanted", to(3, AlertIssueCreate, deaf), Routed},
		{"an issue is closed", to(3, AlertIssueClose, deaf), Routed},
		{"an issue is reopened", to(3, AlertIssueReopen, deaf), Routed},
		{"a test of who is deaf", to(3, AlertOccurred, deaf, test), Routed},
		{"a test of another", to(4, AlertOccurred, test), ForAnother},
		{"a test of no integration", to(0, AlertOccurred, test), ForAnother},
		{"no test for who is deaf", to(3, AlertOccurred, deaf), NotActive},
	})
}

func TestHearEnvironments(t *testing.T) {
	t.Parallel()
	environments := func(excluded, muted, name string) func(*Routing) {
		return func(h *Routing) {
			h.Alert.Environment, h.Integration.ExcludedEnvironments, h.Muted = name, []string{excluded}, []string{muted}
		}
	}
	checkHearings(t, []hearCase{
		{"others are excluded and muted", environments("staging", "test", "production"), Routed},
		{"excluded", environments("production", "test", "production"), EnvironmentMute},
		{"muted", environments("staging", "production", "production"), EnvironmentMute},
		{"none", environments("staging", "production", ""), Routed},
		{"one of several", func(h *Routing) {
			environments("staging", "", "")(h)
			h.Alert.Facts.Environments = []string{"production", "staging"}
		}, Routed},
		{"all of several", func(h *Routing) {
			environments("staging", "production", "")(h)
			h.Alert.Facts.Environments = []string{"production", "staging"}
		}, EnvironmentMute},
	})
}

func TestHearFilters(t *testing.T) {
	t.Parallel()
	filters := func(f ...IntegrationFilter) func(*Routing) {
		return func(h *Routing) { h.Integration.Filters = f }
	}
	checkHearings(t, []hearCase{
		{"matches", filters(IntegrationFilter{"occurred", "found"}), Routed},
		{"does not match", filters(IntegrationFilter{"occurred", "lost"}), NoFilterMatches},
		{"of all, matches", filters(IntegrationFilter{"all", "found"}), Routed},
		{"of all, does not match", filters(IntegrationFilter{"all", "lost"}), NoFilterMatches},
		{"of another event", filters(IntegrationFilter{"resolved", "lost"}), Routed},
		{"one of several matches", filters(IntegrationFilter{"occurred", "lost"}, IntegrationFilter{"all", "found"}), Routed},
		{"none of several matches", filters(IntegrationFilter{"occurred", "lost"}, IntegrationFilter{"all", "lost"}), NoFilterMatches},
		{"only that of another event matches", filters(IntegrationFilter{"occurred", "lost"}, IntegrationFilter{"resolved", "found"}), NoFilterMatches},
		{"about no fault", func(h *Routing) { deafFilters(h); h.Alert.FaultID = 0 }, Routed},
		{"about many faults", func(h *Routing) { deafFilters(h); h.Alert.FaultID, h.Alert.Facts.FaultIDs = 0, []int64{1, 2} }, NoFilterMatches},
	})
}

func deafFilters(h *Routing) { h.Integration.Filters = []IntegrationFilter{{"all", "lost"}} }

func TestHearSelectedSitesAndCheckIns(t *testing.T) {
	t.Parallel()
	about := func(e AlertEvent, subject AlertSubject, sites, checkIns []string) func(*Routing) {
		return func(h *Routing) {
			h.Alert.Event, h.Alert.Subject, h.Alert.FaultID, h.Alert.Environment = e, subject, 0, ""
			h.Integration.SiteIDs, h.Integration.CheckInIDs = sites, checkIns
		}
	}
	site := sett.UUID{1}
	mine, other := []string{"x", site.String()}, []string{"x"}
	for _, e := range []AlertEvent{AlertDown, AlertUp, AlertCertWillExpire} {
		checkHearings(t, []hearCase{
			{"every site", about(e, SiteSubject(site), nil, other), Routed},
			{"this site", about(e, SiteSubject(site), mine, other), Routed},
			{"another site", about(e, SiteSubject(site), other, mine), NotSelected},
		})
	}
	for _, e := range []AlertEvent{AlertCheckInMissing, AlertCheckInReporting} {
		checkHearings(t, []hearCase{
			{"every check-in", about(e, CheckInSubject("Ab"), other, nil), Routed},
			{"this check-in", about(e, CheckInSubject("Ab"), other, []string{"Ab"}), Routed},
			{"another check-in", about(e, CheckInSubject("Ab"), nil, []string{"ab"}), NotSelected},
		})
	}
	checkHearings(t, []hearCase{{"a fault", about(AlertOccurred, FaultSubject(7), other, other), Routed}})
}

func TestSilentOccurrencesAreNotHeard(t *testing.T) {
	t.Parallel()
	checkHearings(t, []hearCase{{"of a silent fault", func(h *Routing) { h.Silent = true }, FaultSilent}})
}

func TestPersonalAlertsChange(t *testing.T) {
	t.Parallel()
	before := PersonalAlerts{Events: []AlertEvent{AlertUp}, Digest: DigestWeekly}
	for _, c := range []struct {
		body    string
		want    PersonalAlerts
		problem string
	}{
		{`{}`, before, ""},
		{`{"events":["up","down","up"]}`, PersonalAlerts{Events: []AlertEvent{AlertDown, AlertUp}, Digest: DigestWeekly}, ""},
		{`{"events":[],"mentions":true}`, PersonalAlerts{Events: []AlertEvent{}, Mentions: true, Digest: DigestWeekly}, ""},
		{`{"events":null,"mentions":null,"follows":null,"digest":null}`, NewPersonalAlerts(), ""},
		{`{"digest":"daily"}`, PersonalAlerts{Events: []AlertEvent{AlertUp}, Digest: DigestDaily}, ""},
		{`{"digest":"often"}`, before, "Please correct: digest is not included in the list: off, daily, weekly."},
		{`{"events":"up","mentions":1,"digest":[7]}`, before, "Please correct: events must be an array of strings; mentions must be true or false; digest must be a string."},
		{
			`{"events":["rate_exceeded"]}`, before,
			`Please correct: events must be some of occurred, resolved, unresolved, assigned, commented, deployed, volume_spike, down, up, slow, fast, cert_will_expire, check_in_missing, check_in_failed, check_in_reporting, alarm_alert, alarm_ok; "rate_exceeded" is none of them.`,
		},
	} {
		var change PersonalAlertsChange
		if err := json.Unmarshal([]byte(c.body), &change); err != nil {
			t.Fatal(err)
		}
		got, err := change.Apply(before)
		if err != nil && err.Error() != c.problem || err == nil && c.problem != "" {
			t.Errorf("%s: %v, want %s", c.body, err, c.problem)
		}
		if diff := cmp.Diff(c.want, got); diff != "" && err == nil {
			t.Errorf("%s (-want +got):\n%s", c.body, diff)
		}
	}
	if !Unsubscribed().Silent() || NewPersonalAlerts().Silent() || (PersonalAlerts{Mentions: true, Digest: DigestOff}).Silent() || (PersonalAlerts{Digest: DigestDaily}).Silent() {
		t.Error("who gets any mail is silent, or who gets none is not")
	}
}

func TestHearPersonally(t *testing.T) {
	t.Parallel()
	const me = 5
	all := PersonalAlerts{Events: PersonalAlertEvents()}
	comment := func(mentioned ...int64) func(*Routing) {
		return func(h *Routing) { h.Alert.Event, h.Alert.Facts.Mentioned = AlertCommented, mentioned }
	}
	assigned := func(to *sett.Person) func(*Routing) {
		return func(h *Routing) { h.Alert.Event, h.Alert.Facts.Assignee = AlertAssigned, to }
	}
	by := func(id int64, change func(*Routing)) func(*Routing) {
		return func(h *Routing) { change(h); h.Alert.Facts.Actor = &sett.Person{ID: id} }
	}
	same := func(*Routing) {}
	inTeam := func(members ...int64) func(*Routing) {
		return func(h *Routing) { assigned(&sett.Person{ID: -1, Name: "Crew"})(h); h.Alert.Facts.Team = members }
	}
	follower := PersonalAlerts{Follows: true}
	follow := func(follows bool, change func(*Routing)) func(*Routing) {
		return func(h *Routing) { change(h); h.Followers = map[int64]bool{me: follows} }
	}
	for _, c := range []struct {
		name   string
		alerts PersonalAlerts
		change func(*Routing)
		want   SkipReason
	}{
		{"wanted", all, same, Routed},
		{"by default", NewPersonalAlerts(), same, Routed},
		{"not wanted", PersonalAlerts{Events: []AlertEvent{AlertUp}}, same, NotWanted},
		{"the project is off", all, func(h *Routing) { h.ProjectActive = false }, NotActive},
		{"the environment is muted", all, func(h *Routing) { h.Muted = []string{"production"} }, EnvironmentMute},
		{"the fault is ignored", all, func(h *Routing) { h.Silent = true }, FaultSilent},
		{"for an integration", all, func(h *Routing) { h.Alert.IntegrationID = 3 }, ForAnother},
		{"a flood of some receiver", all, of(AlertFlooded), ForAnother},
		{"a test of an integration", all, func(h *Routing) { h.Alert.Facts.Test = true }, ForAnother},
		{"done by others", all, by(6, of(AlertResolved)), Routed},
		{"done by oneself", all, by(me, of(AlertResolved)), OwnDoing},
		{"assigned to me", all, assigned(&sett.Person{ID: me}), Routed},
		{"assigned to me, not wanted", PersonalAlerts{}, assigned(&sett.Person{ID: me}), NotWanted},
		{"assigned to me by myself", all, by(me, assigned(&sett.Person{ID: me})), OwnDoing},
		{"assigned to another", all, assigned(&sett.Person{ID: 6}), NotWanted},
		{"assigned to an unknown user", all, assigned(nil), NotWanted},
		{"a comment", all, comment(), Routed},
		{"a comment by default", NewPersonalAlerts(), comment(6), NotWanted},
		{"named, not wanted", NewPersonalAlerts(), comment(6, me), Routed},
		{"named by oneself", all, by(me, comment(me)), OwnDoing},
		{"named, unsubscribed", Unsubscribed(), comment(me), NotWanted},
		{"named, in a muted environment", all, func(h *Routing) { comment(me)(h); h.Muted = []string{"production"} }, EnvironmentMute},
		{"assigned to a team of mine", all, inTeam(6, me), Routed},
		{"assigned to a team of others", all, inTeam(6), NotWanted},
		{"of a fault that I follow", follower, follow(true, comment(6)), Routed},
		{"of a fault that I follow, assigned to another", follower, follow(true, assigned(&sett.Person{ID: 6})), Routed},
		{"of a fault that I follow, assigned by a rule", follower, follow(true, func(h *Routing) { assigned(&sett.Person{ID: me})(h); h.Alert.Facts.ByRule = true }), NotWanted},
		{"of a fault of others that I follow", all, follow(true, func(h *Routing) { h.Owners = []int64{6} }), NotTheirs},
		{"of a fault of others that I follow, wanted", follower, follow(true, func(h *Routing) { h.Owners = []int64{6} }), Routed},
		{"of a fault that I follow, by myself", follower, follow(true, by(me, comment())), OwnDoing},
		{"of a fault that I follow, muted", follower, follow(true, func(h *Routing) { h.Muted = []string{"production"} }), EnvironmentMute},
		{"of a site, with a fault that I follow", follower, follow(true, of(AlertDown)), NotWanted},
		{"of a fault that I follow, not wanted", PersonalAlerts{}, follow(true, comment(6)), NotWanted},
		{"of a fault that I unfollowed", all, follow(false, same), Unfollowed},
		{"named, of a fault that I unfollowed", NewPersonalAlerts(), follow(false, comment(me)), Routed},
		{"assigned to me, of a fault that I unfollowed", all, follow(false, assigned(&sett.Person{ID: me})), Routed},
		{"named in what is no comment", PersonalAlerts{Mentions: true}, func(h *Routing) { h.Alert.Facts.Mentioned = []int64{me} }, NotWanted},
	} {
		h := hearing(func(h *Routing) { h.Integration = Integration{} }, c.change)
		if got := h.RoutePersonal(me, c.alerts); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if slices.Contains(PersonalAlertEvents(), AlertRateExceeded) || len(PersonalAlertEvents()) != len(AlertEvents())-1 {
		t.Errorf("users can want %v", PersonalAlertEvents())
	}
}
