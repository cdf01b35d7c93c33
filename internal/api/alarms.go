package api

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alarm"
	"sett/internal/sett/insight"
)

const (
	alarmsPath = "/v2/projects/{project_id}/alarms"
	alarmPath  = alarmsPath + "/{alarm_id}"
)

func (a *API) alarmRoutes() []serve.Route {
	const tag = "Alarms"
	return []serve.Route{
		{
			Method: "GET", Path: alarmsPath, Name: "listAlarms", Tag: tag, Permission: accounts.ReadProject,
			Result: serve.List[Alarm]{}, Handle: a.listAlarms,
			Doc: "List the alarms of a project, in order of creation. An alarm counts the rows of a query again and again, and compares their number.",
		},
		{
			Method: "POST", Path: alarmsPath, Name: "createAlarm", Tag: tag, Permission: accounts.WatchProject,
			Body: alarmBody{}, Result: Alarm{}, Status: http.StatusCreated, Handle: a.createAlarm,
			Doc: "Create an alarm. It is evaluated at the next full minute, and then once in each evaluation period.",
		},
		{
			Method: "GET", Path: alarmPath, Name: "getAlarm", Tag: tag, Permission: accounts.ReadProject,
			Result: Alarm{}, Handle: a.getAlarm,
			Doc: "Get an alarm.",
		},
		{
			Method: "PUT", Path: alarmPath, Name: "updateAlarm", Tag: tag, Permission: accounts.WatchProject,
			Body: alarmBody{}, Status: http.StatusNoContent, Handle: a.updateAlarm,
			Doc: "Update an alarm. Only the fields you send change; trigger_config is replaced as a whole. The alarm keeps its state and history.",
		},
		{
			Method: "DELETE", Path: alarmPath, Name: "deleteAlarm", Tag: tag, Permission: accounts.WatchProject,
			Status: http.StatusNoContent, Handle: a.deleteAlarm,
			Doc: "Delete an alarm and its history.",
		},
		{
			Method: "GET", Path: alarmPath + "/history", Name: "listAlarmHistory", Tag: tag, Permission: accounts.ReadProject,
			Result: AlarmHistory{}, PageSize: serve.ShortPage, Handle: a.listAlarmHistory,
			Doc: "List the changes of the state of an alarm, newest first.",
		},
	}
}

// Alarm is an alarm as the contract's clients read one.
type Alarm struct {
	ID          string        `json:"id"`
	Name        string        `json:"name"`
	Description string        `json:"description" doc:"Empty for none."`
	State       string        `json:"state" enum:"initial,ok,alarm" doc:"initial until the first evaluation that succeeds. An evaluation that fails keeps the state."`
	Query       string        `json:"query"`
	StreamIDs   []string      `json:"stream_ids" doc:"Ids of the streams whose events are read."`
	Period      string        `json:"evaluation_period" doc:"As sent."`
	Lag         string        `json:"lookback_lag" doc:"As sent; 0s by default."`
	Trigger     alarm.Trigger `json:"trigger_config"`
	Error       *string       `json:"error" doc:"Why the last evaluation failed; null if it did not."`
	LastChecked *time.Time    `json:"last_checked_at" doc:"When it was last evaluated."`
	NextCheck   *time.Time    `json:"next_check_at" doc:"When it is evaluated next."`
	CreatedAt   time.Time     `json:"created_at"`
	UpdatedAt   time.Time     `json:"updated_at" doc:"When a user changed it, or it was evaluated."`
	URL         string        `json:"url" doc:"Its page."`
	ProjectID   int64         `json:"project_id"`
}

func (a *API) viewAlarm(of alarm.Alarm) Alarm {
	streams := of.Streams
	if len(streams) == 0 {
		streams = insight.Streams()
	}
	return Alarm{
		ID: of.ID, Name: of.Name, Description: of.Description, State: string(of.State), Query: of.Query,
		StreamIDs: viewAll(streams, func(s insight.Stream) string { return s.ID(of.ProjectID) }),
		Period:    string(of.Period), Lag: string(of.Lag), Trigger: of.Trigger(), Error: nullText(of.Error),
		LastChecked: nullTime(of.LastChecked), NextCheck: nullTime(of.NextCheck), CreatedAt: of.CreatedAt, UpdatedAt: of.UpdatedAt,
		URL: fmt.Sprintf("%s/projects/%d/insights/alarms/%s", a.BaseURL, of.ProjectID, of.ID), ProjectID: of.ProjectID,
	}
}

