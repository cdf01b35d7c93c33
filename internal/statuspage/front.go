package statuspage

import (
	"time"

	"sett/internal/sett"
)

// frontPage is what people see first.
type frontPage struct {
	Shell
	Mood       mood
	Caption    string
	CheckedAt  time.Time // zero: nothing was checked yet
	Components []componentRow
	Current    []incidentBlock
	Planned    []incidentBlock
	Past       []pastDay
	Mail       bool // people can subscribe by mail
}

// componentRow is a component with its days.
type componentRow struct {
	sett.ComponentView
	Mood    mood
	Word    string
	Bars    []bar
	Text    string // what the bars show
	Percent string // "" without data
}

// pastDay is a day on which incidents began that are over.
type pastDay struct {
	Day       string
	Incidents []incidentBlock
}

func (f *face) frontPage() frontPage {
	view := f.drawn.view
	overall := view.Overall()
	page := frontPage{
		Shell: f.shell(view.Page.Name, ""), Mood: overallMood(overall), Caption: caption(view.Page, overall), Mail: f.pages.Mail,
	}
	page.Script = f.pages.script
	for _, c := range view.Components {
		page.Components = append(page.Components, rowOf(c))
		if c.SeenAt.After(page.CheckedAt) {
			page.CheckedAt = c.SeenAt
		}
	}
	for _, i := range view.Incidents {
		page.add(f.block(i))
	}
	return page
}

func rowOf(c sett.ComponentView) componentRow {
	row := componentRow{ComponentView: c, Mood: stateMood(c.State), Word: stateWord(c), Bars: barsOf(c.Days), Text: barsText(c.Days)}
	if percent, measured := uptime(c.Days); measured {
		row.Percent = percentText(percent)
	}
	return row
}

// add puts an incident where it belongs: with what is going on, with what is to come, or on its day.
func (p *frontPage) add(b incidentBlock) {
	switch {
	case b.Status.Over():
		p.addPast(b)
	case b.Kind == sett.Maintenance && b.Status == sett.Scheduled:
		p.Planned = append(p.Planned, b)
	default:
		p.Current = append(p.Current, b)
	}
}

func (p *frontPage) addPast(b incidentBlock) {
	day := b.StartsAt.UTC().Format("2 January 2006")
	if n := len(p.Past); n == 0 || p.Past[n-1].Day != day {
		p.Past = append(p.Past, pastDay{Day: day})
	}
	last := &p.Past[len(p.Past)-1]
	last.Incidents = append(last.Incidents, b)
}
