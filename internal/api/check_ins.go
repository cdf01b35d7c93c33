package api

import (
	"fmt"
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
)

const (
	checkInsPath = "/v2/projects/{project_id}/check_ins"
	checkInPath  = checkInsPath + "/{check_in_id}"
)

func (a *API) checkInRoutes() []serve.Route {
	const tag = "Check-ins"
	return []serve.Route{
		{
			Method: "GET", Path: checkInsPath, Name: "listCheckIns", Tag: tag, Permission: accounts.ReadProject,
			Result: serve.List[CheckIn]{}, Handle: a.listCheckIns,
			Doc: "List the check-ins of a project, in order of creation.",
		},
		{
			Method: "POST", Path: checkInsPath, Name: "createCheckIn", Tag: tag, Permission: accounts.WatchProject,
			Body: checkInBody{}, Result: CheckIn{}, Status: http.StatusCreated, Handle: a.createCheckIn,
			Doc: "Create a check-in for a job that reports regularly. No ping is expected before the first one.",
		},
		{
			Method: "PUT", Path: checkInsPath, Name: "syncCheckIns", Tag: tag, Permission: accounts.WatchProject,
			Body: checkInsBody{}, Result: checkInSyncs{}, Handle: a.syncCheckIns,
			Doc: "Replace the check-ins of a project by a list. By slug, existing check-ins are updated, new ones are created, and all others are deleted. An invalid entry does not affect the others.",
		},
		{
			Method: "GET", Path: checkInPath, Name: "getCheckIn", Tag: tag, Permission: accounts.ReadProject,
			Result: CheckIn{}, Handle: a.getCheckIn,
			Doc: "Get a check-in.",
		},
		{
			Method: "PUT", Path: checkInPath, Name: "updateCheckIn", Tag: tag, Permission: accounts.WatchProject,
			Body: checkInBody{}, Status: http.StatusNoContent, Handle: a.updateCheckIn,
			Doc: "Update a check-in. Only the fields you send change. slug and schedule_type cannot be changed, and fields of the other schedule type are ignored. After a change of the schedule, the check-in is pending until the next ping.",
		},
		{
			Method: "DELETE", Path: checkInPath, Name: "deleteCheckIn", Tag: tag, Permission: accounts.WatchProject,
			Status: http.StatusNoContent, Handle: a.deleteCheckIn,
			Doc: "Delete a check-in and its history.",
		},
		{
			Method: "POST", Path: checkInPath + "/pause", Name: "pauseCheckIn", Tag: tag, Permission: accounts.WatchProject,
			Body: checks.CheckInPause{}, Handle: a.pauseCheckIn,
			Doc: "Pause a check-in, replacing an earlier pause.",
		},
		{
			Method: "POST", Path: checkInPath + "/unpause", Name: "unpauseCheckIn", Tag: tag, Permission: accounts.WatchProject,
			Handle: a.unpauseCheckIn,
			Doc:    "Resume a check-in.",
		},
		{
			Method: "GET", Path: checkInPath + "/events", Name: "listCheckInEvents", Tag: tag, Permission: accounts.ReadProject,
			Result: serve.List[CheckInEvent]{}, Handle: a.listCheckInEvents,
			Doc: "List the history of a check-in, newest first: its pings with their data, and missed pings.",
		},
	}
}

// CheckIn is a check-in as the contract shows one, with what clients read beside (wire.md §1.6). Fields of the other type
// of schedule are left out: the JavaScript client compares them with its own, which then has none.
type CheckIn struct {
	ID           string     `json:"id"`
	Name         string     `json:"name" doc:"The id if it has no name."`
	Slug         string     `json:"slug" doc:"Empty for none."`
	State        string     `json:"state" enum:"pending,reporting,missing,failing,paused" doc:"failing: the newest ping says that the job failed."`
	ScheduleType string     `json:"schedule_type" enum:"simple,cron"`
	ReportPeriod string     `json:"report_period,omitempty" doc:"For simple schedules, as sent."`
	CronSchedule string     `json:"cron_schedule,omitempty" doc:"For cron schedules, as sent."`
	CronTimezone *string    `json:"cron_timezone,omitempty" doc:"For cron schedules, as sent; empty for UTC."`
	GracePeriod  string     `json:"grace_period" doc:"As sent; empty for none."`
	ReportedAt   *time.Time `json:"reported_at" doc:"When the newest ping arrived."`
	ExpectedAt   *time.Time `json:"expected_at" doc:"When the next ping is expected."`
	MissedCount  int64      `json:"missed_count" doc:"Number of consecutive pings that were missed."`
	Reminders    string     `json:"reminder_interval" doc:"As sent; empty for the default, 1 hour."`
	URL          string     `json:"url" doc:"URL that the job reports to; a secret."`
	DetailsURL   string     `json:"details_url" doc:"Its page."`
}

