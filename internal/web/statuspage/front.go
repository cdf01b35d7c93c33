package statuspage

import (
	"slices"
	"time"

	"sett/internal/sett/status"
	"sett/internal/sett/status/locale"
)

// frontPage is the main page.
type frontPage struct {
	Shell
	Mood      mood
	Caption   string
	CheckedAt time.Time // zero if no check has run yet
	Paused    bool      // checks of all components are paused
	Groups    []componentGroup
	Current   []incidentBlock
	Planned   []incidentBlock
	Past      []pastDay
	Mail      bool // people can subscribe by email
	More      bool // some incidents are only in the history

	past int // incidents so far
}

// componentRow is a component, or a group of them, with its days.
type componentRow struct {
	Name        string
	Description string
	Mood        mood
	Word        string
	Bars        []bar
	Text        string // what the bars show
	Percent     string // "" without data
	Note        string // what people say of its state
	Until       time.Time
	Response    *responseChart // nil: nothing to show
}

// componentGroup is the components of a group, below a row that sums them up; or a single one without a group.
type componentGroup struct {
	componentRow
	Name       string // "" : a component without a group
	Open       bool   // something in it is not up
	Components []componentRow
}

// pastDay is the past incidents that started on one day.
type pastDay struct {
	Day       string
	At        time.Time // of its first incident, for visitors in another time zone
	Incidents []incidentBlock
}

func (f *variant) frontPage() frontPage {
	view := f.rendered.view
	overall := view.Overall()
	page := frontPage{
		Shell: f.shell(view.Page.Name, ""), Mood: overallMood(overall), Caption: caption(f.lang, view, overall), Paused: allPaused(view), Mail: f.pages.Mail,
	}
	page.Description, page.Picture = page.Caption, f.picture(cardStem, f.card())
	for _, g := range view.Groups() {
		page.Groups = append(page.Groups, groupOf(f.lang, g, f.rendered.responses.times))
	}
	for _, c := range view.Components {
		if c.SeenAt.After(page.CheckedAt) {
			page.CheckedAt = c.SeenAt
		}
	}
	for _, i := range byListing(view.Incidents) {
		page.add(f.block(i))
	}
	return page
}

// Limits of the incidents on the front page, which keep it small. The rest is on the incidents' own pages.
const (
	mostOpen    = 10 // active incidents, and as many scheduled ones
	mostPast    = 15 // past incidents
	openUpdates = 5  // newest updates of an incident that is not over
	pastUpdates = 3  // newest updates of a past incident
	openText    = 1000
	pastText    = 100 // characters of an update
)

// byListing sorts incidents for display, the newest first.
func byListing(incidents []status.StatusIncident) []status.StatusIncident {
	incidents = slices.Clone(incidents)
	slices.SortStableFunc(incidents, func(a, b status.StatusIncident) int { return b.ListedAt().Compare(a.ListedAt()) })
	return incidents
}

func rowOf(l locale.Language, c status.ComponentView) componentRow {
	row := componentRow{
		Name: c.Name, Description: c.Description, Mood: stateMood(c.State), Word: l.Text(stateKey(c)), Bars: barsOf(c.Days), Text: c.Summary(l),
		Note: c.Manual.Note, Until: c.Manual.Until,
	}
	row.Percent = percentWords(l, status.ComponentGroup{Components: []status.ComponentView{c}})
	return row
}

func groupOf(l locale.Language, g status.ComponentGroup, times map[int64]status.ResponseTimes) componentGroup {
	group := componentGroup{Name: g.Name}
	for _, c := range g.Components {
		row := rowOf(l, c)
		row.Response = chartOf(l, times[c.ID])
		group.Components = append(group.Components, row)
	}
	if g.Name == "" {
		return group
	}
	state, worst := g.State(), g.Worst()
	group.Open = state == status.OverallMixed || state == status.OverallDown
	group.componentRow = componentRow{Mood: overallMood(state), Word: l.Text(groupKey(g)), Bars: barsOf(worst.Days), Text: worst.Summary(l)}
	group.Percent = percentWords(l, g)
	return group
}

// percentWords returns the uptime of components with the days that it is of: those since the first with data. "" without data.
func percentWords(l locale.Language, g status.ComponentGroup) string {
	percent, measured := g.Percent()
	switch days := g.MeasuredDays(); {
	case !measured:
		return ""
	case days == 1:
		return l.Text("since_today", l.Percent(percent))
	default:
		return l.Text("over_days", l.Percent(percent), days)
	}
}

// add adds an incident to the current, scheduled or past ones.
func (p *frontPage) add(b incidentBlock) {
	switch planned := b.Kind == status.Maintenance && b.Status == status.Scheduled; {
	case b.Status.Over():
		p.addPast(b.brief(pastUpdates, pastText))
	case planned && len(p.Planned) < mostOpen:
		p.Planned = append(p.Planned, b.brief(openUpdates, openText))
	case !planned && len(p.Current) < mostOpen:
		p.Current = append(p.Current, b.brief(openUpdates, openText))
	default:
		p.More = true
	}
}

// brief returns the block with only its newest updates, shortened.
func (b incidentBlock) brief(updates, text int) incidentBlock {
	b.More = len(b.Updates) > updates
	b.Updates = slices.Clone(b.Updates[:min(updates, len(b.Updates))])
	for n, u := range b.Updates {
		if short := beginning(u.Message, text); short != u.Message {
			b.Updates[n].Message, b.More = short, true
		}
	}
	return b
}

func (p *frontPage) addPast(b incidentBlock) {
	if p.past++; p.past > mostPast {
		p.More = true
		return
	}
	day := p.Lang.Date(b.ListedAt())
	if n := len(p.Past); n == 0 || p.Past[n-1].Day != day {
		p.Past = append(p.Past, pastDay{Day: day, At: b.ListedAt()})
	}
	last := &p.Past[len(p.Past)-1]
	last.Incidents = append(last.Incidents, b)
}
