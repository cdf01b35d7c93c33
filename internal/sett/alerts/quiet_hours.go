package alerts

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/base/cron"
	"sett/internal/base/phrase"
	"sett/internal/sett"
)

// QuietHours are times in which an integration receives nothing: deliveries wait for their end. Nil means none.
//
// It is quiet whenever the clocks of the zone show a time from From until before To, on Days or in the night after them.
// So a clock that is moved ahead ends or begins them with its jump, and one that is moved back may show them twice.
type QuietHours struct {
	From     string   `json:"from" doc:"When they start, in the time zone." example:"22:00"`
	To       string   `json:"to" doc:"When they end; a time before from, or midnight, is on the next day." example:"07:00"`
	TimeZone string   `json:"time_zone" doc:"The time zone of these times, as it was sent; empty for UTC." example:"Europe/Berlin"`
	Days     []string `json:"days" doc:"The days on which they start; none means every day." enum:"mon,tue,wed,thu,fri,sat,sun"`
	Urgent   bool     `json:"urgent_at_once" doc:"Urgent events are sent at once despite quiet hours: down, up, check_in_missing, check_in_failed, check_in_reporting, alarm_alert, alarm_ok, rate_exceeded and volume_spike."`
}

// QuietDays are the days of a week as quiet hours name them, the first first.
func QuietDays() []string { return []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} }

// Urgent reports whether the event may not wait for the end of quiet hours: something is down, did not report or occurs
// far too often, or has recovered: the receiver of the first alert needs the second.
func (e AlertEvent) Urgent() bool { return slices.Contains(UrgentEvents(), e) }

// UrgentEvents lists the events that are Urgent.
func UrgentEvents() []AlertEvent {
	return []AlertEvent{AlertDown, AlertUp, AlertCheckInMissing, AlertCheckInFailed, AlertCheckInReporting, AlertAlarm, AlertAlarmOK, AlertRateExceeded, AlertVolumeSpike}
}

// Watching reports whether the event is about how a site or check-in does.
func (e AlertEvent) Watching() bool { return slices.Contains(WatchingEvents(), e) }

// WatchingEvents lists the events that are Watching.
func WatchingEvents() []AlertEvent {
	return []AlertEvent{AlertDown, AlertUp, AlertCheckInMissing, AlertCheckInFailed, AlertCheckInReporting}
}

// Keep returns until when an alert waits that could be sent now; zero when it does not wait. Tests of an integration never
// wait.
func (q *QuietHours) Keep(e AlertEvent, test bool, now time.Time) time.Time {
	if q == nil || test || q.Urgent && e.Urgent() {
		return time.Time{}
	}
	return q.Ends(now)
}

// Ends returns when the quiet hours are over that now is in; zero when it is in none.
func (q *QuietHours) Ends(now time.Time) time.Time {
	c, ok := q.clock()
	if !ok || !c.quiet(now) {
		return time.Time{}
	}
	return c.turn(now, true)
}

// Next returns the quiet hours that now is in, from now on, or the next ones; zero when there are none.
func (q *QuietHours) Next(now time.Time) (from, to time.Time) {
	c, ok := q.clock()
	if !ok {
		return from, to
	}
	if from = now; !c.quiet(now) {
		from = c.turn(now, false)
	}
	return from, c.turn(from, true)
}

// Zone returns the time zone of the clocks; UTC when there is no such zone.
func (q *QuietHours) Zone() *time.Location {
	if q == nil {
		return time.UTC
	}
	return sett.TimeZoneOf(q.TimeZone)
}

// ZoneName names the time zone of the clocks.
func (q *QuietHours) ZoneName() string { return cmp.Or(q.TimeZone, "UTC") }

// Words says when they are, such as "from 22:00 to 07:00 (Europe/Berlin)".
func (q *QuietHours) Words() string {
	days := ""
	if len(q.Days) > 0 && len(q.Days) < len(QuietDays()) {
		days = dayNames(q.Days) + " "
	}
	return fmt.Sprintf("%sfrom %s to %s (%s)", days, q.From, q.To, q.ZoneName())
}

