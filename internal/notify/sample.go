package notify

import (
	"slices"
	"time"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
)

// testSentence is the message of the sample error in a test of a channel.
const testSentence = "This is a test"

// useSample fills a test alert with sample data.
func (s *alertContext) useSample() {
	sample := sampleContext(s.Event, s.baseURL)
	s.Facts, s.fault, s.notice, s.site, s.checkIn, s.deploy = sample.Facts, sample.fault, sample.notice, sample.site, sample.checkIn, sample.deploy
	s.Facts.Test = true
	s.Environment = sample.Environment
	s.FaultID = 0 // receivers that track faults must not mistake it for a real one
	if s.fault != nil {
		s.fault.ID, s.fault.ProjectID, s.fault.Class, s.fault.Message = 0, s.ProjectID, "TestError", testSentence
	}
	if s.notice != nil {
		s.notice.FaultID, s.notice.ProjectID, s.notice.Class, s.notice.Message = 0, s.ProjectID, "TestError", testSentence
		s.notice.Deploy.ProjectID = s.ProjectID
	}
	if s.deploy != nil {
		s.deploy.ProjectID = s.ProjectID
	}
}

func sampleNow() time.Time { return time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC) }

func sampleAnn() *sett.Person { return &sett.Person{ID: 3, Email: "ann@example.org", Name: "Ann"} }

func sampleBob() *sett.Person { return &sett.Person{ID: 4, Email: "bob@example.org", Name: "Bob"} }

// sampleContext is a complete context with sample data.
func sampleContext(e alerts.AlertEvent, baseURL string) *alertContext {
	s := &alertContext{
		Alert:   alerts.Alert{ID: 1, ProjectID: 1, Event: e, At: sampleNow(), CreatedAt: sampleNow()},
		baseURL: baseURL, reportURL: baseURL, project: sampleProject(),
		environments: []accounts.Environment{{
			ID: 1, ProjectID: 1, EnvironmentSettings: accounts.EnvironmentSettings{Name: "production", Notifications: true},
			CreatedAt: sampleNow().AddDate(0, -1, 0), UpdatedAt: sampleNow().AddDate(0, -1, 0),
		}},
	}
	switch e {
	case alerts.AlertDown, alerts.AlertUp, alerts.AlertSlow, alerts.AlertFast, alerts.AlertCertWillExpire:
		s.sampleSite()
	case alerts.AlertCheckInMissing, alerts.AlertCheckInFailed, alerts.AlertCheckInReporting:
		s.sampleCheckIn()
	case alerts.AlertAlarm, alerts.AlertAlarmOK:
		s.sampleAlarm()
	case alerts.AlertDeployed:
		s.deploy, s.Environment = sampleDeploy(), "production"
		s.Facts.DeployID = s.deploy.ID
	case alerts.AlertFlooded:
		s.Facts.Held = &alerts.HeldFacts{Count: 42, Limit: 30, Minutes: 10}
	default:
		s.sampleFault()
	}
	return s
}

func sampleProject() accounts.Project {
	began := sampleNow().AddDate(0, -1, 0)
	return accounts.Project{
		ID: 1, AccountID: "Me3upk0Z", ProjectSettings: accounts.ProjectSettings{Name: "Shop"}, Active: true, Token: "sett_p_…", CreatedAt: began,
		EarliestNoticeAt: began, LastNoticeAt: sampleNow(), Environments: []string{"production"}, FaultCount: 12, UnresolvedCount: 5,
		Owner: sampleAnn(), Teams: []accounts.TeamName{{ID: 1, Name: "Backend"}}, Users: []sett.Person{*sampleAnn(), *sampleBob()},
		Sites: []accounts.SiteSummary{{ID: sampleID(1), Name: "Shop front", URL: "https://shop.example.org/", Active: true, State: sett.SiteUp, LastCheckedAt: sampleNow()}},
	}
}

