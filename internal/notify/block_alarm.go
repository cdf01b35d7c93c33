package notify

import "time"

// alarmBlock is an alarm as payloads show one. The members after details_url are additions to the contract.
type alarmBlock struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	State      string    `json:"state" enum:"ok,alarm"`
	CreatedAt  time.Time `json:"created_at"`
	URL        string    `json:"url" doc:"Its page."`
	DetailsURL string    `json:"details_url" doc:"The same as url."`

	Description string    `json:"description"`
	Condition   string    `json:"condition" doc:"When the alarm is raised, in words."`
	Query       string    `json:"query"`
	Count       int64     `json:"count" doc:"Number of rows of the query."`
	StartAt     time.Time `json:"start_at" doc:"The start of the time whose events were counted."`
	EndAt       time.Time `json:"end_at" doc:"The end of that time."`
	Rows        []string  `json:"rows" doc:"Of alarm_alert, the first rows of the query, at most 5. Each is an object in JSON, which is cut off if it is long."`
}

func (s *alertContext) alarmBlock() alarmBlock {
	f := s.Facts.Alarm
	return alarmBlock{
		ID: f.ID, Name: f.Name, State: f.State, CreatedAt: f.CreatedAt, URL: s.alarmURL(), DetailsURL: s.alarmURL(), Description: f.Description,
		Condition: f.Condition, Query: f.Query, Count: f.Count, StartAt: f.From, EndAt: f.To, Rows: append([]string{}, f.Rows...),
	}
}