// dayNames names days of a week as people do, a row of them by its ends: "Mon to Fri", "Sat and Sun".
func dayNames(days []string) string {
	var names []string
	first, last := -1, -1
	for i, day := range QuietDays() {
		if slices.Contains(days, day) {
			if last = i; first < 0 {
				first = i
			}
			names = append(names, strings.ToUpper(day[:1])+day[1:])
		}
	}
	if n := len(names); n > 2 && last-first == n-1 {
		return names[0] + " to " + names[n-1]
	}
	return phrase.And(names)
}

// quietClock is quiet hours as they are computed with. Times are seconds since midnight on a clock of the zone.
type quietClock struct {
	from, to int64
	zone     *time.Location
	on       [7]bool // by time.Weekday
}

const secondsOfDay = 24 * 60 * 60

// clock returns what is computed with; ok is false for none, and for what no rule lets in.
func (q *QuietHours) clock() (c quietClock, ok bool) {
	if q == nil {
		return c, false
	}
	from, to := clockMinute(q.From), clockMinute(q.To)
	zone, err := cron.TimeZone(q.TimeZone)
	if from < 0 || to < 0 || from == to || from*60 == secondsOfDay || err != nil {
		return c, false
	}
	c = quietClock{from: from * 60, to: to * 60, zone: zone}
	for i, day := range QuietDays() {
		c.on[(i+1)%7] = len(q.Days) == 0 || slices.Contains(q.Days, day)
	}
	return c, !c.endless()
}

// endless reports whether there is no time that is not quiet.
func (c quietClock) endless() bool {
	return c.from == 0 && c.to == secondsOfDay && !slices.Contains(c.on[:], false)
}

// clockMinute returns the minute of a day that a text such as 07:00 names; 24:00 is the last one's end. It is -1 for what is
// no time.
func clockMinute(text string) int64 {
	if text == "24:00" {
		return secondsOfDay / 60
	}
	t, err := time.Parse("15:04", text)
	if err != nil || len(text) != len("15:04") {
		return -1
	}
	return int64(t.Hour()*60 + t.Minute())
}

// quiet reports whether the clocks show a quiet time.
func (c quietClock) quiet(at time.Time) bool {
	second, today := c.shown(at)
	yesterday := (today + 6) % 7
	if c.from < c.to {
		return c.on[today] && second >= c.from && second < c.to
	}
	return c.on[today] && second >= c.from || c.on[yesterday] && second < c.to
}

// shown returns what the clocks show.
func (c quietClock) shown(at time.Time) (second int64, day time.Weekday) {
	local := at.In(c.zone)
	return int64(local.Hour()*60*60 + local.Minute()*60 + local.Second()), local.Weekday()
}

// mostTurns is more than how often quiet begins, ends, or the clocks are moved, in the week until it has to.
const mostTurns = 32

// turn returns the first time after at at which it is not as it was before: quiet, or not. That is where the clocks show the
// edge, or where they are moved.
func (c quietClock) turn(at time.Time, before bool) time.Time {
	for range mostTurns {
		second, _ := c.shown(at)
		next := at.Unix() + 1 + (c.edge(before)-second-1+secondsOfDay)%secondsOfDay
		if end := cron.ClocksMove(at, c.zone); end < next {
			next = end
		}
		if at = time.Unix(next, 0).UTC(); c.quiet(at) != before {
			break
		}
	}
	return at
}

// edge is the time on a clock at which it turns from quiet, or to it.
func (c quietClock) edge(quiet bool) int64 {
	if quiet {
		return c.to
	}
	return c.from
}

// QuietHoursChange is quiet hours as people write them. They are sent as a whole: what is left out of them has its default.
type QuietHoursChange struct {
	From     sett.Optional[string]           `json:"from,omitzero" doc:"When they start: a time of day from 00:00 to 23:59." required:"true" range:"5,5" example:"22:00"`
	To       sett.Optional[string]           `json:"to,omitzero" doc:"When they end: a time of day up to 24:00. A time before from is on the next day." required:"true" range:"5,5" example:"07:00"`
	TimeZone sett.Optional[string]           `json:"time_zone,omitzero" doc:"The time zone: an IANA name, or one of Rails; UTC by default." range:"0,255" example:"Europe/Berlin"`
	Days     sett.Optional[[]string]         `json:"days,omitzero" doc:"The days on which they start; every day if empty, which is the default." enum:"mon,tue,wed,thu,fri,sat,sun"`
	Urgent   sett.Optional[sett.LenientBool] `json:"urgent_at_once,omitzero" doc:"Urgent events are sent at once despite quiet hours: down, up, check_in_missing, check_in_failed, check_in_reporting, alarm_alert, alarm_ok, rate_exceeded and volume_spike. True by default."`

	unknown []string // keys that there are not
}