// sampleID is an id that looks like one.
func sampleID(last byte) sett.UUID {
	return sett.UUID{0x6f, 0x1c, 0x1d, 0x52, 0x3a, 0x0e, 0x4b, 0x7d, 0x9c, 0x15, 0x52, 0x0b, 0x3f, 0x8e, 0x77, last}
}

func (s *alertContext) sampleFault() {
	s.FaultID, s.Subject, s.Environment = 7, alerts.FaultSubject(7), "production"
	s.notice = sampleNotice()
	n := s.notice
	s.fault = &faults.Fault{
		ID: 7, ProjectID: 1, Environment: "production", Class: n.Class, Component: n.Request.Component, Action: n.Request.Action, Message: n.Message,
		Tags: []string{"checkout"}, CreatedAt: sampleNow().Add(-time.Hour), CommentsCount: 1, NoticesCount: 12, LastNoticeAt: sampleNow(),
	}
	s.Facts = alerts.AlertFacts{
		NoticesCount: 12, Actor: sampleAnn(), Assignee: sampleBob(),
		Comment: &alerts.CommentFacts{ID: 5, Body: "The new driver closes idle connections.", CreatedAt: sampleNow()},
		Rate:    &alerts.RateFacts{Count: 12, Threshold: 10, Rate: alerts.RateHour},
		Spike:   &alerts.SpikeFacts{Observed: 120, BaselineMedian: 8, Factor: 15, ZScore: 9.3, WindowMinutes: 10},
	}
	if slices.Contains([]alerts.AlertEvent{alerts.AlertOccurred, alerts.AlertRateExceeded, alerts.AlertVolumeSpike}, s.Event) {
		s.Facts.Actor = nil
	}
	s.restoreFault()
}

func sampleNotice() *faults.Notice {
	at := func(n int) *int { return &n }
	own := payload.Frame{Number: at(42), File: "[PROJECT_ROOT]/app/checkout.rb", Method: "pay", Context: "app"}
	frames := []payload.Frame{{Number: at(118), File: "[GEM_ROOT]/gems/pg-1.5.9/lib/pg/connection.rb", Method: "exec", Context: "all"}, own}
	own.ApplicationFile = "app/checkout.rb"
	return &faults.Notice{
		ID: sampleID(2), Key: sett.NoticeIDAt(sampleNow()), ProjectID: 1, FaultID: 7, Readable: true, Deploy: sampleDeploy(),
		Payload: payload.Payload{
			Class: "RuntimeError", Message: "connection to the database was closed",
			Environment: payload.NoticeEnvironment{
				EnvironmentName: "production", Hostname: "web-1", ProjectRoot: payload.ProjectRoot{Path: "/srv/shop"}, Revision: "4f2a9c1",
				Time: "2026-01-31 12:00:00 UTC", PID: at(4711),
			},
			Request: payload.NoticeRequest{
				Action: "pay", Component: "CheckoutController", URL: "https://shop.example.org/checkout", Context: map[string]any{"user_id": 12},
				Params: map[string]any{"cart": "81"}, User: &payload.User{Email: "customer@example.org", ID: 12},
			},
			WebEnvironment: map[string]string{"REQUEST_METHOD": "POST"}, Backtrace: frames, ApplicationTrace: []payload.Frame{own},
		},
	}
}

func sampleDeploy() *faults.Deploy {
	return &faults.Deploy{
		ID: 9, ProjectID: 1, Environment: "production", Revision: "4f2a9c1", Repository: "https://git.example.org/acme/shop", LocalUsername: "ann",
		CreatedAt: sampleNow().Add(-time.Hour), Previous: "b81d0e7",
	}
}

