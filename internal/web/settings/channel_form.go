package settings

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/web"
)

// channelForm is the page of one channel.
type channelForm struct {
	page
	ID       int64 // 0: a new channel
	Name     string
	Kind     channel.Kind
	Where    web.Fields // what the kind needs
	More     web.Fields // its options that have defaults
	Says     string     // what it sends, as sentences
	Hook     *hook      // nil: it has none
	Groups   []group
	Rate     web.Fields
	Filters  []filterRow
	Events   []web.Choice // events that can have filters
	Filtered string       // problem of the filters
	Limit    web.Fields
	Escalate web.Fields // none: there is no other channel
	Quiet    *quietForm // nil: the kind has no quiet hours
}

// group is a group of checkboxes with the same field name.
type group struct {
	Name, Legend, Hint, Problem string
	All                         bool // selecting none means all
	Ticks                       []tick
}

// chosen returns the number of checked checkboxes.
func (g group) chosen() (n int) {
	for _, t := range g.Ticks {
		if t.On {
			n++
		}
	}
	return n
}

// Said summarizes a folded group.
func (g group) Said() string {
	n := g.chosen()
	switch {
	case n > 0:
		return fmt.Sprintf("%d of %d", n, len(g.Ticks))
	case g.All:
		return "all"
	default:
		return "none"
	}
}

// Open reports whether a group is unfolded.
func (g group) Open() bool { return g.Problem != "" }

// tick is one checkbox.
type tick struct {
	Value, Label string
	On           bool
}

// filterRow is one filter.
type filterRow struct{ Event, Query string }

const (
	mostChoices = 200 // sites, check-ins and environments that a form offers
	moreFilters = 2   // empty rows for new filters
)

// optionPrefix is the prefix of option names in forms and in problems.
const optionPrefix = "options."

// newChannelForm returns a form from the description of the kind.
func (p *pages) newChannelForm(r *http.Request, kind channel.Kind, i alerts.Integration) (*channelForm, error) {
	card := newChannelCard(i)
	form := &channelForm{page: p.newPage(r, kind.Name, "channels"), ID: i.ID, Kind: kind, Name: card.Name, Says: card.Wants}
	form.Where, form.More = optionFields(kind, i.ID != 0, i.Options)
	form.setHook(hookOf(kind, i, p.BaseURL))
	groups, err := p.groupsOf(r, kind, i)
	form.Groups = groups
	if err == nil && !kind.LinkOnly {
		form.addRules(kind, i, p.Now())
	}
	if err == nil && !kind.LinkOnly && !kind.Tracker {
		var all []alerts.Integration
		all, err = p.Deliveries.ListIntegrations(r.Context(), web.Project(r))
		form.Escalate, form.Says = escalationFields(i, all), withEscalated(form.Says, i, all)
	}
	return form, err
}

// addRules adds what limits the messages of a channel: thresholds, filters, the most in ten minutes, and quiet hours.
func (f *channelForm) addRules(kind channel.Kind, i alerts.Integration, now time.Time) {
	if !kind.Tracker {
		f.Rate, f.Quiet = rateFields(i), newQuietForm(i.QuietHours, now)
	}
	for _, filter := range i.Filters {
		f.Filters = append(f.Filters, filterRow{filter.Event, filter.Query})
	}
	f.Filters = append(f.Filters, make([]filterRow, moreFilters)...)
	f.Events = web.Choices(alerts.EveryEvent, "Every event")
	for _, e := range rulesOf(kind).Events() {
		f.Events = append(f.Events, web.Choice{Value: string(e), Label: eventLabel(e)})
	}
	f.Limit = web.Fields{{
		Name: "notification_limit", Label: "Maximum messages in ten minutes", Kind: "number", Value: strconv.FormatInt(i.NotificationLimit, 10),
		Hint: "Further messages are summarized.",
	}}
}

func rateFields(i alerts.Integration) web.Fields {
	threshold := ""
	if i.Threshold > 0 {
		threshold = strconv.FormatInt(i.Threshold, 10)
	}
	return web.Fields{
		{Name: "threshold", Label: "More often than", Kind: "number", Value: threshold, Optional: true},
		{Name: "rate", Label: "Within", Value: string(i.Rate), Choices: web.Choices("", "–", "min", "a minute", "hour", "an hour", "wday", "a day", "week", "a week")},
	}
}

// Rated reports whether a threshold is set or has a problem.
func (f *channelForm) Rated() bool {
	return slices.ContainsFunc(f.Rate, func(field web.Field) bool { return field.Value != "" || field.Problem != "" })
}

