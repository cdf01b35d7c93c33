package statuspage

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"sett/internal/sett/status"
)

// summary is the state of a page for programs. Its field names are those of the summary of statuspage.io
// (/api/v2/summary.json), so that existing clients can read it. Only state, uptime and response_time_ms are additions.
type summary struct {
	Page         summaryPage        `json:"page"`
	Status       summaryStatus      `json:"status"`
	Components   []summaryComponent `json:"components"`
	Incidents    []summaryIncident  `json:"incidents"`              // active ones
	Maintenances []summaryIncident  `json:"scheduled_maintenances"` // scheduled or in progress
}

type summaryPage struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	URL       string `json:"url"`
	TimeZone  string `json:"time_zone"`
	UpdatedAt string `json:"updated_at"`
}

type summaryStatus struct {
	Indicator   string              `json:"indicator"`
	Description string              `json:"description"`
	State       status.OverallState `json:"state"`
}

type summaryComponent struct {
	ID          string                `json:"id"`
	PageID      string                `json:"page_id"`
	Name        string                `json:"name"`
	Description *string               `json:"description"`
	Status      string                `json:"status"`
	State       status.ComponentState `json:"state"`
	Position    int                   `json:"position"`
	Uptime      *float64              `json:"uptime"` // percent of 90 days; null without data
	UpdatedAt   *string               `json:"updated_at"`
	Group       bool                  `json:"group"`
	GroupID     *string               `json:"group_id"`
	Response    *float64              `json:"response_time_ms,omitempty"` // the average of 24 hours
	Members     []string              `json:"components,omitempty"`       // of a group
}

type summaryIncident struct {
	ID             string          `json:"id"`
	PageID         string          `json:"page_id"`
	Name           string          `json:"name"`
	Status         string          `json:"status"`
	Impact         string          `json:"impact"`
	Shortlink      string          `json:"shortlink"`
	CreatedAt      string          `json:"created_at"`
	UpdatedAt      string          `json:"updated_at"`
	StartedAt      string          `json:"started_at"`
	ResolvedAt     *string         `json:"resolved_at"`
	ScheduledFor   *string         `json:"scheduled_for,omitempty"`
	ScheduledUntil *string         `json:"scheduled_until,omitempty"`
	Updates        []summaryUpdate `json:"incident_updates"`
	Components     []string        `json:"component_ids"`
}

type summaryUpdate struct {
	ID         string `json:"id"`
	IncidentID string `json:"incident_id"`
	Status     string `json:"status"`
	Body       string `json:"body"`
	CreatedAt  string `json:"created_at"`
	DisplayAt  string `json:"display_at"`
}

// indicatorOf returns the overall state as statuspage.io names it, plus "unknown".
func indicatorOf(view status.StatusView, o status.OverallState) string {
	switch o {
	case status.OverallUp:
		return "none"
	case status.OverallMaintenance:
		return "maintenance"
	case status.OverallDown:
		return "critical"
	case status.OverallMixed:
		for _, c := range view.Components {
			if c.State == status.ComponentDown {
				return "major"
			}
		}
		return "minor"
	}
	return "unknown"
}

// impactOf returns the impact of an active incident as statuspage.io names it: the one that people chose, otherwise by the worst state of
// its components. An incident that was opened by an outage keeps that impact after people have updated it.
func impactOf(view status.StatusView, i status.StatusIncident) string {
	if i.Impact != status.ImpactUnsaid {
		return string(i.Impact)
	}
	down := slices.ContainsFunc(view.Components, func(c status.ComponentView) bool {
		return c.State == status.ComponentDown && (len(i.ComponentIDs) == 0 || slices.Contains(i.ComponentIDs, c.ID))
	})
	switch {
	case down && view.Overall() == status.OverallDown:
		return "critical"
	case i.Effect() == status.ImpactCritical || i.Effect() == status.ImpactMajor:
		return string(i.Effect())
	case down:
		return "major"
	}
	return "minor"
}

func componentStatus(s status.ComponentState) string {
	switch s {
	case status.ComponentUp:
		return "operational"
	case status.ComponentDegraded:
		return "degraded_performance"
	case status.ComponentPartial:
		return "partial_outage"
	case status.ComponentDown:
		return "major_outage"
	case status.ComponentMaintenance:
		return "under_maintenance"
	}
	return string(s)
}

