package apiv3

import (
	"encoding/json"
	"time"
)

const statusPagePath = "/status_pages/{status_page_id}"

func statusPageOperations() []operation {
	const differs = "There are no `message_*`, `username` and `google_analytics_id`: they are refused. `features` merges."
	refuses := []string{"message_enabled", "message_title", "message_body", "google_analytics_id", "username", "incidents_enabled"}
	return []operation{
		{Name: "listStatusPages", Method: "GET", Path: "/status_pages", Scope: "status_pages:read", Route: "listStatusPages", List: pages, View: as[StatusPage]()},
		{Name: "createStatusPage", Method: "POST", Path: "/status_pages", Scope: "status_pages:write", Route: "createStatusPage", View: as[StatusPage](), Refuses: refuses, Differs: differs},
		{Name: "getStatusPage", Method: "GET", Path: statusPagePath, Scope: "status_pages:read", Route: "getStatusPage", View: as[StatusPage]()},
		{Name: "updateStatusPage", Method: "PATCH", Path: statusPagePath, Scope: "status_pages:write", Route: "putStatusPage", Read: "getStatusPage", View: as[StatusPage](), Refuses: refuses, Differs: differs},
		{Name: "deleteStatusPage", Method: "DELETE", Path: statusPagePath, Scope: "status_pages:write", Route: "deleteStatusPage"},
	}
}

// StatusPage is a status page, without the states of what it shows.
type StatusPage struct {
	ID                id                 `json:"id"`
	AccountID         id                 `json:"account_id"`
	Name              string             `json:"name"`
	Domain            *string            `json:"domain"`
	URL               string             `json:"url"`
	Features          json.RawMessage    `json:"features"`
	HideBranding      bool               `json:"hide_branding"`
	PasswordProtected bool               `json:"password_protected"`
	IncidentsEnabled  bool               `json:"incidents_enabled" doc:"Always true."`
	Unlisted          bool               `json:"search_engine_indexing_disabled"`
	Sites             []statusPageSite   `json:"sites"`
	CheckIns          []statusPageChecks `json:"check_ins"`
	CreatedAt         time.Time          `json:"created_at"`
	DomainVerifiedAt  *time.Time         `json:"domain_verified_at"`
	Links             links              `json:"links"`
}

type statusPageSite struct {
	SiteID      id     `json:"site_id"`
	DisplayName string `json:"display_name"`
	Description string `json:"description"`
}

type statusPageChecks struct {
	CheckInID   id     `json:"check_in_id"`
	DisplayName string `json:"display_name"`
	Description string `json:"description"`
}

func (p *StatusPage) finish(c *call) {
	p.IncidentsEnabled = true
	p.Links = c.page("/accounts/%s/status_pages/%s", p.AccountID, p.ID)
}
