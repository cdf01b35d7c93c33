package notify

import (
	"time"

	"sett/internal/sett/checks"
)

// checkInBlock is a check-in as payloads show one (wire.md §5.4). Fields of the other type of schedule are left out.
type checkInBlock struct {
	ID           string     `json:"id"`
	Name         string     `json:"name" doc:"The id if it has no name."`
	Slug         string     `json:"slug"`
	State        string     `json:"state" enum:"pending,reporting,missing,failing,paused"`
	ScheduleType string     `json:"schedule_type" enum:"simple,cron"`
	ReportPeriod string     `json:"report_period,omitempty" doc:"For simple schedules."`
	CronSchedule string     `json:"cron_schedule,omitempty" doc:"For cron schedules."`
	CronTimezone *string    `json:"cron_timezone,omitempty" doc:"For cron schedules; empty for UTC."`
	GracePeriod  string     `json:"grace_period" doc:"Empty for none."`
	ReportedAt   *time.Time `json:"reported_at" doc:"When the newest ping arrived."`
	ExpectedAt   *time.Time `json:"expected_at" doc:"When the next ping is expected."`
	MissedCount  int64      `json:"missed_count" doc:"Number of consecutive pings that were missed."`
	URL          string     `json:"url" doc:"URL that the job reports to; a secret."`
	DetailsURL   string     `json:"details_url" doc:"Its page."`
}

func (s *alertContext) checkInBlock() checkInBlock {
	c := s.checkIn
	b := checkInBlock{
		ID: c.ID, Name: c.Name, Slug: c.Slug, State: string(c.State), ScheduleType: string(c.ScheduleType), ReportPeriod: c.ReportPeriod,
		CronSchedule: c.CronSchedule, GracePeriod: c.GracePeriod, ReportedAt: nullTime(c.ReportedAt), ExpectedAt: nullTime(c.ExpectedAt),
		MissedCount: c.MissedCount, URL: s.reportURL + "/v1/check_in/" + c.ID, DetailsURL: s.checkInURL(),
	}
	if c.ScheduleType == checks.CronSchedule {
		b.CronTimezone = &c.CronTimezone
	}
	return b
}
