package apiv3

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"sett/internal/sett/shape"
)

func siteOperations() []operation {
	const path, site = projectPath + "/sites", projectPath + "/sites/{site_id}"
	const differs = "`frequency` is 1, 5 or 15, and `match_type` is not `jmespath`."
	return []operation{
		{Name: "listSites", Method: "GET", Path: path, Scope: "uptime:read", Route: "listSites", List: pages, View: as[shape.Site]()},
		{Name: "createSite", Method: "POST", Path: path, Scope: "uptime:write", Route: "createSite", View: as[shape.Site](), Body: siteHeaders, Differs: differs},
		{Name: "getSite", Method: "GET", Path: site, Scope: "uptime:read", Route: "getSite", View: as[shape.Site]()},
		{Name: "updateSite", Method: "PATCH", Path: site, Scope: "uptime:write", Route: "updateSite", Read: "getSite", View: as[shape.Site](), Body: siteHeaders, Differs: differs},
		{Name: "deleteSite", Method: "DELETE", Path: site, Scope: "uptime:write", Route: "deleteSite"},
		{Name: "listUptimeChecks", Method: "GET", Path: site + "/checks", Scope: "uptime:read", Route: "listUptimeChecks", List: cursors, View: as[UptimeCheck]()},
		{Name: "listOutages", Method: "GET", Path: site + "/outages", Scope: "uptime:read", Route: "listOutages", List: cursors, View: as[shape.Outage](), Differs: "The id of an outage is the Unix time of its start in microseconds."},
	}
}

type header struct {
	Key   string `json:"key"`
	Value string `json:"value"`
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