func (a *API) viewCheckIn(c checks.CheckIn) CheckIn {
	v := CheckIn{
		ID: c.ID, Name: c.Name, Slug: c.Slug, State: string(c.State), ScheduleType: string(c.ScheduleType), ReportPeriod: c.ReportPeriod,
		CronSchedule: c.CronSchedule, GracePeriod: c.GracePeriod, ReportedAt: nullTime(c.ReportedAt), ExpectedAt: nullTime(c.ExpectedAt),
		MissedCount: c.MissedCount, Reminders: c.ReminderInterval, URL: a.ReportURL + "/v1/check_in/" + c.ID,
		DetailsURL: fmt.Sprintf("%s/projects/%d/check_ins/%s", a.BaseURL, c.ProjectID, c.ID),
	}
	if c.Name == "" {
		v.Name = c.ID
	}
	if c.ScheduleType == checks.CronSchedule {
		v.CronTimezone = &c.CronTimezone
	}
	return v
}

func (a *API) listCheckIns(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	found, marks, err := a.Uptime.ListCheckIns(r.Context(), pathID(r, "project_id"), page.Page)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(found, a.viewCheckIn), marks))
}

// checkInBody is the body that makes or changes a check-in.
type checkInBody struct {
	CheckIn sett.Optional[checks.CheckInChange] `json:"check_in" required:"true"`
}

func readCheckInChange(w http.ResponseWriter, r *http.Request) (checks.CheckInChange, error) {
	var body checkInBody
	return readInside(w, r, &body, &body.CheckIn, "check_in", `{"name": "Backup", "report_period": "1 day"}`)
}

func (a *API) createCheckIn(w http.ResponseWriter, r *http.Request) error {
	change, err := readCheckInChange(w, r)
	if err != nil {
		return err
	}
	c, err := a.Uptime.CreateCheckIn(r.Context(), a.Now(), pathID(r, "project_id"), change)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, a.viewCheckIn(c))
}

// checkIn returns the check-in that the path names. That it is missing is said before what is wrong with a body.
func (a *API) checkIn(r *http.Request) (checks.CheckIn, error) {
	return a.Uptime.CheckInByID(r.Context(), pathID(r, "project_id"), r.PathValue("check_in_id"))
}

func (a *API) getCheckIn(w http.ResponseWriter, r *http.Request) error {
	c, err := a.checkIn(r)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, a.viewCheckIn(c))
}

func (a *API) updateCheckIn(w http.ResponseWriter, r *http.Request) error {
	c, err := a.checkIn(r)
	if err != nil {
		return err
	}
	change, err := readCheckInChange(w, r)
	if err != nil {
		return err
	}
	return done(w, http.StatusNoContent, a.Uptime.UpdateCheckIn(r.Context(), a.Now(), c.ProjectID, c.ID, change))
}

func (a *API) deleteCheckIn(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusNoContent, a.Uptime.DeleteCheckIn(r.Context(), pathID(r, "project_id"), r.PathValue("check_in_id")))
}

// pauseCheckIn takes a body without a wrapping, and answers with an empty one, as a pause of a fault does.
func (a *API) pauseCheckIn(w http.ResponseWriter, r *http.Request) error {
	c, err := a.checkIn(r)
	if err != nil {
		return err
	}
	var pause checks.CheckInPause
	if err := decodeOwn(w, r, &pause); err != nil {
		return err
	}
	until, err := pause.Until(a.Now())
	if err != nil {
		return err
	}
	return done(w, http.StatusOK, a.Uptime.PauseCheckIn(r.Context(), a.Now(), c.ProjectID, c.ID, until))
}

func (a *API) unpauseCheckIn(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusOK, a.Uptime.UnpauseCheckIn(r.Context(), a.Now(), pathID(r, "project_id"), r.PathValue("check_in_id")))
}
