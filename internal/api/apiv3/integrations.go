package apiv3

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"sett/internal/sett"
)

func integrationOperations() []operation {
	const path, one = projectPath + "/integrations", projectPath + "/integrations/{integration_id}"
	const differs = "`config` has the options of sett (GET /v2/integration_kinds). Without `site_ids` it gets the events of all sites; alarms and included environments cannot be chosen."
	refuses := []string{"included_environments", "alarm_alert_ids", "alarm_ok_ids", "connected"}
	return []operation{
		{Name: "listIntegrations", Method: "GET", Path: path, Scope: "integrations:read", Route: "listIntegrations", List: pages, View: as[Integration]()},
		{Name: "createIntegration", Method: "POST", Path: path, Scope: "integrations:write", Route: "createIntegration", Needs: []string{"getIntegration"}, View: as[Integration](), Takes: integrationMembers, Refuses: refuses, Body: integrationBody, Run: (*call).createIntegration, Differs: differs},
		{Name: "getIntegration", Method: "GET", Path: one, Scope: "integrations:read", Route: "getIntegration", View: as[Integration](), Differs: "Secrets in `config` are masked."},
		{Name: "updateIntegration", Method: "PATCH", Path: one, Scope: "integrations:write", Route: "updateIntegration", Read: "getIntegration", View: as[Integration](), Takes: integrationMembers, Refuses: refuses, Body: integrationBody, Differs: differs},
		{Name: "deleteIntegration", Method: "DELETE", Path: one, Scope: "integrations:write", Route: "deleteIntegration"},
	}
}

// integrationMembers are those that a body may have.
var integrationMembers = []string{
	"type", "active", "events", "all_sites", "all_check_ins", "site_ids", "check_in_ids", "excluded_environments", "filters", "rate", "threshold", "notification_limit", "config",
}

// Integration is a channel.
type Integration struct {
	ID                   id              `json:"id"`
	ProjectID            id              `json:"project_id"`
	Type                 string          `json:"type"`
	Active               bool            `json:"active"`
	Events               []string        `json:"events"`
	AllSites             bool            `json:"all_sites"`
	AllCheckIns          bool            `json:"all_check_ins"`
	SiteIDs              []id            `json:"site_ids"`
	CheckInIDs           []id            `json:"check_in_ids"`
	AlarmAlertIDs        []id            `json:"alarm_alert_ids" doc:"Always empty."`
	AlarmOKIDs           []id            `json:"alarm_ok_ids" doc:"Always empty."`
	IncludedEnvironments []string        `json:"included_environments" doc:"Always empty."`
	ExcludedEnvironments []string        `json:"excluded_environments"`
	Filters              json.RawMessage `json:"filters"`
	Rate                 *string         `json:"rate"`
	Threshold            *int64          `json:"threshold"`
	NotificationLimit    *int64          `json:"notification_limit"`
	Config               map[string]any  `json:"config" doc:"Secrets are masked. A masked secret that is sent back stays as it is."`
	Error                *string         `json:"error"`
	ErrorReason          *string         `json:"error_reason" doc:"Always null."`
	CreatedAt            time.Time       `json:"created_at"`
	Links                links           `json:"links"`
}

// UnmarshalJSON reads an integration of /v2, which has other names for the options and the problem.
func (v *Integration) UnmarshalJSON(data []byte) error {
	type plain Integration
	read := struct {
		*plain
		Options map[string]any `json:"options"`
		Problem *string        `json:"problem"`
	}{plain: (*plain)(v)}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	v.Config, v.Error = read.Options, read.Problem
	v.AllSites, v.AllCheckIns = len(v.SiteIDs) == 0, len(v.CheckInIDs) == 0
	v.AlarmAlertIDs, v.AlarmOKIDs, v.IncludedEnvironments = []id{}, []id{}, []string{}
	return nil
}

func (v *Integration) finish(c *call) {
	v.ProjectID = id(c.r.PathValue("project_id"))
	v.Links = c.page("/projects/%s/integrations/%s", v.ProjectID, v.ID)
}

// createIntegration shows what it made as it is read: /v2 shows the secrets this once.
func (c *call) createIntegration() error {
	raw, err := c.change()
	if err != nil {
		return err
	}
	var made Integration
	if err := json.Unmarshal(raw.Body, &made); err != nil {
		return err
	}
	found, err := c.askAt("getIntegration", map[string]string{"integration_id": string(made.ID)}, nil, nil)
	if err != nil {
		return err
	}
	return c.write(http.StatusCreated, found.Body)
}

// integrationBody has the options under their name in /v2, and all sites or check-ins as an empty list.
func integrationBody(c *call) error {
	if config, ok := c.body["config"]; ok {
		c.body["options"] = config
		delete(c.body, "config")
	}
	for all, ids := range map[string]string{"all_sites": "site_ids", "all_check_ins": "check_in_ids"} {
		raw, sent := c.body[all]
		delete(c.body, all)
		if !sent {
			continue
		}
		var whole bool
		if json.Unmarshal(raw, &whole) != nil {
			return refuse(all, "must be true or false")
		}
		var chosen []string
		_ = json.Unmarshal(c.body[ids], &chosen) // of another type it is refused below
		switch {
		case whole:
			c.body[ids] = json.RawMessage("[]")
		case len(chosen) == 0 && c.op.Method == "POST":
			return refuse(all, "can be false only with %s; for none, leave their events out of events", ids)
		}
	}
	return nil
}

// configProblems names the options of a refusal as they are called here.
func configProblems(err error) error {
	var problems sett.Problems
	for _, p := range sett.ProblemsOf(err) {
		if option, ok := strings.CutPrefix(p, "options."); ok {
			p = "config." + option
		}
		problems = append(problems, p)
	}
	if len(problems) == 0 {
		return err
	}
	return problems.Refusal()
}
