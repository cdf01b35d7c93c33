package maintenance

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func at(hours int) time.Time { return noon.Add(time.Duration(hours) * time.Hour) }

func text(t time.Time) sett.Optional[string] { return sett.Some(t.Format(time.RFC3339)) }

func TestCreate(t *testing.T) {
	t.Parallel()
	null := sett.Optional[string]{Sent: true, Null: true}
	for name, c := range map[string]struct {
		change   WindowChange
		from, to time.Time
		problem  string
	}{
		"null":           {WindowChange{StartsAt: null, EndsAt: text(at(6))}, noon, at(6), ""},
		"nothing":        {WindowChange{}, noon, noon.Add(LongestOpen), ""},
		"until ended":    {WindowChange{StartsAt: text(at(5)), EndsAt: null}, at(5), at(5).Add(LongestOpen), ""},
		"planned":        {WindowChange{StartsAt: text(at(5)), EndsAt: text(at(6))}, at(5), at(6), ""},
		"a past start":   {WindowChange{StartsAt: text(at(-5)), EndsAt: text(at(6))}, noon, at(6), ""},
		"past":           {WindowChange{StartsAt: text(at(-5)), EndsAt: text(at(-4))}, noon, at(-4), "ends_at must be after starts_at"},
		"backwards":      {WindowChange{StartsAt: text(at(5)), EndsAt: text(at(5))}, at(5), at(5), "ends_at must be after starts_at"},
		"too long":       {WindowChange{EndsAt: text(at(24*30 + 1))}, noon, at(24*30 + 1), "ends_at must be at most 30 days"},
		"too far ahead":  {WindowChange{StartsAt: text(at(24 * 400))}, at(24 * 400), at(24*400 + 7*24), "starts_at must be at most a year ahead"},
		"no time":        {WindowChange{EndsAt: sett.Some("tomorrow")}, noon, time.Time{}, "ends_at must be a time such as"},
		"a long reason":  {WindowChange{Reason: sett.Some(strings.Repeat("x", 501))}, noon, noon.Add(LongestOpen), "reason is too long"},
		"too many sites": {WindowChange{SiteIDs: sett.Some(make([]string, 1001))}, noon, noon.Add(LongestOpen), "site_ids are too many"},
	} {
		got, err := c.change.Create(noon)
		if !got.StartsAt.Equal(c.from) || c.problem == "" && !got.EndsAt.Equal(c.to) {
			t.Errorf("%s: it lasts from %v to %v", name, got.StartsAt, got.EndsAt)
		}
		if (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %v, want %q", name, err, c.problem)
		}
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	w := Window{Settings: Settings{StartsAt: at(1), EndsAt: at(3), SiteIDs: []string{"a"}}}
	for name, c := range map[string]struct {
		now     time.Time
		change  WindowChange
		problem string
	}{
		"a planned one":          {at(0), WindowChange{StartsAt: text(at(2)), SiteIDs: sett.Some([]string{"b"}), Errors: sett.Some(true)}, ""},
		"no start, too late":     {at(2), WindowChange{StartsAt: sett.Optional[string]{Sent: true, Null: true}}, "starts_at cannot be changed"},
		"the end":                {at(2), WindowChange{EndsAt: text(at(5)), Reason: sett.Some("Longer")}, ""},
		"no end":                 {at(2), WindowChange{EndsAt: sett.Optional[string]{Sent: true, Null: true}}, ""},
		"what it says":           {at(2), WindowChange{StartsAt: text(at(1)), SiteIDs: sett.Some([]string{"a", "a"}), Errors: sett.Some(false)}, ""},
		"the start, too late":    {at(2), WindowChange{StartsAt: text(at(2))}, "starts_at cannot be changed"},
		"the sites, too late":    {at(2), WindowChange{SiteIDs: sett.Some([]string{})}, "site_ids cannot be changed"},
		"errors, too late":       {at(2), WindowChange{Errors: sett.Some(true)}, "errors cannot be changed"},
		"an end that has passed": {at(2), WindowChange{EndsAt: text(at(2))}, "ends_at must be in the future"},
		"one that has ended":     {at(3), WindowChange{EndsAt: text(at(5))}, "has ended"},
	} {
		if _, err := c.change.Update(w, c.now); (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %v, want %q", name, err, c.problem)
		}
	}
}

// Without a start, a planned window starts now, and lasts as long as one that is created then.
func TestUpdateStartsNow(t *testing.T) {
	t.Parallel()
	null := sett.Optional[string]{Sent: true, Null: true}
	for name, c := range map[string]struct {
		have Settings
		to   time.Time
	}{
		"until its end":    {Settings{StartsAt: at(1), EndsAt: at(3)}, at(3)},
		"until you end it": {Settings{StartsAt: at(1), EndsAt: at(1).Add(LongestOpen), UntilEnded: true}, at(0).Add(LongestOpen)},
	} {
		got, err := WindowChange{StartsAt: null}.Update(Window{Settings: c.have}, at(0))
		if err != nil || !got.StartsAt.Equal(at(0)) || !got.EndsAt.Equal(c.to) {
			t.Errorf("%s: it lasts from %v to %v, %v", name, got.StartsAt, got.EndsAt, err)
		}
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	checkIn := alerts.CheckInSubject("c")
	all, closed := Window{Settings: Settings{StartsAt: at(0), EndsAt: at(2)}}, Window{Settings: Settings{StartsAt: at(0), EndsAt: at(2)}, Closed: true}
	errors, only := all, all
	errors.Errors, only.CheckInIDs = true, []string{"c"}
	for name, c := range map[string]struct {
		w       Window
		event   alerts.AlertEvent
		subject alerts.AlertSubject
		at      time.Time
		have    Holding
		want    bool
	}{
		"before":               {all, alerts.AlertDown, "site s", at(-1), Nothing, false},
		"in it":                {all, alerts.AlertDown, "site s", at(0), Nothing, true},
		"after it":             {all, alerts.AlertDown, "site s", at(2), Nothing, false},
		"after what it holds":  {closed, alerts.AlertUp, "site s", at(2), Problem, true},
		"again":                {closed, alerts.AlertDown, "site s", at(1), Nothing, false},
		"slow":                 {all, alerts.AlertSlow, "slow_site s", at(0), Nothing, true},
		"slow, another":        {only, alerts.AlertSlow, "slow_site s", at(0), Nothing, false},
		"alarm":                {all, alerts.AlertAlarm, "alarm a", at(0), Nothing, true},
		"alarm, selected":      {only, alerts.AlertAlarm, "alarm a", at(0), Nothing, false},
		"alarm OK, as held":    {all, alerts.AlertAlarmOK, "alarm a", at(1), Problem, true},
		"alarm OK, as known":   {all, alerts.AlertAlarmOK, "alarm a", at(1), Nothing, false},
		"fast, as held":        {all, alerts.AlertFast, "slow_site s", at(1), Problem, true},
		"fast, as known":       {all, alerts.AlertFast, "slow_site s", at(1), Nothing, false},
		"another":              {only, alerts.AlertDown, "site s", at(1), Nothing, false},
		"the one":              {only, alerts.AlertCheckInMissing, checkIn, at(1), Nothing, true},
		"its end":              {only, alerts.AlertCheckInReporting, checkIn, at(1), Problem, true},
		"the end of a known":   {only, alerts.AlertCheckInReporting, checkIn, at(1), KnownProblem, false},
		"the end of something": {only, alerts.AlertCheckInReporting, checkIn, at(1), Nothing, false},
		"a certificate":        {all, alerts.AlertCertWillExpire, "site s", at(1), Nothing, false},
		"an error":             {all, alerts.AlertOccurred, "fault 7", at(1), Nothing, false},
		"a held error":         {errors, alerts.AlertOccurred, "fault 7", at(1), Nothing, true},
		"a comment":            {errors, alerts.AlertCommented, "fault 7", at(1), Problem, false},
		"many errors":          {errors, alerts.AlertResolved, "project 1", at(1), Problem, false},
		"an issue":             {errors, alerts.AlertIssueCreate, "fault 7", at(1), Problem, false},
	} {
		if got := c.w.Holds(alerts.Alert{Event: c.event, Subject: c.subject, CreatedAt: c.at}, c.have); got != c.want {
			t.Errorf("%s: held %v, want %v", name, got, c.want)
		}
	}
	if all.Holds(alerts.Alert{Event: alerts.AlertDown, Subject: "site s", CreatedAt: at(1), Facts: alerts.AlertFacts{Test: true}}, Nothing) {
		t.Error("a test was held")
	}
}

func TestNext(t *testing.T) {
	t.Parallel()
	missed := func(n int64) alerts.Alert {
		return alerts.Alert{Event: alerts.AlertCheckInMissing, Facts: alerts.AlertFacts{CheckIn: &alerts.CheckInFacts{MissedCount: n}}}
	}
	occurred := alerts.Alert{Event: alerts.AlertOccurred, Facts: alerts.AlertFacts{NoticesCount: 1}}
	for name, c := range map[string]struct {
		alerts []alerts.Alert
		want   Holding
	}{
		"down":                  {[]alerts.Alert{{Event: alerts.AlertDown}}, Problem},
		"missed":                {[]alerts.Alert{missed(1), missed(2)}, Problem},
		"missed before":         {[]alerts.Alert{missed(3), missed(4)}, KnownProblem},
		"missed before and now": {[]alerts.Alert{missed(3), missed(1), {Event: alerts.AlertCheckInReporting}}, Problem},
		"a new error":           {[]alerts.Alert{occurred, {Event: alerts.AlertRateExceeded}}, Problem},
		"an old error":          {[]alerts.Alert{{Event: alerts.AlertRateExceeded}}, KnownProblem},
	} {
		var h Holding
		for _, a := range c.alerts {
			h = h.Next(a)
		}
		if h != c.want {
			t.Errorf("%s: %v, want %v", name, h, c.want)
		}
	}
}

func TestSent(t *testing.T) {
	t.Parallel()
	held := func(subject alerts.AlertSubject, events ...alerts.AlertEvent) (list []Held) {
		for i, e := range events {
			list = append(list, Held{AlertID: int64(i + 1), Subject: subject, Event: e})
		}
		return list
	}
	for name, c := range map[string]struct {
		held []Held
		open bool
		want []int64
	}{
		"down":              {held("site s", alerts.AlertDown), true, []int64{1}},
		"down, then paused": {held("site s", alerts.AlertDown), false, nil},
		"down and up":       {held("site s", alerts.AlertDown, alerts.AlertUp), true, nil},
		"down again":        {held("site s", alerts.AlertUp, alerts.AlertDown), true, []int64{2}},
		"an error":          {held("fault 7", alerts.AlertOccurred, alerts.AlertRateExceeded), true, []int64{1, 2}},
		"resolved":          {held("fault 7", alerts.AlertOccurred, alerts.AlertResolved), true, nil},
		"reopened":          {held("fault 7", alerts.AlertRateExceeded, alerts.AlertResolved, alerts.AlertOccurred), true, []int64{3}},
	} {
		if diff := cmp.Diff(c.want, Sent(c.held, c.open)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
