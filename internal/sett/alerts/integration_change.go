package alerts

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/base/phrase"
	"sett/internal/sett"
)

// What the settings of an integration may be at most.
const (
	maxThreshold         = 1_000_000
	maxNotificationLimit = 100_000
	maxIntegrationIDs    = 1000
	maxExcluded          = 100
	maxFilters           = 50
)

// MaxIntegrations is how many integrations a project may have, active or not: each is asked about every alert.
const MaxIntegrations = 100

// CheckIntegrationCount returns an Invalid error when a project that has so many integrations may have no more.
func CheckIntegrationCount(have int64) error {
	if have < MaxIntegrations {
		return nil
	}
	return sett.Errorf(sett.Invalid, "This project already has %d integrations, and the maximum is %d. Delete one that you no longer need, or change one instead of creating another.", have, MaxIntegrations)
}

// IntegrationChange is the body of an integration's create and update: only the fields that were sent change; null resets
// one to its default. The types and options depend on the kinds of channels, so the caller that knows them describes those two
// fields.
type IntegrationChange struct {
	Type                 sett.Optional[string]              `json:"-"`
	Options              sett.Optional[map[string]any]      `json:"-"`
	Active               sett.Optional[sett.LenientBool]    `json:"active,omitzero" doc:"False: it receives no notifications. True by default."`
	Events               sett.Optional[[]string]            `json:"events,omitzero" doc:"The events that it is notified of. By default occurred, assigned, up, down, slow, fast, cert_will_expire, check_in_missing, check_in_failed, check_in_reporting, alarm_alert and alarm_ok. An issue tracker can have occurred, resolved and unresolved, to create, close and reopen issues automatically; it has none by default. GitHub, GitLab, Jira and Linear can also have commented, for comments in both directions." enum:"occurred,rate_exceeded,resolved,unresolved,assigned,commented,deployed,volume_spike,down,up,slow,fast,cert_will_expire,check_in_missing,check_in_failed,check_in_reporting,alarm_alert,alarm_ok"`
	SiteIDs              sett.Optional[[]string]            `json:"site_ids,omitzero" doc:"The uptime checks that it is notified of; all of them if empty, which is the default."`
	CheckInIDs           sett.Optional[[]string]            `json:"check_in_ids,omitzero" doc:"The check-ins that it is notified of; all of them if empty, which is the default."`
	ExcludedEnvironments sett.Optional[[]string]            `json:"excluded_environments,omitzero" doc:"Environments that it is not notified of; at most 100."`
	Filters              sett.Optional[[]IntegrationFilter] `json:"filters,omitzero" doc:"If there are filters for an event, it is notified only if the fault matches one of them; at most 50."`
	Rate                 sett.Optional[string]              `json:"rate,omitzero" doc:"For rate_exceeded: the time in which occurrences are counted; wday is a day. Requires threshold." enum:"min,hour,wday,week"`
	Threshold            sett.Optional[int64]               `json:"threshold,omitzero" doc:"For rate_exceeded: it is notified when a fault occurs more often than this within rate. Events can have rate_exceeded only with both." range:"1,1000000"`
	NotificationLimit    sett.Optional[int64]               `json:"notification_limit,omitzero" doc:"The maximum number of messages in ten minutes; a summary replaces further messages. 30 by default." range:"1,100000"`
	Escalation           sett.Optional[EscalationChange]    `json:"escalation,omitzero" doc:"Where its urgent alerts are sent on to when no person acknowledges them in time. Replaced as a whole; null, the default, means nowhere. Not for issue trackers."`
	QuietHours           sett.Optional[QuietHoursChange]    `json:"quiet_hours,omitzero" doc:"When it receives no notifications: they are sent when the quiet hours end. Replaced as a whole; null, the default, means none. Not for issue trackers."`
}

