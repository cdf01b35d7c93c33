package apiv3

import (
	"encoding/json"
	"net/http"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/shape"
)

func checkInOperations() []operation {
	const path, checkIn = projectPath + "/check_ins", projectPath + "/check_ins/{check_in_id}"
	const fixed = "The slug and the type of a schedule cannot be changed."
	replace := operation{Name: "replaceCheckIns", Method: "PUT", Path: path + "/bulk_update", Scope: "checkins:write", Route: "syncCheckIns", View: as[CheckInSync](), Run: (*call).replaceCheckIns, Differs: "Entries that are right are applied, also if another is refused; the answer is 422 then, and names it. The path without `/bulk_update` does the same."}
	short := replace
	short.Name, short.Path = "replaceCheckInsShort", path
	return []operation{
		{Name: "listCheckIns", Method: "GET", Path: path, Scope: "checkins:read", Route: "listCheckIns", List: pages, View: as[shape.CheckIn](), Differs: "Periods and time zones are shown as they were sent."},
		{Name: "createCheckIn", Method: "POST", Path: path, Scope: "checkins:write", Route: "createCheckIn", View: as[shape.CheckIn]()},
		replace, short,
		{Name: "getCheckIn", Method: "GET", Path: checkIn, Scope: "checkins:read", Route: "getCheckIn", View: as[shape.CheckIn]()},
		{Name: "updateCheckIn", Method: "PATCH", Path: checkIn, Scope: "checkins:write", Route: "updateCheckIn", Read: "getCheckIn", View: as[shape.CheckIn](), Differs: fixed},
		{Name: "deleteCheckIn", Method: "DELETE", Path: checkIn, Scope: "checkins:write", Route: "deleteCheckIn"},
		{Name: "listCheckInEvents", Method: "GET", Path: checkIn + "/events", Scope: "checkins:read", Route: "listCheckInEvents", List: cursors, View: as[CheckInEvent](), Differs: "`state` has what happened, such as reported or missing; `payload` is JSON as text."},
	}
}

// CheckInSync is what was done about a check-in.
type CheckInSync struct {
	Operation string   `json:"operation"`
	Slug      string   `json:"slug"`
	Success   bool     `json:"success"`
	Errors    []string `json:"errors,omitempty"`
}

// replaceCheckIns answers with 422 and the slugs of those that were refused.
func (c *call) replaceCheckIns() error {
	var list []json.RawMessage
	if json.Unmarshal(c.body["check_ins"], &list) != nil || len(list) == 0 {
		return refuse("check_ins", "must be an array of at least one check-in, each with its slug")
	}
	found, err := c.ask("syncCheckIns", nil, c.body)
	if err != nil {
		return err
	}
	var synced struct{ Results []CheckInSync }
	if err := json.Unmarshal(found.Body, &synced); err != nil {
		return err
	}
	var problems sett.Problems
	for _, s := range synced.Results {
		for _, text := range s.Errors {
			problems.Add("check_ins."+s.Slug, "%s", text)
		}
	}
	if err := problems.Refusal(); err != nil {
		return err
	}
	return c.data(http.StatusOK, synced.Results)
}

// CheckInEvent is a line of the history of a check-in.
type CheckInEvent struct {
	CheckInID id        `json:"check_in_id"`
	State     string    `json:"state"`
	CreatedAt time.Time `json:"created_at"`
	Payload   *string   `json:"payload"`
}

// UnmarshalJSON reads an event of /v2, whose payload is an object.
func (v *CheckInEvent) UnmarshalJSON(data []byte) error {
	var read struct {
		Event     string          `json:"event"`
		CreatedAt time.Time       `json:"created_at"`
		Payload   json.RawMessage `json:"payload"`
	}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	v.State, v.CreatedAt = read.Event, read.CreatedAt
	if text := string(read.Payload); text != "null" && text != "" {
		v.Payload = &text
	}
	return nil
}

func (v *CheckInEvent) finish(c *call) { v.CheckInID = id(c.r.PathValue("check_in_id")) }
