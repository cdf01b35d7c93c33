package apiv3

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"sett/internal/sett/shape"
)

// selection is what says which faults a change is about.
var selection = []string{"fault_ids", "q", "created_after", "occurred_after", "occurred_before", "all", "dry_run"}

func faultChangeOperations() []operation {
	const scope = "faults:write"
	fault := wholeFault()
	verb := func(name, path string, takes ...string) operation {
		return operation{Name: name, Method: "POST", Path: faultsPath + "/" + path, Scope: scope, Route: "changeFaults", Needs: []string{"listFaults"}, Takes: slices.Concat(selection, takes), View: as[BulkResult](), Run: (*call).changeFaults, Differs: "With `dry_run` and a search, `count` has all that match, also those that are in that state."}
	}
	return []operation{
		verb("resolveFaults", "resolve", "resolved_in"), verb("unresolveFaults", "unresolve"), verb("ignoreFaults", "ignore"), verb("unignoreFaults", "unignore"),
		{Name: "updateFault", Method: "PATCH", Path: faultPath, Scope: scope, Route: "updateFault", Read: "getFault", Needs: []string{"changeFaults"}, View: fault, Takes: []string{"resolved", "resolved_in", "ignored", "assignee_id", "resolve_on_deploy", "tags"}, Run: (*call).updateFault},
		{Name: "deleteFault", Method: "DELETE", Path: faultPath, Scope: scope, Route: "deleteFault"},
		{Name: "snoozeFault", Method: "POST", Path: faultPath + "/snooze", Scope: scope, Route: "pauseFault", Read: "getFault", View: fault},
		{Name: "unsnoozeFault", Method: "DELETE", Path: faultPath + "/snooze", Scope: scope, Route: "unpauseFault", Read: "getFault", View: fault},
		{Name: "assignFault", Method: "POST", Path: faultPath + "/assign", Scope: scope, Route: "updateFault", Read: "getFault", View: fault, Takes: []string{"assignee_id"}, Body: needs("assignee_id")},
		{Name: "unassignFault", Method: "DELETE", Path: faultPath + "/assign", Scope: scope, Route: "updateFault", Read: "getFault", View: fault, Run: (*call).unassign},
		{Name: "mergeFaults", Method: "POST", Path: faultPath + "/merge", Scope: scope, Route: "mergeFault", Takes: []string{"target_fault_id"}, View: as[Merge](), Run: (*call).merge, Differs: "Is done when it answers; `batch_id` is that of the request."},
		{Name: "pauseFaultRecording", Method: "POST", Path: faultPath + "/pause_recording", Scope: scope, Not: "Notices are not thrown away for a time. Ignore the fault to throw them away, or snooze it to keep notifications away."},
		{Name: "resumeFaultRecording", Method: "POST", Path: faultPath + "/resume_recording", Scope: scope, Not: "The recording of a fault cannot be paused, so there is nothing to resume."},
	}
}

// needs refuses a body without a member.
func needs(name string) func(*call) error {
	return func(c *call) error {
		if value, ok := c.body[name]; !ok || string(value) == "null" {
			return refuse(name, "can't be blank")
		}
		return nil
	}
}

// updateFault changes a fault; its tags are changed as those of several are.
func (c *call) updateFault() error {
	tags, tagged := c.body["tags"]
	delete(c.body, "tags")
	if string(c.body["resolved"]) == "false" { // as a client that knows only the contract sends back what it read
		delete(c.body, "resolved_in")
	}
	if len(c.body) > 0 || !tagged {
		if _, err := c.ask("updateFault", nil, c.wrapped("updateFault")); err != nil {
			return err
		}
	}
	if tagged {
		if err := c.replaceTags(tags); err != nil {
			return err
		}
	}
	return c.show(http.StatusOK, "getFault")
}