// Create returns the settings of a new integration, and notes every field that is wrong in p.
func (c IntegrationChange) Create(p *sett.Problems, kinds []IntegrationKind, now time.Time) (s IntegrationSettings) {
	if sett.SetField(p, "type", c.Type, &s.Type, ""); c.Type.Bad != "" {
		return s // what else is wrong depends on it
	}
	kind := checkIntegrationType(p, kinds, s.Type)
	s.Active, s.NotificationLimit, s.Events = true, DefaultNotificationLimit, kind.DefaultEvents()
	if sett.Check(p, "options", c.Options); c.Options.Bad == "" && kind.Options != nil {
		s.Options = kind.Options(p, nil, c.Options.Value)
	}
	c.apply(p, kind, &s, now)
	return s
}

// Update returns the settings with the change made, and notes every field that is wrong in p.
func (c IntegrationChange) Update(p *sett.Problems, kinds []IntegrationKind, s IntegrationSettings, now time.Time) IntegrationSettings {
	if kind := c.Type.Or(""); c.Type.Sent && kind != s.Type {
		p.Add("type", "can't be changed from %s: create another integration", s.Type)
	}
	kind, ok := FindIntegrationKind(kinds, s.Type)
	switch {
	case c.Options.Sent && !ok:
		p.Add("options", "can't be changed, because this server has no channel of the type %s", s.Type)
	case sett.Check(p, "options", c.Options):
		s.Options = kind.Options(p, s.Options, c.Options.Value)
	case c.Options.Null:
		s.Options = kind.Options(p, nil, nil)
	}
	c.apply(p, kind, &s, now)
	return s
}

// apply takes over the fields that every kind has.
func (c IntegrationChange) apply(p *sett.Problems, kind IntegrationKind, s *IntegrationSettings, now time.Time) {
	active := sett.LenientBool(s.Active)
	sett.SetField(p, "active", c.Active, &active, true)
	s.Active = bool(active)
	s.Events = c.events(p, kind, s.Events)
	s.SiteIDs = setIDs(p, "site_ids", c.SiteIDs, s.SiteIDs)
	s.SiteIDs = once(sett.CanonicalUUIDs(s.SiteIDs))
	s.CheckInIDs = setIDs(p, "check_in_ids", c.CheckInIDs, s.CheckInIDs)
	s.ExcludedEnvironments = c.excluded(p, s.ExcludedEnvironments)
	if sett.SetField(p, "filters", c.Filters, &s.Filters, nil); c.Filters.Sent && c.Filters.Bad == "" {
		checkFilters(p, s.Filters, now)
	}
	c.setRate(p, s)
	sett.SetField(p, "notification_limit", c.NotificationLimit, &s.NotificationLimit, DefaultNotificationLimit)
	checkSpan(p, "notification_limit", c.NotificationLimit, maxNotificationLimit)
	c.setQuietHours(p, kind, s)
	c.setEscalation(p, kind, s)
}

// events returns the events that were sent, each once, or those from before.
func (c IntegrationChange) events(p *sett.Problems, kind IntegrationKind, before []AlertEvent) (after []AlertEvent) {
	switch {
	case c.Events.Null:
		return kind.DefaultEvents()
	case !sett.Check(p, "events", c.Events):
		return before
	}
	for _, name := range c.Events.Value {
		event := AlertEvent(name)
		switch {
		case kind.LinkOnly:
			p.Add("events", "must be empty: nothing is sent to %s, faults are only linked with it", kind.Type)
			return before
		case !slices.Contains(AlertEvents(), event):
			p.Add("events", "must be some of %s", NotOneOf(eventNames(kind.Events()), name))
			return before
		case !slices.Contains(kind.Events(), event):
			p.Add("events", "of an issue tracker must be some of %s", NotOneOf(eventNames(kind.Events()), name))
			return before
		case !slices.Contains(after, event):
			after = append(after, event)
		}
	}
	return after
}

func eventNames(events []AlertEvent) (names []string) {
	for _, e := range events {
		names = append(names, string(e))
	}
	return names
}

// NotOneOf lists the known names, says that the given one is none of them, and which was probably meant.
func NotOneOf(known []string, given string) string {
	text := fmt.Sprintf("%s; %s is none of them", strings.Join(known, ", "), phrase.Quote(given))
	if near, ok := phrase.Nearest(given, known); ok && given != "" {
		text += ", " + near + " is"
	}
	return text
}