func quietHoursNames() []string { return []string{"from", "to", "time_zone", "days", "urgent_at_once"} }

// UnmarshalJSON records unknown keys: a misspelled key would cause notifications at night.
func (c *QuietHoursChange) UnmarshalJSON(data []byte) error {
	type fields QuietHoursChange // without this method
	if err := json.Unmarshal(data, (*fields)(c)); err != nil {
		return err
	}
	c.unknown = sett.UnknownKeys(data, quietHoursNames())
	return nil
}

// setQuietHours takes over the quiet hours of an integration.
func (c IntegrationChange) setQuietHours(p *sett.Problems, kind IntegrationKind, s *IntegrationSettings) {
	const field = "quiet_hours"
	switch {
	case c.QuietHours.Null:
		s.QuietHours = nil
	case !sett.Check(p, field, c.QuietHours):
	case kind.Tracker:
		p.Add(field, "can't be set for an issue tracker: issues wake no one")
	default:
		s.QuietHours = c.QuietHours.Value.apply(p, field)
	}
}

// apply returns the quiet hours, and notes what is wrong with them.
func (c QuietHoursChange) apply(p *sett.Problems, field string) *QuietHours {
	for _, name := range c.unknown {
		p.Add(field, "must be some of %s", NotOneOf(quietHoursNames(), name))
	}
	q, urgent := &QuietHours{}, sett.LenientBool(true)
	from := c.setTime(p, field+".from", c.From, &q.From)
	to := c.setTime(p, field+".to", c.To, &q.To)
	if from && q.From == "24:00" {
		p.Add(field+".from", "must be before 24:00: the next day starts at 00:00")
	}
	if from && to && q.From == q.To {
		p.Add(field+".to", "must not be the same as from: for whole days, use 00:00 to 24:00 and list the days")
	}
	sett.SetField(p, field+".time_zone", c.TimeZone, &q.TimeZone, "")
	sett.CheckTimeZone(p, field+".time_zone", q.TimeZone)
	q.Days = c.days(p, field+".days")
	if q.From == "00:00" && q.To == "24:00" && (len(q.Days) == 0 || len(q.Days) == len(QuietDays())) {
		p.Add(field+".days", "must leave out a day if they last from 00:00 to 24:00: no notification would ever be sent")
	}
	sett.SetField(p, field+".urgent_at_once", c.Urgent, &urgent, true)
	q.Urgent = bool(urgent)
	return q
}

// setTime takes over a time of day and reports whether it is one.
func (c QuietHoursChange) setTime(p *sett.Problems, field string, sent sett.Optional[string], dst *string) bool {
	sett.SetField(p, field, sent, dst, "")
	switch {
	case sent.Bad != "":
		return false
	case *dst == "":
		p.Add(field, "can't be blank: give a time of day such as 22:00")
	case clockMinute(*dst) < 0:
		p.Add(field, "must be a time of day such as 22:00 or 07:30; %s is none", phrase.Quote(*dst))
	}
	return clockMinute(*dst) >= 0
}

// days returns the days that were sent, each once, in their order in the week.
func (c QuietHoursChange) days(p *sett.Problems, field string) (days []string) {
	if !sett.Check(p, field, c.Days) || len(c.Days.Value) == 0 {
		return nil
	}
	for _, name := range c.Days.Value {
		if !slices.Contains(QuietDays(), name) {
			p.Add(field, "must be some of %s", NotOneOf(QuietDays(), name))
			return nil
		}
	}
	return slices.DeleteFunc(QuietDays(), func(day string) bool { return !slices.Contains(c.Days.Value, day) })
}
