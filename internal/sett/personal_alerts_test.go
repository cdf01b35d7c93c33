package sett

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
		{`{"events":null,"mentions":null,"digest":null}`, NewPersonalAlerts(), ""},
		{`{"digest":"daily"}`, PersonalAlerts{Events: []AlertEvent{AlertUp}, Digest: DigestDaily}, ""},
		{`{"digest":""}`, before, "Please correct: digest is not included in the list: off, daily, weekly."},
		{`{"events":"up","mentions":1,"digest":7}`, before, "Please correct: events must be an array of strings; mentions must be true or false; digest must be a string."},
		{
			`{"events":["rate_exceeded"]}`, before,
			`Please correct: events must be some of occurred, resolved, unresolved, assigned, commented, deployed, volume_spike, down, up, cert_will_expire, check_in_missing, check_in_reporting; "rate_exceeded" is none of them.`,
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
	comment := func(mentioned ...int64) func(*Hearing) {
		return func(h *Hearing) { h.Alert.Event, h.Alert.Facts.Mentioned = AlertCommented, mentioned }
	}
	assigned := func(to *Person) func(*Hearing) {
		return func(h *Hearing) { h.Alert.Event, h.Alert.Facts.Assignee = AlertAssigned, to }
	}
	by := func(id int64, change func(*Hearing)) func(*Hearing) {
		return func(h *Hearing) { change(h); h.Alert.Facts.Actor = &Person{ID: id} }
	}
	same := func(*Hearing) {}
	for _, c := range []struct {
		name   string
		alerts PersonalAlerts
		change func(*Hearing)
		want   Unheard
	}{
		{"wanted", all, same, Heard},
		{"by default", NewPersonalAlerts(), same, Heard},
		{"not wanted", PersonalAlerts{Events: []AlertEvent{AlertUp}}, same, NotWanted},
		{"the project is off", all, func(h *Hearing) { h.ProjectActive = false }, NotActive},
		{"the environment is muted", all, func(h *Hearing) { h.Muted = []string{"production"} }, EnvironmentMute},
		{"the fault is ignored", all, func(h *Hearing) { h.Fault.Ignored = true }, FaultSilent},
		{"for an integration", all, func(h *Hearing) { h.Alert.IntegrationID = 3 }, ForAnother},
		{"a flood of somebody", all, of(AlertFlooded), ForAnother},
		{"a test of an integration", all, func(h *Hearing) { h.Alert.Facts.Test = true }, ForAnother},
		{"done by others", all, by(6, of(AlertResolved)), Heard},
		{"done by oneself", all, by(me, of(AlertResolved)), OwnDoing},
		{"assigned to me", all, assigned(&Person{ID: me}), Heard},
		{"assigned to me, not wanted", PersonalAlerts{}, assigned(&Person{ID: me}), NotWanted},
		{"assigned to me by myself", all, by(me, assigned(&Person{ID: me})), OwnDoing},
		{"assigned to another", all, assigned(&Person{ID: 6}), NotWanted},
		{"assigned to nobody known", all, assigned(nil), NotWanted},
		{"a comment", all, comment(), Heard},
		{"a comment by default", NewPersonalAlerts(), comment(6), NotWanted},
		{"named, not wanted", NewPersonalAlerts(), comment(6, me), Heard},
		{"named by oneself", all, by(me, comment(me)), OwnDoing},
		{"named, unsubscribed", Unsubscribed(), comment(me), NotWanted},
		{"named, in a muted environment", all, func(h *Hearing) { comment(me)(h); h.Muted = []string{"production"} }, EnvironmentMute},
		{"named, of an ignored fault", all, func(h *Hearing) { comment(me)(h); h.Fault.Ignored = true }, Heard},
		{"named in what is no comment", PersonalAlerts{Mentions: true}, func(h *Hearing) { h.Alert.Facts.Mentioned = []int64{me} }, NotWanted},
	} {
		h := hearing(func(h *Hearing) { h.Integration = Integration{} }, c.change)
		if got := h.HearPersonally(me, c.alerts); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if slices.Contains(PersonalAlertEvents(), AlertRateExceeded) || len(PersonalAlertEvents()) != len(AlertEvents())-1 {
		t.Errorf("users can want %v", PersonalAlertEvents())
	}
}