// Open reports whether the options are unfolded: when one of them has a problem.
func (f *channelForm) Open() bool {
	wrong := func(field web.Field) bool { return field.Problem != "" }
	return slices.ContainsFunc(slices.Concat(f.More, f.Rate, f.Limit, f.Escalate), wrong) || f.Filtered != "" ||
		slices.ContainsFunc(f.Groups, group.Open) || f.Quiet != nil && f.Quiet.wrong()
}

// Filtering reports whether there are filters or they have a problem.
func (f *channelForm) Filtering() bool { return f.Filtered != "" || len(f.Filters) > moreFilters }

func rulesOf(kind channel.Kind) alerts.IntegrationKind {
	rules, _ := alerts.FindIntegrationKind(channel.Rules(), kind.Type)
	return rules
}

// optionFields returns the fields of what a kind needs, and of its other options. A secret stays unless a new one is entered.
func optionFields(kind channel.Kind, made bool, options map[string]any) (needed, others web.Fields) {
	shown := kind.Show(options)
	for _, o := range kind.AllOptions() {
		if o.Step == channel.Later && !made {
			continue
		}
		text, set := shown[o.Name].(string)
		if !set && !made {
			text = o.Default
		}
		f := web.Field{Name: optionPrefix + o.Name, Label: o.Label, Hint: o.About, Kind: "text", Value: text, Optional: !o.Required}
		switch {
		case o.Secret:
			f.Kind, f.Value, f.Complete = "password", "", "new-password"
			switch {
			case made && set && text != "":
				f.Hint, f.Optional = f.Hint+" A value is set. Leave this empty to keep it.", true
			case o.Generate != nil:
				f.Hint, f.Optional = f.Hint+" Leave this empty to generate one.", true
			}
		case o.Form == channel.Flag:
			f.Kind, f.On, f.Value = "tick", text == "1", "1"
		case o.Form == channel.Choice:
			f.Choices = optionChoices(o)
		case o.Form == channel.Address:
			f.Code = true
		}
		if o.Fold() {
			others = append(others, f)
		} else {
			needed = append(needed, f)
		}
	}
	return needed, others
}

func optionChoices(o channel.Option) (choices []web.Choice) {
	if !o.Required && o.Default == "" {
		choices = append(choices, web.Choice{Value: "", Label: "–"})
	}
	for _, c := range o.Choices {
		choices = append(choices, web.Choice{Value: c, Label: c})
	}
	return choices
}

// groupsOf returns the events, sites, check-ins and environments to choose from.
func (p *pages) groupsOf(r *http.Request, kind channel.Kind, s alerts.Integration) (groups []group, err error) {
	events := group{Name: "events", Legend: "Events"}
	for _, e := range rulesOf(kind).Events() {
		events.Ticks = append(events.Ticks, tick{string(e), eventLabel(e), slices.Contains(s.Events, e)})
	}
	if groups = append(groups, events); kind.LinkOnly {
		return nil, nil // it receives no notifications
	}
	if kind.Tracker {
		groups[0].Hint = "Creates, closes and reopens issues for these events. If you select none, issues are only created on request."
	}
	project, all := web.Project(r), sett.Page{Size: mostChoices}
	sites, _, err := p.Uptime.ListSites(r.Context(), project, all)
	if err != nil {
		return nil, err
	}
	checkIns, _, err := p.Uptime.ListCheckIns(r.Context(), project, all)
	if err != nil {
		return nil, err
	}
	environments, _, err := p.Accounts.ListEnvironments(r.Context(), project, all)
	if err != nil {
		return nil, err
	}
	var known [3][]tick
	for _, site := range sites {
		known[0] = append(known[0], tick{Value: site.ID.String(), Label: site.Name})
	}
	for _, c := range checkIns {
		known[1] = append(known[1], tick{Value: c.ID, Label: c.Name})
	}
	for _, e := range environments {
		known[2] = append(known[2], tick{Value: e.Name, Label: e.Name})
	}
	if !kind.Tracker {
		groups = append(groups,
			group{Name: "site_ids", Legend: "Sites", Hint: "If you select none, all sites are included.", All: true, Ticks: ticked(known[0], s.SiteIDs)},
			group{Name: "check_in_ids", Legend: "Check-ins", Hint: "If you select none, all check-ins are included.", All: true, Ticks: ticked(known[1], s.CheckInIDs)})
	}
	groups = append(groups, group{Name: "excluded_environments", Legend: "Excluded environments", Ticks: ticked(known[2], s.ExcludedEnvironments)})
	return slices.DeleteFunc(groups, func(g group) bool { return len(g.Ticks) == 0 }), nil
}

