package apiv3

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"sett/internal/sett"
)

func incidentOperations() []operation {
	const list = statusPagePath + "/incidents"
	const incident = list + "/{incident_id}"
	const updates, update = incident + "/updates", incident + "/updates/{update_id}"
	const differs = "Only `build_type` current; schedule maintenance through /v2 or the pages. `resolving` is monitoring, and the severity is that of the incident."
	const kept = "Only the message can be changed."
	takes := []string{"title", "updates", "build_type"}
	said := []string{"message", "status", "severity", "start_at", "start_now", "should_notify"}
	return []operation{
		{Name: "listStatusPageIncidents", Method: "GET", Path: list, Scope: "incidents:read", Route: "listIncidents", List: cursors, View: as[Incident]()},
		{Name: "createStatusPageIncident", Method: "POST", Path: list, Scope: "incidents:write", Route: "createIncident", View: as[Incident](), Takes: takes, Body: newIncident, Differs: differs + " Takes one update; add others afterwards."},
		{Name: "getStatusPageIncident", Method: "GET", Path: incident, Scope: "incidents:read", Route: "getIncident", View: as[Incident]()},
		{Name: "updateStatusPageIncident", Method: "PATCH", Path: incident, Scope: "incidents:write", Route: "updateIncident", Read: "getIncident", View: as[Incident](), Takes: []string{"title"}, Body: renamed, Differs: "Changes the title. Add an update to say more."},
		{Name: "deleteStatusPageIncident", Method: "DELETE", Path: incident, Scope: "incidents:write", Route: "deleteIncident"},

		{Name: "listIncidentUpdates", Method: "GET", Path: updates, Scope: "incidents:read", Route: "getIncident", List: cursors, View: as[IncidentUpdate](), Run: (*call).listUpdates, Differs: "All are on one page."},
		{Name: "createIncidentUpdate", Method: "POST", Path: updates, Scope: "incidents:write", Route: "createIncidentUpdate", View: as[IncidentUpdate](), Takes: said, Body: newUpdate, Differs: "The severity cannot be changed."},
		{Name: "getIncidentUpdate", Method: "GET", Path: update, Scope: "incidents:read", Route: "getIncident", View: as[IncidentUpdate](), Run: (*call).showUpdate},
		{Name: "updateIncidentUpdate", Method: "PATCH", Path: update, Scope: "incidents:write", Route: "updateIncidentUpdate", Needs: []string{"getIncident"}, View: as[IncidentUpdate](), Takes: []string{"message"}, Run: (*call).changeUpdate, Differs: kept},
		{Name: "deleteIncidentUpdate", Method: "DELETE", Path: update, Scope: "incidents:write", Route: "deleteIncidentUpdate"},
	}
}

// statuses are those of /v3 by those of /v2.
var statuses = map[string]string{
	"investigating": "investigating", "identified": "identified", "monitoring": "monitoring", "resolved": "resolved",
	"scheduled": "maintenance_scheduled", "in_progress": "in_maintenance", "completed": "maintenance_complete",
}

// severities are those of /v3 by impacts of /v2.
var severities = map[string]string{"": "problem_detected", "none": "operational", "minor": "degraded_performance", "major": "partial_outage", "critical": "outage"}

// ours returns the word of /v2 for one of /v3; ok is false for one that there is none for.
func ours(words map[string]string, word string) (_ string, ok bool) {
	for v2, v3 := range words {
		if v3 == word {
			return v2, true
		}
	}
	return "", false
}

// Incident is an incident of a status page.
type Incident struct {
	ID              id               `json:"id"`
	StatusPageID    id               `json:"status_page_id"`
	Title           string           `json:"title"`
	BuildType       string           `json:"build_type"`
	CurrentStatus   string           `json:"current_status"`
	CurrentSeverity string           `json:"current_severity"`
	StartAt         time.Time        `json:"start_at"`
	ClosedAt        *time.Time       `json:"closed_at"`
	Updates         []IncidentUpdate `json:"updates"`
	Links           links            `json:"links"`
}

// UnmarshalJSON reads an incident of /v2, which has other words.
func (i *Incident) UnmarshalJSON(data []byte) error {
	var read struct {
		ID       id               `json:"id"`
		Kind     string           `json:"kind"`
		Name     string           `json:"name"`
		Status   string           `json:"status"`
		Impact   string           `json:"impact"`
		StartsAt time.Time        `json:"starts_at"`
		Resolved *time.Time       `json:"resolved_at"`
		Updates  []IncidentUpdate `json:"updates"`
	}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	*i = Incident{
		ID: read.ID, Title: read.Name, BuildType: "current", CurrentStatus: statuses[read.Status], CurrentSeverity: severities[read.Impact],
		StartAt: read.StartsAt, ClosedAt: read.Resolved, Updates: read.Updates,
	}
	if read.Kind == "maintenance" {
		i.BuildType = "scheduled_maintenance"
	}
	for n := range i.Updates {
		i.Updates[n].IncidentID, i.Updates[n].Severity = i.ID, i.CurrentSeverity
	}
	return nil
}

func (i *Incident) finish(c *call) {
	i.StatusPageID = id(c.r.PathValue("status_page_id"))
	i.Links = c.page("/accounts/%s/status_pages/%s/incidents/%s", c.accountID(), i.StatusPageID, i.ID)
}