func (s *alertContext) sampleSite() {
	s.site = &checks.Site{ID: sampleID(1), ProjectID: 1, SiteSettings: checks.NewSiteSettings()}
	s.Subject = alerts.SiteSubject(s.site.ID)
	f := &alerts.SiteFacts{
		ID: s.site.ID.String(), Name: "Shop front", URL: "https://shop.example.org/", State: sett.SiteUp, LastCheckedAt: sampleNow(),
		CertWillExpireAt: sampleNow().AddDate(0, 0, 14),
	}
	switch s.Event {
	case alerts.AlertCertWillExpire:
		f.Days = 14
	case alerts.AlertSlow:
		f.Slow = &alerts.SlowFacts{SlowAt: sampleNow().Add(-2 * time.Minute), Limit: 800, Took: 1840, Checks: 3}
	case alerts.AlertFast:
		f.Slow = &alerts.SlowFacts{SlowAt: sampleNow().Add(-12 * time.Minute), FastAt: sampleNow(), Limit: 800, Took: 120, Checks: 3}
	default:
		f.DownAt, f.Status, f.Reason, f.Headers = sampleNow(), 503, "Expected 2xx status code -- got 503", map[string]string{"retry-after": "30"}
		f.State, f.ConfirmedAt, f.Location = sett.SiteDown, sampleNow().Add(30*time.Second), "Virginia"
	}
	if s.Event == alerts.AlertUp {
		f.State, f.DownAt, f.UpAt = sett.SiteUp, sampleNow().Add(-83*time.Second), sampleNow()
		f.ConfirmedAt = f.DownAt.Add(30 * time.Second)
	}
	s.Facts.Site = f
	s.restoreSite()
}

func (s *alertContext) sampleAlarm() {
	s.Subject = alerts.AlarmSubject("q1W2e3R4t5Y6")
	f := &alerts.AlarmFacts{
		ID: s.Subject.ID(), Name: "Failing payments", Description: "Look at the dashboard of the payment provider first.", State: "alarm",
		Condition: "more than 10 rows in 5 minutes", Count: 14, Query: `filter event_type::str == "payment" and status::int >= 500`,
		From: sampleNow().Add(-6 * time.Minute), To: sampleNow().Add(-time.Minute), CreatedAt: sampleNow().AddDate(0, 0, -7),
	}
	if s.Event == alerts.AlertAlarm {
		f.Rows = []string{`{"@ts":"2026-01-31 11:58:12.480","@preview":"{\"event_type\":\"payment\",\"status\":502}"}`}
	} else {
		f.State, f.Count = "ok", 3
	}
	s.Facts.Alarm = f
}

func (s *alertContext) sampleCheckIn() {
	s.checkIn = &checks.CheckIn{
		ID: "Ab3dEf", ProjectID: 1,
		CheckInSettings: checks.CheckInSettings{Slug: "backup", ScheduleType: checks.SimpleSchedule, ReportPeriod: "1 day", GracePeriod: "5 minutes"},
	}
	s.Subject = alerts.CheckInSubject(s.checkIn.ID)
	due := sampleNow().Add(-5 * time.Minute)
	f := &alerts.CheckInFacts{
		ID: s.checkIn.ID, Name: "Backup", State: sett.CheckInMissing, ReportedAt: due.AddDate(0, 0, -1), ExpectedAt: due, DueAt: due, MissedCount: 1,
	}
	if s.Event == alerts.AlertCheckInFailed {
		f.State, f.ReportedAt, f.ExpectedAt, f.DueAt, f.MissedCount = sett.CheckInFailing, sampleNow(), sampleNow().AddDate(0, 0, 1), time.Time{}, 0
		f.Reason = "The job ended with exit code 3.\n\npg_dump: error: connection to server failed"
	}
	if s.Event == alerts.AlertCheckInReporting {
		f.State, f.ReportedAt, f.ExpectedAt, f.DueAt, f.MissedCount = sett.CheckInReporting, sampleNow(), sampleNow().AddDate(0, 0, 1), time.Time{}, 0
	}
	s.Facts.CheckIn = f
	s.restoreCheckIn()
}