// ticked checks the chosen checkboxes. Chosen values that no longer exist, such as a deleted site, are also offered.
func ticked(known []tick, chosen []string) []tick {
	for _, value := range chosen {
		i := slices.IndexFunc(known, func(t tick) bool { return t.Value == value })
		if i < 0 {
			known, i = append(known, tick{Value: value, Label: value}), len(known)
		}
		known[i].On = true
	}
	return known
}

// explain assigns each problem to its field or group.
func (f *channelForm) explain(problems sett.Problems) {
	f.Where.Explain(problems)
	f.More.Explain(problems)
	f.Rate.Explain(problems)
	f.Limit.Explain(problems)
	f.Escalate.Explain(problems)
	if f.Quiet != nil {
		f.Quiet.explain(problems)
	}
	for _, problem := range problems {
		for i := range f.Groups {
			if rest, ok := strings.CutPrefix(problem, f.Groups[i].Name); ok {
				f.Groups[i].Problem = f.Groups[i].Legend + ":" + web.PlainProblem(rest) + "."
			}
		}
		if rest, ok := strings.CutPrefix(problem, "filters"); ok {
			f.Filtered = "Filters: " + strings.TrimLeft(rest, "[]0123456789 ") + "."
		}
	}
}

// channelChange returns the change of a form. made means that the channel exists: then empty values are intended.
func channelChange(kind channel.Kind, made bool, form url.Values) alerts.IntegrationChange {
	options := map[string]any{}
	for _, o := range kind.AllOptions() {
		text := strings.TrimSpace(form.Get(optionPrefix + o.Name))
		switch {
		case o.Form == channel.Flag:
			options[o.Name] = text == "1"
		case text != "":
			options[o.Name] = text
		case made && !o.Secret:
			options[o.Name] = ""
		}
	}
	if kind.LinkOnly {
		return alerts.IntegrationChange{Options: sett.Some(options)}
	}
	c := alerts.IntegrationChange{
		Options: sett.Some(options), Events: sett.Some(form["events"]), ExcludedEnvironments: sett.Some(form["excluded_environments"]),
		Filters: sett.Some(filtersIn(form)), Rate: sett.Some(form.Get("rate")), NotificationLimit: number(form.Get("notification_limit")),
	}
	if !kind.Tracker {
		c.SiteIDs, c.CheckInIDs, c.QuietHours = sett.Some(form["site_ids"]), sett.Some(form["check_in_ids"]), quietIn(form)
		c.Escalation = escalationIn(form)
	}
	c.Rate.Null = c.Rate.Value == ""
	if text := form.Get("threshold"); text != "" {
		c.Threshold = number(text)
	} else {
		c.Threshold = sett.Optional[int64]{Sent: true, Null: true}
	}
	return c
}

// filtersIn reads the rows of filters; rows without a query are ignored.
func filtersIn(form url.Values) (filters []alerts.IntegrationFilter) {
	events, queries := form["filter_event"], form["filter_query"]
	for i := range min(len(events), len(queries)) {
		if strings.TrimSpace(queries[i]) != "" {
			filters = append(filters, alerts.IntegrationFilter{Event: events[i], Query: queries[i]})
		}
	}
	return filters
}

// sentChannel returns a channel with the sent values, even if they are invalid; existing secrets stay set.
func sentChannel(i alerts.Integration, c alerts.IntegrationChange) alerts.Integration {
	options := map[string]any{}
	for name, value := range i.Options {
		options[name] = value
	}
	for name, value := range c.Options.Value {
		options[name] = fmt.Sprint(value)
		if on, flag := value.(bool); flag {
			options[name] = map[bool]string{false: "0", true: "1"}[on]
		}
	}
	i.Options, i.Events = options, nil
	for _, e := range c.Events.Value {
		i.Events = append(i.Events, alerts.AlertEvent(e))
	}
	i.SiteIDs, i.CheckInIDs, i.ExcludedEnvironments, i.Filters = c.SiteIDs.Value, c.CheckInIDs.Value, c.ExcludedEnvironments.Value, c.Filters.Value
	i.Rate, i.Threshold, i.NotificationLimit = alerts.AlertRate(c.Rate.Value), c.Threshold.Value, c.NotificationLimit.Value
	i.QuietHours, i.Escalation = sentQuiet(c.QuietHours), sentEscalation(i.Escalation, c.Escalation)
	return i
}
