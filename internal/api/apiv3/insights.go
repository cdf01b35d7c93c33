package apiv3

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"sett/internal/serve"
)

func insightOperations() []operation {
	ops := []operation{
		{Name: "listStreams", Method: "GET", Path: projectPath + "/streams", Scope: "insights:read", Route: "listStreams", List: pages, View: as[Stream]()},
		{Name: "runInsightsQuery", Method: "POST", Path: projectPath + "/insights/queries", Scope: "insights:read", Route: "queryInsights", Needs: []string{"listStreams"}, View: as[Object](), Run: (*call).runQuery, Differs: "Understands [BadgerQL](badgerql.md) as /v2 does. A query that takes too long is 422."},
	}
	for _, n := range []struct{ noun, many, path, param string }{{"Dashboard", "Dashboards", "/dashboards", "dashboard_id"}, {"Alarm", "Alarms", "/alarms", "alarm_id"}} {
		path, one, scope := projectPath+n.path, projectPath+n.path+"/{"+n.param+"}", strings.ToLower(n.many)
		list, body := pages, merged
		if n.noun == "Alarm" {
			list, body = whole, alarmStreams
		}
		view := asLinked("/projects/%s/insights" + n.path + "/%s")
		ops = append(ops,
			operation{Name: "list" + n.many, Method: "GET", Path: path, Scope: scope + ":read", Route: "list" + n.many, List: list, View: view},
			operation{Name: "create" + n.noun, Method: "POST", Path: path, Scope: scope + ":write", Route: "create" + n.noun, View: view, Body: alarmStreams},
			operation{Name: "get" + n.noun, Method: "GET", Path: one, Scope: scope + ":read", Route: "get" + n.noun, View: view},
			operation{Name: "update" + n.noun, Method: "PATCH", Path: one, Scope: scope + ":write", Route: "update" + n.noun, Read: "get" + n.noun, View: view, Body: body},
			operation{Name: "delete" + n.noun, Method: "DELETE", Path: one, Scope: scope + ":write", Route: "delete" + n.noun},
		)
	}
	return append(ops, operation{Name: "listAlarmHistory", Method: "GET", Path: projectPath + "/alarms/{alarm_id}/history", Scope: "alarms:read", Route: "listAlarmHistory", List: pages, View: as[AlarmChange]()})
}

// Stream is a stream of structured events.
type Stream struct {
	ID        id        `json:"id"`
	ProjectID id        `json:"project_id"`
	Name      string    `json:"name"`
	Slug      string    `json:"slug"`
	Internal  bool      `json:"internal"`
	CreatedAt time.Time `json:"created_at"`
}

// Object is one as /v2 has it, with ids as texts.
type Object map[string]any

// readOnly are the members of alarms and dashboards that may be sent back, and change nothing.
type readOnly struct {
	ID            id     `json:"id"`
	ProjectID     id     `json:"project_id"`
	State         string `json:"state"`
	Error         string `json:"error"`
	LastCheckedAt string `json:"last_checked_at"`
	NextCheckAt   string `json:"next_check_at"`
	IsDefault     bool   `json:"is_default"`
	Shared        bool   `json:"shared"`
	CreatedAt     string `json:"created_at"`
	UpdatedAt     string `json:"updated_at"`
	Links         links  `json:"links"`
}

// alarmStreams refuses an alarm over no stream, or one that is not there; null stands for all of them.
func alarmStreams(c *call) error {
	raw, sent := c.body["stream_ids"]
	switch {
	case !sent:
		return nil
	case string(raw) == "[]":
		return refuse("stream_ids", "must have at least one id, or be null for all streams")
	}
	return c.checkStreams()
}

