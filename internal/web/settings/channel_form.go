package settings

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sett/internal/channel"
	"sett/internal/sett"
	"sett/internal/web"
)

// channelForm is the page of one channel.
type channelForm struct {
	page
	ID       int64 // 0: it is to be made
	Name     string
	Kind     channel.Kind
	Where    web.Fields
	Groups   []group
	Rate     web.Fields
	Filters  []filterRow
	Events   []web.Choice // that a filter can be of
	Filtered string       // what is wrong with the filters
	Limit    web.Fields
	Quiet    *quietForm // nil: it can have no quiet hours
}

// group is boxes to tick under one name.
type group struct {
	Name, Legend, Hint, Problem string
	All                         bool // none of them stands for all
	Fresh                       bool // nobody has chosen yet
	Ticks                       []tick
}

// chosen is how many of the boxes are ticked.
func (g group) chosen() (n int) {
	for _, t := range g.Ticks {
		if t.On {
			n++
		}
	}
	return n
}

// Said sums a group up, for who does not open it.
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

// Open reports whether a group is shown at first: of a new channel what it is told of, of every one what is wrong.
func (g group) Open() bool { return g.Fresh || g.Problem != "" }

// tick is one of them.
type tick struct {
	Value, Label string
	On           bool
}

// filterRow is one filter.
type filterRow struct{ Event, Query string }

const (
	mostChoices = 200 // sites, check-ins and environments that a form offers
	moreFilters = 2   // rows for new ones
)

// optionPrefix stands before the names of options in forms, as it does in what is said about them.
const optionPrefix = "options."

// newChannelForm draws a form from what its kind describes.
func (p *pages) newChannelForm(r *http.Request, kind channel.Kind, i sett.Integration) (*channelForm, error) {
	form := &channelForm{page: p.newPage(r, kind.Name, "channels"), ID: i.ID, Kind: kind, Name: newChannelCard(i).Name, Where: optionFields(kind, i.ID != 0, i.Options)}
	groups, err := p.groupsOf(r, kind, i)
	form.Groups = groups
	threshold := ""
	if i.Threshold > 0 {
		threshold = strconv.FormatInt(i.Threshold, 10)
	}
	form.Rate = web.Fields{
		{Name: "threshold", Label: "More often than", Kind: "number", Value: threshold, Optional: true},
		{Name: "rate", Label: "Within", Value: string(i.Rate), Choices: web.Choices("", "–", "min", "a minute", "hour", "an hour", "wday", "a day", "week", "a week")},
	}
	for _, f := range i.Filters {
		form.Filters = append(form.Filters, filterRow{f.Event, f.Query})
	}
	form.Filters = append(form.Filters, make([]filterRow, moreFilters)...)
	form.Events = web.Choices(sett.EveryEvent, "Every event")
	for _, e := range rulesOf(kind).Events() {
		form.Events = append(form.Events, web.Choice{Value: string(e), Label: eventLabel(e)})
	}
	form.Limit = web.Fields{{
		Name: "notification_limit", Label: "Maximum messages in ten minutes", Kind: "number", Value: strconv.FormatInt(i.NotificationLimit, 10),
		Hint: "Further messages are summarized.",
	}}
	if !kind.Tracker {
		form.Quiet = newQuietForm(i.QuietHours, p.Now())
	}
	return form, err
}

// Rated reports whether a threshold is set, or is wrong.
func (f *channelForm) Rated() bool {
	return slices.ContainsFunc(f.Rate, func(field web.Field) bool { return field.Value != "" || field.Problem != "" })
}

// Filtering reports whether there are filters, or something is wrong with them.
func (f *channelForm) Filtering() bool { return f.Filtered != "" || len(f.Filters) > moreFilters }

func rulesOf(kind channel.Kind) sett.IntegrationKind {
	rules, _ := sett.FindIntegrationKind(channel.Rules(), kind.Type)
	return rules
}

