package shape

import (
	"encoding/json"
	"time"

	"sett/internal/sett/checks"
)

// CheckIn is a job that reports.
type CheckIn struct {
	ID           ID         `json:"id"`
	ProjectID    ID         `json:"project_id"`
	Name         string     `json:"name"`
	Slug         string     `json:"slug"`
	State        string     `json:"state"`
	ScheduleType string     `json:"schedule_type"`
	ReportPeriod *string    `json:"report_period"`
	GracePeriod  string     `json:"grace_period"`
	CronSchedule *string    `json:"cron_schedule"`
	CronTimezone *string    `json:"cron_timezone"`
	ReportedAt   *time.Time `json:"reported_at"`
	ExpectedAt   *time.Time `json:"expected_at"`
	MissedCount  int64      `json:"missed_count"`
	ReportURL    string     `json:"report_url" doc:"A secret."`
	Links        Links      `json:"links"`
}

// UnmarshalJSON reads a check-in of /v2, which has another name for the address of reports.
func (v *CheckIn) UnmarshalJSON(data []byte) error {
	type plain CheckIn
	read := struct {
		*plain
		URL string `json:"url"`
	}{plain: (*plain)(v)}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	v.ReportURL = read.URL
	return nil
}

// CheckInOf returns a check-in, whose job reports to a URL.
func CheckInOf(c checks.CheckIn, reportURL string, at Place) CheckIn {
	v := CheckIn{
		ID: ID(c.ID), Name: c.Name, Slug: c.Slug, State: string(c.State), ScheduleType: string(c.ScheduleType), ReportPeriod: text(c.ReportPeriod),
		GracePeriod: c.GracePeriod, CronSchedule: text(c.CronSchedule), ReportedAt: moment(c.ReportedAt), ExpectedAt: moment(c.ExpectedAt),
		MissedCount: c.MissedCount, ReportURL: reportURL,
	}
	if c.ScheduleType == checks.CronSchedule {
		v.CronTimezone = &c.CronTimezone
	}
	v.Put(at)
	return v
}

// Put sets the project and the links.
func (v *CheckIn) Put(at Place) {
	v.ProjectID = at.ProjectID
	v.Links = at.Page("/projects/%s/check_ins/%s", v.ProjectID, v.ID)
}