func (c *call) replaceTags(raw json.RawMessage) error {
	var wanted []string
	if json.Unmarshal(raw, &wanted) != nil {
		return refuse("tags", "must be an array of strings")
	}
	found, err := c.ask("getFault", nil, nil)
	if err != nil {
		return err
	}
	var f shape.Fault
	if err := json.Unmarshal(found.Body, &f); err != nil {
		return err
	}
	gone := slices.DeleteFunc(slices.Clone(f.Tags), func(tag string) bool { return slices.Contains(wanted, tag) })
	for _, change := range []struct {
		action string
		tags   []string
	}{{"tag", wanted}, {"untag", gone}} {
		if len(change.tags) == 0 {
			continue
		}
		body := map[string]any{"fault_ids": []id{f.ID}, "action": change.action, "tags": change.tags}
		if _, err := c.ask("changeFaults", nil, body); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) unassign() error {
	if _, err := c.ask("updateFault", nil, map[string]any{"fault": map[string]any{"assignee_id": nil}}); err != nil {
		return err
	}
	return c.show(http.StatusOK, "getFault")
}

// Merge is a merge of two faults.
type Merge struct {
	BatchID  string `json:"batch_id"`
	SourceID id     `json:"source_id"`
	TargetID id     `json:"target_id"`
}

func (c *call) merge() error {
	if err := needs("target_fault_id")(c); err != nil {
		return err
	}
	var target id
	if json.Unmarshal(c.body["target_fault_id"], &target) != nil {
		return refuse("target_fault_id", "must be the id of a fault")
	}
	if _, err := c.ask("mergeFault", nil, map[string]any{"into_id": target}); err != nil {
		return err
	}
	return c.data(http.StatusAccepted, Merge{c.meta().RequestID, id(c.r.PathValue("fault_id")), target})
}

// BulkResult is what became of a change of several faults.
type BulkResult struct {
	Count     int64 `json:"count"`
	DryRun    bool  `json:"dry_run"`
	FaultIDs  []id  `json:"fault_ids" doc:"The first 100."`
	Truncated bool  `json:"fault_ids_truncated"`
}

// bulkBody says which faults a change is about.
type bulkBody struct {
	FaultIDs       []id        `json:"fault_ids"`
	Q              *string     `json:"q"`
	CreatedAfter   json.Number `json:"created_after"`
	OccurredAfter  json.Number `json:"occurred_after"`
	OccurredBefore json.Number `json:"occurred_before"`
	All            bool        `json:"all"`
	DryRun         bool        `json:"dry_run"`
}

// changeFaults changes the faults that are named, or that match a search. The last word of the path says how.
func (c *call) changeFaults() error {
	var asked bulkBody
	raw, err := json.Marshal(c.body)
	if err != nil {
		return err
	}
	if json.Unmarshal(raw, &asked) != nil {
		return refuse("base", "a member has the wrong type: fault_ids is an array of ids, q a string, times are numbers, all and dry_run true or false")
	}
	query := asked.search()
	if len(asked.FaultIDs) == 0 && len(query) == 0 && !asked.All {
		return refuse("base", "must have fault_ids, a search (q, created_after, occurred_after, occurred_before), or all: true")
	}
	if len(asked.FaultIDs) > 0 && (len(query) > 0 || asked.All) {
		return refuse("fault_ids", "cannot be sent with a search or all")
	}
	result := BulkResult{DryRun: asked.DryRun, FaultIDs: asked.FaultIDs, Count: int64(len(asked.FaultIDs))}
	body := map[string]any{"action": pathEnd(c.op.Path)}
	if in, ok := c.body["resolved_in"]; ok {
		body["resolved_in"] = in
	}
	if len(asked.FaultIDs) > 0 {
		body["fault_ids"] = asked.FaultIDs
	} else {
		if result.FaultIDs, result.Count, err = c.matching(query); err != nil {
			return err
		}
		query.Set("q", query.Get("q")) // of which an empty one selects all
	}
	if !asked.DryRun {
		if result.Count, err = c.changed(query, body); err != nil {
			return err
		}
	}
	result.Truncated = len(result.FaultIDs) > mostPerPage || int64(len(result.FaultIDs)) < result.Count
	result.FaultIDs = result.FaultIDs[:min(len(result.FaultIDs), mostPerPage)]
	return c.data(http.StatusOK, result)
}

func (b bulkBody) search() url.Values {
	query := url.Values{}
	if b.Q != nil {
		query.Set("q", *b.Q)
	}
	for name, at := range map[string]json.Number{"created_after": b.CreatedAfter, "occurred_after": b.OccurredAfter, "occurred_before": b.OccurredBefore} {
		if at != "" {
			query.Set(name, string(at))
		}
	}
	return query
}

// matching returns the first faults that match a search, and how many there are.
func (c *call) matching(query url.Values) (ids []id, total int64, err error) {
	asked := url.Values{"limit": {strconv.Itoa(mostPerPage)}}
	for name, values := range query {
		asked[name] = values
	}
	found, err := c.ask("listFaults", asked, nil)
	if err != nil {
		return nil, 0, err
	}
	var list struct {
		Results []struct{ ID id } `json:"results"`
		Total   int64             `json:"total"`
	}
	if err := json.Unmarshal(found.Body, &list); err != nil {
		return nil, 0, err
	}
	ids = []id{}
	for _, f := range list.Results {
		ids = append(ids, f.ID)
	}
	return ids, list.Total, nil
}

func (c *call) changed(query url.Values, body map[string]any) (int64, error) {
	found, err := c.ask("changeFaults", query, body)
	if err != nil {
		return 0, err
	}
	var done struct{ Count int64 }
	return done.Count, json.Unmarshal(found.Body, &done)
}

// pathEnd is the last word of a path.
func pathEnd(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[i+1:]
		}
	}
	return path
}
