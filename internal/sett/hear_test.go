package sett

import (
	"slices"
	"testing"
	"time"
)

var hearNoon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// hearing is one that is heard: of a fault of production, by an integration that wants everything.
func hearing(change ...func(*Hearing)) Hearing {
	h := Hearing{
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

func of(e AlertEvent) func(*Hearing) { return func(h *Hearing) { h.Alert.Event = e } }

type hearCase struct {
	name   string
	change func(*Hearing)
	want   Unheard
}

func checkHearings(t *testing.T, cases []hearCase) {
	t.Helper()
	for _, c := range cases {
		if got := hearing(c.change).Hear(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestHearEvents(t *testing.T) {
	t.Parallel()
	checkHearings(t, []hearCase{
		{"all is well", func(*Hearing) {}, Heard},
		{"another event is wanted", func(h *Hearing) { h.Integration.Events = []AlertEvent{AlertDown} }, NotWanted},
		{"no event is wanted", func(h *Hearing) { h.Integration.Events = nil }, NotWanted},
		{"the integration is off", func(h *Hearing) { h.Integration.Active = false }, NotActive},
		{"the project is off", func(h *Hearing) { h.ProjectActive = false }, NotActive},
	})
	for _, e := range AlertEvents() {
		h := hearing(of(e), func(h *Hearing) { h.Alert.IntegrationID = 3; h.Integration.Events = []AlertEvent{e} })
		if got := h.Hear(); got != Heard {
			t.Errorf("%s alone is wanted: %q", e, got)
		}
		h.Integration.Events = slices.DeleteFunc(AlertEvents(), func(other AlertEvent) bool { return other == e })
		if got := h.Hear(); got != NotWanted {
			t.Errorf("all but %s are wanted: %q", e, got)
		}
	}
}

// deaf wants nothing of anybody.
func deaf(h *Hearing) {
	h.Integration = Integration{ID: 3, IntegrationSettings: IntegrationSettings{
		ExcludedEnvironments: []string{"production"}, SiteIDs: []string{"x"}, Filters: []IntegrationFilter{{"all", "lost"}},
	}}
	h.ProjectActive, h.Fault.Ignored = false, true
}

func TestHearWhatIsForOneReceiver(t *testing.T) {
	t.Parallel()
	to := func(id int64, e AlertEvent, more ...func(*Hearing)) func(*Hearing) {
		return func(h *Hearing) {
			h.Alert.IntegrationID, h.Alert.Event = id, e
			for _, m := range more {
				m(h)
			}
		}
	}
	test := func(h *Hearing) { h.Alert.Facts.Test = true }
	checkHearings(t, []hearCase{
		{"a rate of this integration", to(3, AlertRateExceeded), Heard},
		{"a rate of another", to(4, AlertRateExceeded), ForAnother},
		{"a rate of nobody", to(0, AlertRateExceeded), ForAnother},
		{"a rate that is not wanted", to(3, AlertRateExceeded, func(h *Hearing) { h.Integration.Events = nil }), NotWanted},
		{"any event for another", to(4, AlertDown), ForAnother},
		{"sett speaks to who is deaf", to(3, AlertFlooded, deaf), Heard},
		{"sett speaks to another", to(4, AlertFlooded), ForAnother},
		{"sett speaks to a user", to(0, AlertFlooded), ForAnother},
		{"an issue is wanted", to(3, AlertIssueCreate, deaf), Heard},
		{"an issue is closed", to(3, AlertIssueClose, deaf), Heard},
		{"an issue is reopened", to(3, AlertIssueReopen, deaf), Heard},
		{"a test of who is deaf", to(3, AlertOccurred, deaf, test), Heard},
		{"a test of another", to(4, AlertOccurred, test), ForAnother},
		{"a test of nobody", to(0, AlertOccurred, test), ForAnother},
		{"no test for who is deaf", to(3, AlertOccurred, deaf), NotActive},
	})
}

func TestHearEnvironments(t *testing.T) {
	t.Parallel()
	environments := func(excluded, muted, name string) func(*Hearing) {
		return func(h *Hearing) {
			h.Alert.Environment, h.Integration.ExcludedEnvironments, h.Muted = name, []string{excluded}, []string{muted}
		}
	}
	checkHearings(t, []hearCase{
		{"others are excluded and muted", environments("staging", "test", "production"), Heard},
		{"excluded", environments("production", "test", "production"), EnvironmentMute},
		{"muted", environments("staging", "production", "production"), EnvironmentMute},
		{"none", environments("staging", "production", ""), Heard},
		{"one of several", func(h *Hearing) {
			environments("staging", "", "")(h)
			h.Alert.Facts.Environments = []string{"production", "staging"}
		}, Heard},
		{"all of several", func(h *Hearing) {
			environments("staging", "production", "")(h)
			h.Alert.Facts.Environments = []string{"production", "staging"}
		}, EnvironmentMute},
	})
}

func TestHearFilters(t *testing.T) {
	t.Parallel()
	filters := func(f ...IntegrationFilter) func(*Hearing) {
		return func(h *Hearing) { h.Integration.Filters = f }
	}
	checkHearings(t, []hearCase{
		{"matches", filters(IntegrationFilter{"occurred", "found"}), Heard},
		{"does not match", filters(IntegrationFilter{"occurred", "lost"}), NoFilterMatches},
		{"of all, matches", filters(IntegrationFilter{"all", "found"}), Heard},
		{"of all, does not match", filters(IntegrationFilter{"all", "lost"}), NoFilterMatches},
		{"of another event", filters(IntegrationFilter{"resolved", "lost"}), Heard},
		{"one of several matches", filters(IntegrationFilter{"occurred", "lost"}, IntegrationFilter{"all", "found"}), Heard},
		{"none of several matches", filters(IntegrationFilter{"occurred", "lost"}, IntegrationFilter{"all", "lost"}), NoFilterMatches},
		{"only that of another event matches", filters(IntegrationFilter{"occurred", "lost"}, IntegrationFilter{"resolved", "found"}), NoFilterMatches},
		{"about no fault", func(h *Hearing) { deafFilters(h); h.Alert.FaultID = 0 }, Heard},
		{"about many faults", func(h *Hearing) { deafFilters(h); h.Alert.FaultID, h.Alert.Facts.FaultIDs = 0, []int64{1, 2} }, NoFilterMatches},
	})
}

func deafFilters(h *Hearing) { h.Integration.Filters = []IntegrationFilter{{"all", "lost"}} }

func TestHearSelectedSitesAndCheckIns(t *testing.T) {
	t.Parallel()
	about := func(e AlertEvent, subject AlertSubject, sites, checkIns []string) func(*Hearing) {
		return func(h *Hearing) {
			h.Alert.Event, h.Alert.Subject, h.Alert.FaultID, h.Alert.Environment = e, subject, 0, ""
			h.Integration.SiteIDs, h.Integration.CheckInIDs = sites, checkIns
		}
	}
	site := UUID{1}
	mine, other := []string{"x", site.String()}, []string{"x"}
	for _, e := range []AlertEvent{AlertDown, AlertUp, AlertCertWillExpire} {
		checkHearings(t, []hearCase{
			{"every site", about(e, SiteSubject(site), nil, other), Heard},
			{"this site", about(e, SiteSubject(site), mine, other), Heard},
			{"another site", about(e, SiteSubject(site), other, mine), NotSelected},
		})
	}
	for _, e := range []AlertEvent{AlertCheckInMissing, AlertCheckInReporting} {
		checkHearings(t, []hearCase{
			{"every check-in", about(e, CheckInSubject("Ab"), other, nil), Heard},
			{"this check-in", about(e, CheckInSubject("Ab"), other, []string{"Ab"}), Heard},
			{"another check-in", about(e, CheckInSubject("Ab"), nil, []string{"ab"}), NotSelected},
		})
	}
	checkHearings(t, []hearCase{{"a fault", about(AlertOccurred, FaultSubject(7), other, other), Heard}})
}

func TestSilentFaultsAreHeardOfOnlyByWhatPeopleDo(t *testing.T) {
	t.Parallel()
	silent := map[string]func(*Hearing){
		"ignored":         func(h *Hearing) { h.Fault.Ignored = true },
		"paused by time":  func(h *Hearing) { h.Fault.PausedUntil = hearNoon.Add(time.Second) },
		"paused by count": func(h *Hearing) { h.Fault.PausedCount, h.FaultNotices, h.Alert.Facts.NoticesCount = 10, 9, 10 },
	}
	for name, change := range silent {
		for _, e := range AlertEvents() {
			want := Heard
			if e == AlertOccurred || e == AlertRateExceeded || e == AlertVolumeSpike {
				want = FaultSilent
			}
			got := hearing(change, of(e), func(h *Hearing) { h.Alert.IntegrationID = 3 }).Hear()
			if got != want {
				t.Errorf("%s, %s: %q, want %q", name, e, got, want)
			}
		}
	}
	checkHearings(t, []hearCase{
		{"the pause has ended", func(h *Hearing) { h.Fault.PausedUntil = hearNoon }, Heard},
		{"the first notice after a pause", func(h *Hearing) { h.Fault.PausedCount, h.Alert.Facts.NoticesCount = 10, 11 }, Heard},
		{"its counts came later", func(h *Hearing) { h.Fault.PausedCount, h.FaultNotices, h.Alert.Facts.NoticesCount = 10, 10, 1 }, Heard},
	})
}