func (f *variant) summaryOf() summary {
	view := f.rendered.view
	overall := view.Overall()
	s := summary{
		Page:       summaryPage{view.Page.ID, view.Page.Name, f.rendered.address(f.url), "Etc/UTC", stamp(f.rendered.changedAt())},
		Status:     summaryStatus{indicatorOf(view, overall), caption(f.lang, view, overall), overall},
		Components: []summaryComponent{}, Incidents: []summaryIncident{}, Maintenances: []summaryIncident{},
	}
	for n, c := range view.Components {
		s.Components = append(s.Components, f.summaryComponent(n+1, c))
	}
	for _, g := range view.Groups() {
		if g.Name != "" {
			s.Components = append(s.Components, f.summaryGroup(len(s.Components)+1, g))
		}
	}
	for _, i := range view.Incidents {
		switch {
		case i.Status.Over():
		case i.Kind == status.Maintenance:
			s.Maintenances = append(s.Maintenances, f.summaryIncident(i))
		default:
			s.Incidents = append(s.Incidents, f.summaryIncident(i))
		}
	}
	return s
}

func (f *variant) summaryComponent(position int, c status.ComponentView) summaryComponent {
	s := summaryComponent{
		ID: strconv.FormatInt(c.ID, 10), PageID: f.rendered.view.Page.ID, Name: c.Name, Status: componentStatus(c.State), State: c.State,
		Position: position, UpdatedAt: stampOrNull(c.SeenAt),
	}
	if c.Description != "" {
		s.Description = &c.Description
	}
	if c.Group != "" {
		s.GroupID = new(groupID(c.Group))
	}
	s.Uptime = shareOf(c.Percent())
	if mean, ok := f.rendered.responses.times[c.ID].Mean(); ok {
		s.Response = new(float64(mean.Round(100*time.Microsecond)) / float64(time.Millisecond))
	}
	return s
}

// summaryGroup returns a group as statuspage.io has them: among the components.
func (f *variant) summaryGroup(position int, g status.ComponentGroup) summaryComponent {
	worst := g.Worst()
	worst.State = worstState(g)
	s := f.summaryComponent(position, worst)
	s.ID, s.Group, s.Uptime, s.UpdatedAt, s.Response = groupID(g.Name), true, shareOf(g.Percent()), nil, nil
	for _, c := range g.Components {
		s.Members = append(s.Members, strconv.FormatInt(c.ID, 10))
		if at := stampOrNull(c.SeenAt); at != nil && (s.UpdatedAt == nil || *at > *s.UpdatedAt) {
			s.UpdatedAt = at
		}
	}
	return s
}

// groupID returns an ID of a group, which is known by its name alone.
func groupID(name string) string {
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("group-%x", sum[:6])
}

// worstState returns the state of a group as that of a component.
func worstState(g status.ComponentGroup) status.ComponentState {
	switch g.State() {
	case status.OverallUp:
		return status.ComponentUp
	case status.OverallMixed:
		return status.ComponentDegraded
	case status.OverallDown:
		return status.ComponentDown
	case status.OverallMaintenance:
		return status.ComponentMaintenance
	}
	if g.Paused() {
		return status.ComponentPaused
	}
	return status.ComponentUnknown
}

// shareOf returns a share with three digits, rounded down, or nil if nothing was measured.
func shareOf(percent float64, measured bool) *float64 {
	if !measured {
		return nil
	}
	return new(float64(int(percent*1000)) / 1000)
}

func (f *variant) summaryIncident(i status.StatusIncident) summaryIncident {
	i = i.In(f.lang)
	id := strconv.FormatInt(i.ID, 10)
	s := summaryIncident{
		ID: id, PageID: f.rendered.view.Page.ID, Name: i.Name, Status: string(i.Status), Impact: impactOf(f.rendered.view, i),
		Shortlink: f.rendered.address(f.url) + incidentPath(i.ID), CreatedAt: stamp(i.CreatedAt), UpdatedAt: stamp(i.UpdatedAt),
		StartedAt: stamp(i.StartsAt), ResolvedAt: stampOrNull(i.ResolvedAt), Updates: []summaryUpdate{}, Components: []string{},
	}
	if i.Kind == status.Maintenance {
		s.Impact, s.ScheduledFor, s.ScheduledUntil = "maintenance", stampOrNull(i.StartsAt), stampOrNull(i.EndsAt)
	}
	for _, u := range i.Updates {
		s.Updates = append(s.Updates, summaryUpdate{
			ID: strconv.FormatInt(u.ID, 10), IncidentID: id, Status: string(u.Status), Body: u.Message, CreatedAt: stamp(u.At), DisplayAt: stamp(u.At),
		})
	}
	for _, c := range i.ComponentIDs {
		s.Components = append(s.Components, strconv.FormatInt(c, 10))
	}
	return s
}

// changedAt returns when the page or one of its incidents was last changed.
func (d *rendering) changedAt() time.Time {
	at := d.view.Page.UpdatedAt
	for _, i := range d.view.Incidents {
		if i.UpdatedAt.After(at) {
			at = i.UpdatedAt
		}
	}
	return at
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func stampOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := stamp(t)
	return &s
}

// jsonDocument returns a value as a JSON document.
func jsonDocument(before *document, f form, value any) (*document, error) {
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetIndent("", " ")
	if err := e.Encode(value); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return newDocument(before, f, body.Bytes()), nil
}
