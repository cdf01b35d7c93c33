package apiv3

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

func siteOperations() []operation {
	const path, site = projectPath + "/sites", projectPath + "/sites/{site_id}"
	const differs = "`frequency` is 1, 5 or 15, and `match_type` is not `jmespath`."
	return []operation{
		{Name: "listSites", Method: "GET", Path: path, Scope: "uptime:read", Route: "listSites", List: pages, View: as[Site]()},
		{Name: "createSite", Method: "POST", Path: path, Scope: "uptime:write", Route: "createSite", View: as[Site](), Body: siteHeaders, Differs: differs},
		{Name: "getSite", Method: "GET", Path: site, Scope: "uptime:read", Route: "getSite", View: as[Site]()},
		{Name: "updateSite", Method: "PATCH", Path: site, Scope: "uptime:write", Route: "updateSite", Read: "getSite", View: as[Site](), Body: siteHeaders, Differs: differs},
		{Name: "deleteSite", Method: "DELETE", Path: site, Scope: "uptime:write", Route: "deleteSite"},
		{Name: "listUptimeChecks", Method: "GET", Path: site + "/checks", Scope: "uptime:read", Route: "listUptimeChecks", List: cursors, View: as[UptimeCheck]()},
		{Name: "listOutages", Method: "GET", Path: site + "/outages", Scope: "uptime:read", Route: "listOutages", List: cursors, View: as[Outage](), Differs: "The id of an outage is the Unix time of its start in microseconds."},
	}
}

// Site is an uptime check.
type Site struct {
	ID              id          `json:"id"`
	ProjectID       id          `json:"project_id"`
	Name            string      `json:"name"`
	URL             string      `json:"url"`
	Active          bool        `json:"active"`
	State           string      `json:"state"`
	LastCheckedAt   *time.Time  `json:"last_checked_at"`
	Frequency       int64       `json:"frequency"`
	MatchType       string      `json:"match_type"`
	Match           *string     `json:"match"`
	RequestMethod   string      `json:"request_method"`
	RequestBody     string      `json:"request_body"`
	RequestHeaders  siteHeading `json:"request_headers"`
	Locations       []string    `json:"locations"`
	ValidateSSL     bool        `json:"validate_ssl"`
	OutageThreshold *int64      `json:"outage_threshold"`
	Timeout         int64       `json:"timeout"`
	Links           links       `json:"links"`
}

func (s *Site) finish(c *call) {
	s.ProjectID = id(c.r.PathValue("project_id"))
	s.Links = c.page("/projects/%s/sites/%s", s.ProjectID, s.ID)
}

// siteHeading is an object of headers, which /v2 has as a list.
type siteHeading map[string]string

type header struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// UnmarshalJSON reads the list.
func (h *siteHeading) UnmarshalJSON(data []byte) error {
	var list []header
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*h = siteHeading{}
	for _, one := range list {
		(*h)[one.Key] = one.Value
	}
	return nil
}

// siteHeaders writes the headers of a body as a list.
func siteHeaders(c *call) error {
	raw, ok := c.body["request_headers"]
	if !ok || string(raw) == "null" {
		return nil
	}
	var object map[string]string
	if json.Unmarshal(raw, &object) != nil {
		return refuse("request_headers", "must be an object of names and texts")
	}
	list := []header{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		list = append(list, header{name, object[name]})
	}
	var err error
	c.body["request_headers"], err = json.Marshal(list)
	return err
}

// UptimeCheck is one check of a site.
type UptimeCheck struct {
	CreatedAt time.Time `json:"created_at"`
	Duration  int64     `json:"duration" doc:"In milliseconds."`
	Location  string    `json:"location"`
	Up        bool      `json:"up"`
}

// Outage is a time in which a site was down.
type Outage struct {
	ID        id                 `json:"id"`
	SiteID    id                 `json:"site_id"`
	DownAt    time.Time          `json:"down_at"`
	UpAt      *time.Time         `json:"up_at"`
	CreatedAt time.Time          `json:"created_at"`
	Duration  *float64           `json:"duration_seconds" doc:"Null while it lasts."`
	Status    *int               `json:"status"`
	Reason    string             `json:"reason"`
	Headers   *map[string]string `json:"headers"`
	Location  string             `json:"location"`
	Body      *string            `json:"body"`
	Links     links              `json:"links"`
}

func (o *Outage) finish(c *call) {
	o.ID, o.SiteID = id(microsecond(o.DownAt)), id(c.r.PathValue("site_id"))
	if o.UpAt != nil {
		seconds := o.UpAt.Sub(o.DownAt).Seconds()
		o.Duration = &seconds
	}
	o.Links = c.page("/projects/%s/sites/%s", c.r.PathValue("project_id"), o.SiteID)
}
