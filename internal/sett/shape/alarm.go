package shape

import (
	"time"

	"sett/internal/sett/alerts"
)

// Alarm is an alarm whose state changed. Members that /v3 does not have of an alarm say what was counted.
type Alarm struct {
	ID          ID        `json:"id"`
	ProjectID   ID        `json:"project_id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	State       string    `json:"state" enum:"ok,alarm"`
	Query       string    `json:"query"`
	CreatedAt   time.Time `json:"created_at"`
	Links       Links     `json:"links"`

	Condition string    `json:"condition" doc:"When the alarm is raised, in words."`
	Count     int64     `json:"count" doc:"Number of rows of the query."`
	StartAt   time.Time `json:"start_at" doc:"The start of the time whose events were counted."`
	EndAt     time.Time `json:"end_at" doc:"The end of that time."`
	Rows      []string  `json:"rows" doc:"Of alarm_alert, the first rows of the query, at most 5. Each is an object in JSON, which is cut off if it is long."`
}

// AlarmOf returns an alarm with its change.
func AlarmOf(f alerts.AlarmFacts, at Place) Alarm {
	return Alarm{
		ID: ID(f.ID), ProjectID: at.ProjectID, Name: f.Name, Description: f.Description, State: f.State, Query: f.Query, CreatedAt: f.CreatedAt,
		Links:     at.AlarmPage(ID(f.ID)),
		Condition: f.Condition, Count: f.Count, StartAt: f.From, EndAt: f.To, Rows: append([]string{}, f.Rows...),
	}
}

// AlarmPage returns the links of an alarm.
func (p Place) AlarmPage(alarm ID) Links {
	return p.Page("/projects/%s/insights/alarms/%s", p.ProjectID, alarm)
}