// optionFields are fields of what a kind has to know. A secret that was said stays unless another one is.
func optionFields(kind channel.Kind, made bool, options map[string]any) (fields web.Fields) {
	shown := kind.Show(options)
	for _, o := range kind.AllOptions() {
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
		fields = append(fields, f)
	}
	return fields
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

// groupsOf are the events, sites, check-ins and environments to choose from.
func (p *pages) groupsOf(r *http.Request, kind channel.Kind, s sett.Integration) (groups []group, err error) {
	events := group{Name: "events", Legend: "Notify when", Fresh: s.ID == 0}
	for _, e := range rulesOf(kind).Events() {
		events.Ticks = append(events.Ticks, tick{string(e), eventLabel(e), slices.Contains(s.Events, e)})
	}
	if groups = append(groups, events); kind.LinkOnly {
		return nil, nil // it receives no notifications
	}
	if kind.Tracker {
		groups[0].Legend, groups[0].Hint = "Automatically when", "Creates, closes and reopens issues for these events. If you select none, the tracker is only used on request."
	}
	project, all := web.Project(r), sett.Page{Size: mostChoices}
	sites, _, err := p.Store.ListSites(r.Context(), project, all)
	if err != nil {
		return nil, err
	}
	checkIns, _, err := p.Store.ListCheckIns(r.Context(), project, all)
	if err != nil {
		return nil, err
	}
	environments, _, err := p.Store.ListEnvironments(r.Context(), project, all)
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

// ticked ticks those that were chosen. What was chosen and is not known, such as a site that is gone, is offered as well.
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

// explain puts each problem to what it is about.
func (f *channelForm) explain(problems sett.Problems) {
	f.Where.Explain(problems)
	f.Rate.Explain(problems)
	f.Limit.Explain(problems)
	if f.Quiet != nil {
		f.Quiet.explain(problems)
	}
	for _, problem := range problems {
		for i := range f.Groups {
			if rest, ok := strings.CutPrefix(problem, f.Groups[i].Name); ok {
				f.Groups[i].Problem = f.Groups[i].Legend + ":" + rest + "."
			}
		}
		if rest, ok := strings.CutPrefix(problem, "filters"); ok {
			f.Filtered = "Filters" + rest + "."
		}
	}
}

// channelChange is what a form says about a channel of a kind. made says that it was made before: then what is empty is meant.
func channelChange(kind channel.Kind, made bool, form url.Values) sett.IntegrationChange {
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
		return sett.IntegrationChange{Options: sett.Some(options)}
	}
	c := sett.IntegrationChange{
		Options: sett.Some(options), Events: sett.Some(form["events"]), ExcludedEnvironments: sett.Some(form["excluded_environments"]),
		Filters: sett.Some(filtersIn(form)), Rate: sett.Some(form.Get("rate")), NotificationLimit: number(form.Get("notification_limit")),
	}
	if !kind.Tracker {
		c.SiteIDs, c.CheckInIDs, c.QuietHours = sett.Some(form["site_ids"]), sett.Some(form["check_in_ids"]), quietIn(form)
	}
	c.Rate.Null = c.Rate.Value == ""
	if text := form.Get("threshold"); text != "" {
		c.Threshold = number(text)
	} else {
		c.Threshold = sett.Optional[int64]{Sent: true, Null: true}
	}
	return c
}

// filtersIn reads the rows of filters; those without a query are none.
func filtersIn(form url.Values) (filters []sett.IntegrationFilter) {
	events, queries := form["filter_event"], form["filter_query"]
	for i := range min(len(events), len(queries)) {
		if strings.TrimSpace(queries[i]) != "" {
			filters = append(filters, sett.IntegrationFilter{Event: events[i], Query: queries[i]})
		}
	}
	return filters
}

// sentChannel is a channel as it was sent, whatever is wrong with it; secrets of before stay set.
func sentChannel(i sett.Integration, c sett.IntegrationChange) sett.Integration {
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
		i.Events = append(i.Events, sett.AlertEvent(e))
	}
	i.SiteIDs, i.CheckInIDs, i.ExcludedEnvironments, i.Filters = c.SiteIDs.Value, c.CheckInIDs.Value, c.ExcludedEnvironments.Value, c.Filters.Value
	i.Rate, i.Threshold, i.NotificationLimit = sett.AlertRate(c.Rate.Value), c.Threshold.Value, c.NotificationLimit.Value
	i.QuietHours = sentQuiet(c.QuietHours)
	return i
}
