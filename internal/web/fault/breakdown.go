package fault

import (
	"strings"

	"sett/internal/event/payload"
	"sett/internal/event/useragent"
	"sett/internal/sett/triage"
)

// breakdown is how the newest events of a fault are spread over the values of what was sent with them.
type breakdown struct {
	Of     int64 // events
	Groups []breakdownGroup
}

type breakdownGroup struct {
	Label  string
	Values []breakdownValue
}

// breakdownValue is a value, or all others.
type breakdownValue struct {
	Text  string
	Whole string // what Text is short for; ""
	List  string // path of the list of errors that have it; "" for all others
	Share int    // percent
}

const longestBroken = 80

// breakdownOf shows a breakdown. Facets are in lower case; spelled has some as they were sent.
func breakdownOf(project int64, e triage.FaultExplanation, spelled map[string]string) breakdown {
	b := breakdown{Of: int64(e.Recent + e.Before)}
	for _, top := range e.Breakdown {
		g := breakdownGroup{Label: facetWord(top.Facet)}
		for _, v := range top.Values {
			g.Values = append(g.Values, newBreakdownValue(project, top.Facet, v, spelled))
		}
		g.add("Other", top.Other)
		g.add("Not set", top.None)
		b.Groups = append(b.Groups, g)
	}
	return b
}

// add adds what no single value has, if it is anything.
func (g *breakdownGroup) add(text string, share float64) {
	if n := percent(share); n > 0 {
		g.Values = append(g.Values, breakdownValue{Text: text, Share: n})
	}
}

func newBreakdownValue(project int64, facet string, v triage.FacetCount, spelled map[string]string) breakdownValue {
	text := orWord(spelled[v.Value], v.Value)
	if facet == "browser" || facet == "os" || facet == "device" {
		text = useragent.Spell(text)
	}
	one := breakdownValue{Text: cut(text, longestBroken), Share: percent(v.Share), List: listWith(project, facet, v.Value)}
	if facet == "revision" {
		one.Text = shortOf(text)
	}
	if one.Text != text {
		one.Whole = cut(text, payload.MaxFacetText)
	}
	return one
}

// spellings returns the values of an event as they were sent, by how facets spell them.
func spellings(e *event) map[string]string {
	spelled := map[string]string{}
	if !e.Found {
		return spelled
	}
	all := []string{
		e.Payload.Environment.Revision, e.Payload.Environment.Hostname, e.Request.URL, userOf(e.Notice), e.Known.Level, e.Known.Browser.Name, e.Known.OS.Name, e.Known.Device.Name,
	}
	for _, tag := range e.Known.Tags {
		all = append(all, tag.Value)
	}
	for _, text := range all {
		spelled[strings.ToLower(text)] = text
	}
	return spelled
}
