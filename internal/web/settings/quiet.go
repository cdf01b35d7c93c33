package settings

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/web"
)

// quietForm is the part of a channel's form for its quiet hours.
type quietForm struct {
	Hours  web.Fields
	Days   group
	Urgent web.Field
	Says   string // the next quiet hours; "" for none
}

// quietPrefix is the prefix of field names in forms and in problems.
const quietPrefix = "quiet_hours."

func newQuietForm(q *alerts.QuietHours, now time.Time) *quietForm {
	shown := alerts.QuietHours{Urgent: true}
	if q != nil {
		shown = *q
	}
	form := &quietForm{
		Hours: web.Fields{
			{Name: quietPrefix + "from", Label: "Quiet from", Kind: "text", Value: shown.From, Optional: true, Hint: "A time of day, for example 22:00."},
			{Name: quietPrefix + "to", Label: "Quiet until", Kind: "text", Value: shown.To, Optional: true, Hint: "For example 07:00 (the next day)."},
			{Name: quietPrefix + "time_zone", Label: "Time zone", Kind: "text", Value: shown.TimeZone, Optional: true, Hint: "For example Europe/Berlin. Defaults to UTC."},
		},
		Days: group{Name: quietPrefix + "days", Legend: "Start days", Hint: "If you select none, quiet hours start every day.", All: true},
		Urgent: web.Field{
			Name: quietPrefix + "urgent_at_once", Label: "Send urgent events immediately", Kind: "tick", On: shown.Urgent,
			Hint: "Outages, missed check-ins, recoveries and error spikes.",
		},
		Says: nextQuiet(q, now),
	}
	for _, day := range alerts.QuietDays() {
		form.Days.Ticks = append(form.Days.Ticks, tick{day, strings.ToUpper(day[:1]) + day[1:], slices.Contains(shown.Days, day)})
	}
	return form
}

// explain assigns each problem to its field.
func (f *quietForm) explain(problems sett.Problems) {
	f.Hours.Explain(problems)
	for _, problem := range problems {
		if rest, ok := strings.CutPrefix(problem, f.Days.Name); ok {
			f.Days.Problem = f.Days.Legend + rest + "."
		}
	}
}

// Open reports whether the quiet hours are unfolded: when there are some or a field has a problem.
func (f *quietForm) Open() bool { return f.Says != "" || f.wrong() }

// wrong reports whether a field has a problem.
func (f *quietForm) wrong() bool {
	return f.Days.Problem != "" || slices.ContainsFunc(f.Hours, func(field web.Field) bool { return field.Problem != "" })
}

// quietIn returns the quiet hours in a form; without times there are none.
func quietIn(form url.Values) sett.Optional[alerts.QuietHoursChange] {
	text := func(name string) string { return strings.TrimSpace(form.Get(quietPrefix + name)) }
	if text("from") == "" && text("to") == "" {
		return sett.Optional[alerts.QuietHoursChange]{Sent: true, Null: true}
	}
	return sett.Some(alerts.QuietHoursChange{
		From: sett.Some(text("from")), To: sett.Some(text("to")), TimeZone: sett.Some(text("time_zone")), Days: sett.Some(form[quietPrefix+"days"]),
		Urgent: sett.Some(sett.LenientBool(text("urgent_at_once") == "true")),
	})
}

// sentQuiet returns quiet hours with the sent values, even if they are invalid.
func sentQuiet(c sett.Optional[alerts.QuietHoursChange]) *alerts.QuietHours {
	if !c.Sent || c.Null {
		return nil
	}
	sent := c.Value
	return &alerts.QuietHours{From: sent.From.Value, To: sent.To.Value, TimeZone: sent.TimeZone.Value, Days: sent.Days.Value, Urgent: bool(sent.Urgent.Value)}
}

// nextQuiet describes the current or next quiet hours; "" for none.
func nextQuiet(q *alerts.QuietHours, now time.Time) string {
	from, to := q.Next(now)
	clock := clockOf(q, now)
	switch {
	case to.IsZero():
		return ""
	case from.Equal(now):
		return fmt.Sprintf("Quiet hours are active until %s (%s).", clock.says(to), q.ZoneName())
	}
	return fmt.Sprintf("The next quiet hours are from %s until %s (%s).", clock.says(from), clock.says(to), q.ZoneName())
}

// quietState returns the state during quiet hours; else the zero State.
func quietState(q *alerts.QuietHours, now time.Time) web.State {
	end := q.Ends(now)
	if end.IsZero() {
		return web.State{}
	}
	return web.State{Mood: web.Paused, Word: "quiet until " + clockOf(q, now).says(end)}
}

// clock formats times in the time zone of quiet hours.
type clock struct{ now time.Time }

func clockOf(q *alerts.QuietHours, now time.Time) clock { return clock{now.In(q.Zone())} }

// says formats a time within about a week, as short as possible: "07:00" today, "tomorrow 07:00", "Saturday 07:00",
// "Sat 28 Nov, 07:00".
func (c clock) says(t time.Time) string {
	t = t.In(c.now.Location())
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	switch days := int(day(t).Sub(day(c.now)) / (24 * time.Hour)); {
	case days == 0:
		return t.Format("15:04")
	case days == 1:
		return t.Format("tomorrow 15:04")
	case days > 1 && days < 7:
		return t.Format("Monday 15:04")
	}
	return t.Format("Mon 2 Jan, 15:04")
}