// IncidentUpdate is what was said about an incident at one time.
type IncidentUpdate struct {
	ID           id         `json:"id"`
	IncidentID   id         `json:"incident_id"`
	Message      string     `json:"message"`
	Status       string     `json:"status"`
	Severity     string     `json:"severity" doc:"That of the incident."`
	StartAt      time.Time  `json:"start_at"`
	ShouldNotify bool       `json:"should_notify" doc:"Always true."`
	NotifiedAt   *time.Time `json:"notified_at" doc:"Always null."`
	CreatedAt    time.Time  `json:"created_at"`
	UpdatedAt    time.Time  `json:"updated_at"`
}

// UnmarshalJSON reads an update of /v2.
func (u *IncidentUpdate) UnmarshalJSON(data []byte) error {
	type plain IncidentUpdate
	if err := json.Unmarshal(data, (*plain)(u)); err != nil {
		return err
	}
	u.Status, u.ShouldNotify, u.StartAt, u.UpdatedAt = statuses[u.Status], true, u.CreatedAt, u.CreatedAt
	return nil
}

func (u *IncidentUpdate) finish(c *call) { u.IncidentID = id(c.r.PathValue("incident_id")) }

// updateBody is an update as clients write it.
type updateBody struct {
	Message      string  `json:"message"`
	Status       *string `json:"status"`
	Severity     *string `json:"severity"`
	StartAt      *string `json:"start_at"`
	StartNow     *bool   `json:"start_now"`
	ShouldNotify *bool   `json:"should_notify"`
}

// v2 returns the members of an update of /v2, and notes what there is none for. field is where it stands.
func (u updateBody) v2(problems *sett.Problems, field string) map[string]any {
	said := map[string]any{"message": u.Message}
	if u.Message == "" {
		problems.Add(field+"message", "can't be blank")
	}
	if u.Status != nil {
		wanted := *u.Status
		if wanted == "resolving" {
			wanted = "monitoring"
		}
		word, ok := ours(statuses, wanted)
		if said["status"] = word; !ok {
			problems.Add(field+"status", "must be investigating, identified, resolving, monitoring or resolved")
		}
	}
	if u.ShouldNotify != nil && !*u.ShouldNotify {
		problems.Add(field+"should_notify", "must be true: subscribers of the page are sent every update")
	}
	if u.StartAt != nil {
		said["created_at"] = *u.StartAt
	}
	return said
}

// newIncident writes an incident as /v2 has it: with its first update in it.
func newIncident(c *call) error {
	var asked struct {
		Title   string       `json:"title"`
		Kind    string       `json:"build_type"`
		Updates []updateBody `json:"updates"`
	}
	if err := c.decode(&asked); err != nil {
		return err
	}
	var problems sett.Problems
	if asked.Title == "" {
		problems.Add("title", "can't be blank")
	}
	if asked.Kind != "" && asked.Kind != "current" {
		problems.Add("build_type", "must be current; use /v2 or the pages for maintenance and past incidents")
	}
	if len(asked.Updates) != 1 {
		problems.Add("updates", "must have one update; add others afterwards")
		return problems.Refusal()
	}
	made := asked.Updates[0].v2(&problems, "updates[0].")
	made["name"] = asked.Title
	if at, ok := made["created_at"]; ok {
		made["starts_at"] = at
		delete(made, "created_at")
	}
	if severity := asked.Updates[0].Severity; severity != nil {
		impact, ok := ours(severities, *severity)
		if made["impact"] = impact; !ok {
			problems.Add("updates[0].severity", "must be problem_detected, degraded_performance, partial_outage, outage or operational")
		}
	}
	if err := problems.Refusal(); err != nil {
		return err
	}
	return c.replaceBody(made)
}

func renamed(c *call) error {
	if title, ok := c.body["title"]; ok {
		c.body = map[string]json.RawMessage{"name": title}
	}
	return nil
}

func newUpdate(c *call) error {
	var asked updateBody
	if err := c.decode(&asked); err != nil {
		return err
	}
	var problems sett.Problems
	said := asked.v2(&problems, "")
	if asked.Severity != nil {
		problems.Add("severity", "cannot be changed; leave it out")
	}
	if err := problems.Refusal(); err != nil {
		return err
	}
	return c.replaceBody(said)
}

// decode reads the body into a struct.
func (c *call) decode(dst any) error {
	raw, err := json.Marshal(c.body)
	if err != nil {
		return err
	}
	if json.Unmarshal(raw, dst) != nil {
		return refuse("base", "a member has the wrong type; compare it with /v3/openapi.json")
	}
	return nil
}

func (c *call) replaceBody(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.body = map[string]json.RawMessage{}
	return json.Unmarshal(raw, &c.body)
}

// updates reads those of an incident, the newest first.
func (c *call) updates() ([]IncidentUpdate, error) {
	found, err := c.ask("getIncident", nil, nil)
	if err != nil {
		return nil, err
	}
	var i Incident
	err = json.Unmarshal(found.Body, &i)
	return i.Updates, err
}

func (c *call) listUpdates() error {
	all, err := c.updates()
	if err != nil {
		return err
	}
	data := []any{}
	for _, u := range all {
		data = append(data, u)
	}
	return c.writeByTime(data, cursorInfo{Limit: mostPerPage})
}

func (c *call) showUpdate() error {
	all, err := c.updates()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(u IncidentUpdate) bool { return u.ID == id(c.r.PathValue("update_id")) })
	if at < 0 {
		return sett.Errorf(sett.NotFound, "Update not found")
	}
	return c.data(http.StatusOK, all[at])
}

func (c *call) changeUpdate() error {
	if _, err := c.ask("updateIncidentUpdate", nil, c.wrapped("updateIncidentUpdate")); err != nil {
		return err
	}
	return c.showUpdate()
}
