package notify

import (
	"cmp"
	"fmt"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/store/sheet"
)

// alertContext is an alert with the objects that it refers to, as far as they still exist. The facts of the alert replace
// values that have changed since.
type alertContext struct {
	alerts.Alert
	baseURL, reportURL string

	project      accounts.Project
	environments []accounts.Environment
	fault        *faults.Fault  // never nil for an alert about one fault; a deleted one has only its id and environment
	faults       []faults.Fault // for an alert about several faults: the first that still exist
	notice       *faults.Notice
	site         *checks.Site
	checkIn      *checks.CheckIn
	deploy       *faults.Deploy
	acknowledged *alerts.Acknowledgement // of the problem that the alert is about, which lasts; nil: none
}

// mostListed is the maximum number of sites and users of a project in a payload.
const mostListed = 100

// newContext returns the context of an alert from its sheet. What no longer exists gets what the facts say of it.
func newContext(a alerts.Alert, of sheet.Alert, baseURL, reportURL string) *alertContext {
	s := &alertContext{Alert: a, baseURL: baseURL, reportURL: reportURL}
	s.setProject(of)
	if a.Facts.Test {
		s.useSample()
		return s
	}
	if p := of.Problem; p != nil && p.Of(a) {
		s.acknowledged = p.Acknowledgement
	}
	s.complete()
	s.setFault(of)
	s.setSite(of.Site)
	s.setCheckIn(of.CheckIn)
	s.setDeploy(of.Deploy)
	return s
}

// complete adds empty facts where the alert lacks those of its event, so that the texts need no nil checks.
func (s *alertContext) complete() {
	f := &s.Facts
	switch s.Event {
	case alerts.AlertDown, alerts.AlertUp, alerts.AlertSlow, alerts.AlertFast, alerts.AlertCertWillExpire:
		f.Site = cmp.Or(f.Site, &alerts.SiteFacts{State: sett.SitePending})
		if s.Event == alerts.AlertSlow || s.Event == alerts.AlertFast {
			f.Site.Slow = cmp.Or(f.Site.Slow, &alerts.SlowFacts{})
		}
	case alerts.AlertCheckInMissing, alerts.AlertCheckInFailed, alerts.AlertCheckInReporting:
		f.CheckIn = cmp.Or(f.CheckIn, &alerts.CheckInFacts{State: sett.CheckInPending})
	case alerts.AlertAlarm, alerts.AlertAlarmOK:
		f.Alarm = cmp.Or(f.Alarm, &alerts.AlarmFacts{State: "ok"})
	case alerts.AlertRateExceeded:
		f.Rate = cmp.Or(f.Rate, &alerts.RateFacts{Rate: alerts.RateHour})
	case alerts.AlertVolumeSpike:
		f.Spike = cmp.Or(f.Spike, &alerts.SpikeFacts{})
	case alerts.AlertCommented:
		f.Comment = cmp.Or(f.Comment, &alerts.CommentFacts{CreatedAt: s.At})
	case alerts.AlertFlooded:
		f.Held = cmp.Or(f.Held, &alerts.HeldFacts{})
	}
}

func (s *alertContext) setProject(of sheet.Alert) {
	s.project = accounts.Project{ID: s.ProjectID}
	if of.Project != nil {
		s.project = *of.Project
	}
	s.environments = of.Environments
	if len(s.environments) == 0 { // consumers use the first one unconditionally (wire.md §5.4)
		s.environments = []accounts.Environment{{
			ProjectID: s.ProjectID, EnvironmentSettings: accounts.EnvironmentSettings{Name: cmp.Or(s.Environment, payload.DefaultEnvironment), Notifications: true},
			CreatedAt: s.project.CreatedAt, UpdatedAt: s.project.CreatedAt,
		}}
	}
}

func (s *alertContext) setFault(of sheet.Alert) {
	s.faults = of.Faults
	if !s.AboutFault() {
		return
	}
	if s.fault = of.Fault; s.fault == nil {
		s.fault = &faults.Fault{ID: s.FaultID, ProjectID: s.ProjectID, Environment: s.Environment, CreatedAt: s.At, Tags: []string{}}
	}
	s.restoreFault()
	if s.notice = of.Notice; s.notice == nil && s.Facts.NoticeID != 0 {
		gone := faults.NewNotice(s.Facts.NoticeID, sett.UUID{}, payload.Body{}, "")
		gone.ProjectID, gone.FaultID = s.ProjectID, s.FaultID
		gone.Class, gone.Message, gone.Environment.EnvironmentName = s.fault.Class, s.fault.Message, s.Environment
		s.notice = &gone
	}
}

// restoreFault sets the fault to its state when the alert was raised.
func (s *alertContext) restoreFault() {
	f, facts := s.fault, s.Facts
	f.NoticesCount = cmp.Or(facts.NoticesCount, f.NoticesCount)
	switch s.Event {
	case alerts.AlertOccurred, alerts.AlertUnresolved:
		f.Resolved = false
	case alerts.AlertResolved:
		f.Resolved = true
	case alerts.AlertAssigned:
		f.Assignee = facts.Assignee
	}
	if facts.NoticeID != 0 {
		f.LastNoticeAt = facts.NoticeID.Time()
	}
}

func (s *alertContext) setSite(site *checks.Site) {
	facts := s.Facts.Site
	if facts == nil {
		return
	}
	if s.site = site; site == nil {
		id, _ := sett.ParseUUID(facts.ID)
		s.site = &checks.Site{ID: id, ProjectID: s.ProjectID, SiteSettings: checks.NewSiteSettings()}
		s.site.Active = false
	}
	s.restoreSite()
}

// restoreSite sets the site to its state when the alert was raised.
func (s *alertContext) restoreSite() {
	site, facts := s.site, s.Facts.Site
	facts.URL = checks.ShownAddress(facts.URL) // older versions stored the complete URL
	site.Name, site.URL, site.State = cmp.Or(facts.Name, facts.URL), facts.URL, facts.State
	site.LastCheckedAt, site.CertWillExpireAt = facts.LastCheckedAt, facts.CertWillExpireAt
}

func (s *alertContext) setCheckIn(found *checks.CheckIn) {
	facts := s.Facts.CheckIn
	if facts == nil {
		return
	}
	if s.checkIn = found; found == nil {
		s.checkIn = &checks.CheckIn{ID: facts.ID, ProjectID: s.ProjectID, CheckInSettings: checks.CheckInSettings{ScheduleType: checks.SimpleSchedule}}
	}
	s.restoreCheckIn()
}

// restoreCheckIn sets the check-in to its state when the alert was raised.
func (s *alertContext) restoreCheckIn() {
	c, facts := s.checkIn, s.Facts.CheckIn
	c.Name, c.State = cmp.Or(facts.Name, facts.ID), facts.State
	c.ReportedAt, c.ExpectedAt, c.MissedCount = facts.ReportedAt, facts.ExpectedAt, facts.MissedCount
}

func (s *alertContext) setDeploy(found *faults.Deploy) {
	if s.deploy = found; found == nil && s.Event == alerts.AlertDeployed {
		s.deploy = &faults.Deploy{ID: s.Facts.DeployID, ProjectID: s.ProjectID, Environment: s.Environment, CreatedAt: s.At}
	}
}

// projectName is the name of the project, or its number if it no longer exists.
func (s *alertContext) projectName() string {
	return cmp.Or(s.project.Name, fmt.Sprint("project ", s.ProjectID))
}
