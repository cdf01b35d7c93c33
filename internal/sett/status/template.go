package status

import (
	"fmt"
	"slices"

	"sett/internal/sett"
)

// MostTemplates is how many templates a status page has at most.
const MostTemplates = 50

// IncidentTemplate is what people write again and again: an incident, or one of its updates.
type IncidentTemplate struct {
	ID      int64
	Name    string
	Title   string // of the incident; "" for none
	Status  IncidentStatus
	Message string
	Impact  Impact
	States  map[int64]ComponentState // of the affected components
}

// Incident returns an incident as the template has it.
func (t IncidentTemplate) Incident() StatusIncident {
	i := StatusIncident{Kind: Disruption, Name: t.Title, Status: t.Status, Impact: t.Impact, States: t.States}
	for id := range t.States {
		i.ComponentIDs = append(i.ComponentIDs, id)
	}
	slices.Sort(i.ComponentIDs)
	return i
}

// Read returns a template with the name that holds what the change has, or an Invalid error that names every field that is wrong. A title may
// be left out, for one that is used for updates only.
func (c IncidentChange) Read(name string, page StatusPage) (IncidentTemplate, error) {
	var p sett.Problems
	t := IncidentTemplate{Title: c.Name.Value}
	sett.SetName(&p, sett.Some(name), &t.Name)
	sett.CheckText(&p, "title", t.Title, longestComponentText)
	i := StatusIncident{Kind: Disruption, Status: Investigating}
	c.setComponents(&p, &i, page)
	c.setImpact(&p, &i, page)
	said := IncidentUpdateChange{Status: c.Status, Message: c.Message}
	t.Status, t.Message, t.Impact, t.States = said.status(&p, i), said.message(&p), i.Impact, map[int64]ComponentState{}
	for _, id := range i.ComponentIDs {
		t.States[id] = i.StateOf(id)
	}
	return t, p.Refusal()
}

// CheckTemplates returns an Invalid error when a page with that many templates can have no other.
func CheckTemplates(have int) error {
	if have >= MostTemplates {
		return sett.Errorf(sett.Invalid, "%s", fmt.Sprintf("A status page has at most %d templates. Delete one first.", MostTemplates))
	}
	return nil
}