// AlarmHistory is a page of the changes of an alarm. The contract's clients read them under this name.
type AlarmHistory struct {
	serve.Paged
	Links    serve.Links    `json:"links" doc:"Links to neighboring pages."`
	Triggers []AlarmTrigger `json:"triggers" doc:"The changes of this page."`
}

// AlarmTrigger is a change of the state of an alarm.
type AlarmTrigger struct {
	ID        string      `json:"id"`
	State     string      `json:"state" enum:"ok,alarm,error" doc:"The state from then on. error: the evaluation failed, and the state before stays."`
	Result    AlarmResult `json:"result"`
	CreatedAt time.Time   `json:"created_at" doc:"When it was evaluated."`
}

// AlarmResult is what an evaluation found.
type AlarmResult struct {
	Count     *int64    `json:"count,omitempty" doc:"Number of rows; absent if the evaluation failed."`
	Condition string    `json:"condition" doc:"When the alarm was raised at that time, in words."`
	Error     string    `json:"error,omitempty" doc:"Why the evaluation failed; absent if it did not."`
	StartAt   time.Time `json:"start_at" doc:"The start of the time whose events were counted."`
	EndAt     time.Time `json:"end_at" doc:"The end of that time."`
}

func viewAlarmTrigger(c alarm.Change) AlarmTrigger {
	result := AlarmResult{Condition: c.Condition, Error: c.Error, StartAt: c.Window.From, EndAt: c.Window.To}
	if c.Error == "" {
		result.Count = &c.Count
	}
	return AlarmTrigger{strconv.FormatInt(c.ID, 10), string(c.State), result, c.At}
}

func (a *API) listAlarms(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	all, err := a.Alarms.List(r.Context(), pathID(r, "project_id"))
	if err != nil {
		return err
	}
	found, marks := pageOf(page.Page, all, func(of alarm.Alarm) string { return of.ID })
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(found, a.viewAlarm), marks))
}

// alarmBody is the body that makes or changes an alarm.
type alarmBody struct {
	Alarm sett.Optional[alarm.AlarmChange] `json:"alarm" required:"true"`
}

func readAlarmChange(w http.ResponseWriter, r *http.Request) (alarm.AlarmChange, error) {
	var body alarmBody
	const example = `{"name": "Failing payments", "query": "filter status::int >= 500", "evaluation_period": "5m", ` +
		`"trigger_config": {"type": "alert_result_count", "config": {"operator": "gt", "value": 10}}}`
	return readInside(w, r, &body, &body.Alarm, "alarm", example)
}

func (a *API) createAlarm(w http.ResponseWriter, r *http.Request) error {
	change, err := readAlarmChange(w, r)
	if err != nil {
		return err
	}
	made, err := a.Alarms.Create(r.Context(), a.Now(), pathID(r, "project_id"), change)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, a.viewAlarm(made))
}

// alarm returns the alarm that the path names. That it is missing is said before what is wrong with a body.
func (a *API) alarm(r *http.Request) (alarm.Alarm, error) {
	return a.Alarms.ByID(r.Context(), pathID(r, "project_id"), r.PathValue("alarm_id"))
}

func (a *API) getAlarm(w http.ResponseWriter, r *http.Request) error {
	found, err := a.alarm(r)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, a.viewAlarm(found))
}

func (a *API) updateAlarm(w http.ResponseWriter, r *http.Request) error {
	found, err := a.alarm(r)
	if err != nil {
		return err
	}
	change, err := readAlarmChange(w, r)
	if err != nil {
		return err
	}
	return done(w, http.StatusNoContent, a.Alarms.Update(r.Context(), a.Now(), found.ProjectID, found.ID, change))
}

func (a *API) deleteAlarm(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusNoContent, a.Alarms.Delete(r.Context(), pathID(r, "project_id"), r.PathValue("alarm_id")))
}

func (a *API) listAlarmHistory(w http.ResponseWriter, r *http.Request) error {
	of, err := a.alarm(r)
	if err != nil {
		return err
	}
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	changes, marks, err := a.Alarms.History(r.Context(), of.ProjectID, of.ID, page.Page)
	if err != nil {
		return err
	}
	list := serve.NewList(a.BaseURL, r, page, viewAll(changes, viewAlarmTrigger), marks)
	return serve.WriteJSON(w, http.StatusOK, AlarmHistory{Links: list.Links, Triggers: list.Results})
}