// asLinked shows an object of /v2 as it is, with ids as texts, and links instead of an address.
func asLinked(page string) view {
	return view{readOnly{}, oneOf[Object]{}, manyOf[Object]{}, func(c *call, raw json.RawMessage) (any, error) {
		var object map[string]any
		if err := json.Unmarshal(raw, &object); err != nil {
			return nil, err
		}
		var ids struct {
			ID        id `json:"id"`
			ProjectID id `json:"project_id"`
		}
		if err := json.Unmarshal(raw, &ids); err != nil {
			return nil, err
		}
		delete(object, "url")
		project := c.r.PathValue("project_id")
		object["id"], object["project_id"], object["links"] = ids.ID, project, c.page(page, project, ids.ID)
		return object, nil
	}}
}

// merged has a change keep what it leaves out, where a route of /v2 replaces the whole.
func merged(c *call) error {
	found, err := c.ask(c.op.Read, nil, nil)
	if err != nil {
		return err
	}
	before := map[string]json.RawMessage{}
	if err := json.Unmarshal(found.Body, &before); err != nil {
		return err
	}
	for _, name := range c.taken() {
		if value, ok := before[name]; ok && c.body[name] == nil && string(value) != "null" {
			c.body[name] = value
		}
	}
	return nil
}

// AlarmChange is a change of the state of an alarm.
type AlarmChange struct {
	ID        id        `json:"id"`
	AlarmID   id        `json:"alarm_id"`
	VersionID *id       `json:"alarm_version_id" doc:"Always null."`
	Status    *string   `json:"status"`
	CreatedAt time.Time `json:"created_at"`
	StartedAt time.Time `json:"evaluation_started_at"`
	Result    *float64  `json:"evaluation_result"`
}

// UnmarshalJSON reads a trigger of /v2.
func (a *AlarmChange) UnmarshalJSON(data []byte) error {
	var read struct {
		ID        id        `json:"id"`
		State     *string   `json:"state"`
		CreatedAt time.Time `json:"created_at"`
		Result    struct {
			Count *float64 `json:"count"`
		} `json:"result"`
	}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	if read.State != nil && *read.State != "ok" && *read.State != "alarm" {
		read.State = nil // the evaluation failed
	}
	*a = AlarmChange{ID: read.ID, Status: read.State, CreatedAt: read.CreatedAt, StartedAt: read.CreatedAt, Result: read.Result.Count}
	return nil
}

func (a *AlarmChange) finish(c *call) { a.AlarmID = id(c.r.PathValue("alarm_id")) }

// runQuery answers a query, after it was looked whether all streams that it names are there.
func (c *call) runQuery() error {
	if err := needs("query")(c); err != nil {
		return err
	}
	if err := c.checkStreams(); err != nil {
		return err
	}
	found, err := c.ask("queryInsights", nil, c.body)
	if err != nil {
		return err
	}
	var query string
	_ = json.Unmarshal(c.body["query"], &query) // the route has read it
	data := struct {
		Data  json.RawMessage `json:"data"`
		Links links           `json:"links"`
		Meta  meta            `json:"meta"`
	}{found.Body, c.page("/projects/%s/insights/query?%s", c.r.PathValue("project_id"), url.Values{"query": {query}}.Encode()), c.meta()}
	return serve.WriteJSON(c.w, http.StatusOK, data)
}

// checkStreams refuses ids of streams that are not there, where /v2 leaves them out.
func (c *call) checkStreams() error {
	var wanted []id
	if raw, ok := c.body["stream_ids"]; ok && json.Unmarshal(raw, &wanted) != nil {
		return refuse("stream_ids", "must be an array of ids")
	}
	if len(wanted) == 0 {
		return nil
	}
	found, err := c.ask("listStreams", nil, nil)
	if err != nil {
		return err
	}
	var list struct{ Results []Stream }
	if err := json.Unmarshal(found.Body, &list); err != nil {
		return err
	}
	for _, one := range wanted {
		if !slices.ContainsFunc(list.Results, func(s Stream) bool { return s.ID == one }) {
			return refuse("stream_ids", "has unknown ids: %.60s", one)
		}
	}
	return nil
}