// setIDs returns the ids that were sent, each once, or those from before.
func setIDs(p *sett.Problems, field string, sent sett.Optional[[]string], before []string) []string {
	ids := before
	if sett.SetField(p, field, sent, &ids, nil); len(ids) > maxIntegrationIDs {
		p.Add(field, "are too many (maximum is %d)", maxIntegrationIDs)
	}
	return once(ids)
}

// once returns a list without repetitions.
func once(list []string) (short []string) {
	for _, text := range list {
		if !slices.Contains(short, text) {
			short = append(short, text)
		}
	}
	return short
}

// excluded returns the environments that were sent, as intake reads their names, or those from before.
func (c IntegrationChange) excluded(p *sett.Problems, before []string) []string {
	const field = "excluded_environments"
	names := before
	if sett.SetField(p, field, c.ExcludedEnvironments, &names, nil); !c.ExcludedEnvironments.Sent || c.ExcludedEnvironments.Bad != "" {
		return before
	}
	if len(names) > maxExcluded {
		p.Add(field, "are too many (maximum is %d)", maxExcluded)
		return before
	}
	names = slices.Clone(names)
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		sett.CheckName(p, fmt.Sprintf("%s[%d]", field, i), names[i])
	}
	return once(names)
}

func checkFilters(p *sett.Problems, filters []IntegrationFilter, now time.Time) {
	if len(filters) > maxFilters {
		p.Add("filters", "are too many (maximum is %d)", maxFilters)
		return
	}
	for i, f := range filters {
		field := fmt.Sprintf("filters[%d]", i)
		if known := append([]string{EveryEvent}, eventNames(AlertEvents())...); !slices.Contains(known, f.Event) {
			p.Add(field, "event must be one of %s", NotOneOf(known, f.Event))
		}
		if strings.TrimSpace(f.Query) == "" {
			p.Add(field, "query can't be blank")
		}
		sett.CheckSearch(p, field+" query", f.Query, now)
	}
}

// setRate takes over rate and threshold, of which neither says anything alone.
func (c IntegrationChange) setRate(p *sett.Problems, s *IntegrationSettings) {
	rate := string(s.Rate)
	sett.SetField(p, "rate", c.Rate, &rate, "")
	s.Rate = AlertRate(rate)
	if c.Rate.Sent && c.Rate.Bad == "" && !c.Rate.Blank() && s.Rate.Span() == 0 {
		p.Add("rate", "is not included in the list: min, hour, wday, week")
	}
	sett.SetField(p, "threshold", c.Threshold, &s.Threshold, 0)
	checkSpan(p, "threshold", c.Threshold, maxThreshold)
	if c.Rate.Bad != "" || c.Threshold.Bad != "" {
		return
	}
	sent := c.Threshold.Sent && !c.Threshold.Null // then it is 0 only where that is refused already
	if s.Rate == "" && s.Threshold > 0 && (!c.Rate.Sent || c.Rate.Blank()) {
		p.Add("rate", "can't be blank when there is a threshold")
	}
	if s.Rate != "" && s.Threshold == 0 && !sent {
		p.Add("threshold", "can't be blank when there is a rate")
	}
	c.checkRateEvent(p, *s)
}

// checkRateEvent refuses a change that selects rate_exceeded without a rate. Integrations that were stored like this can
// still be changed in other ways.
func (c IntegrationChange) checkRateEvent(p *sett.Problems, s IntegrationSettings) {
	changed := c.Events.Sent || c.Rate.Sent || c.Threshold.Sent
	if changed && c.Events.Bad == "" && slices.Contains(s.Events, AlertRateExceeded) && s.Rate == "" && s.Threshold == 0 {
		p.Add("events", "can have rate_exceeded only with rate and threshold: send both, such as \"rate\": \"hour\" and \"threshold\": 100, or leave rate_exceeded out")
	}
}

// checkSpan notes a number that was sent and is not from 1 to most.
func checkSpan(p *sett.Problems, field string, sent sett.Optional[int64], most int64) {
	if n := sent.Or(1); sent.Bad == "" && (n < 1 || n > most) {
		p.Add(field, "must be from 1 to %d", most)
	}
}
