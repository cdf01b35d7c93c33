package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
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
}

// mostListed is the maximum number of environments, sites and users of a project in a payload.
const mostListed = 100

// read collects the context of an alert.
func (c *Composer) read(ctx context.Context, a alerts.Alert) (*alertContext, error) {
	s := &alertContext{Alert: a, baseURL: c.BaseURL, reportURL: c.ReportURL}
	if err := c.readProject(ctx, s); err != nil {
		return nil, err
	}
	if a.Facts.Test {
		s.useSample()
		return s, nil
	}
	s.complete()
	err := errors.Join(c.readFault(ctx, s), c.readSite(ctx, s), c.readCheckIn(ctx, s), c.readDeploy(ctx, s))
	return s, err
}

// complete adds empty facts where the alert lacks those of its event, so that the texts need no nil checks.
func (s *alertContext) complete() {
	f := &s.Facts
	switch s.Event {
	case alerts.AlertDown, alerts.AlertUp, alerts.AlertCertWillExpire:
		f.Site = cmp.Or(f.Site, &alerts.SiteFacts{State: sett.SitePending})
	case alerts.AlertCheckInMissing, alerts.AlertCheckInFailed, alerts.AlertCheckInReporting:
		f.CheckIn = cmp.Or(f.CheckIn, &alerts.CheckInFacts{State: sett.CheckInPending})
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

// aboutFault reports whether the event is always about one fault.
func (s *alertContext) aboutFault() bool {
	switch s.Event {
	case alerts.AlertOccurred, alerts.AlertRateExceeded, alerts.AlertVolumeSpike, alerts.AlertCommented:
		return true
	case alerts.AlertAssigned:
		return len(s.Facts.FaultIDs) == 0
	}
	return s.FaultID != 0
}

// known returns the object, or nil if it no longer exists.
func known[T any](v T, err error) (*T, error) {
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &v, nil
}

func (c *Composer) readProject(ctx context.Context, s *alertContext) error {
	p, err := known(c.Accounts.ProjectByID(ctx, s.ProjectID))
	if err != nil {
		return err
	}
	s.project = accounts.Project{ID: s.ProjectID}
	if p != nil {
		s.project = *p
		s.environments, _, err = c.Accounts.ListEnvironments(ctx, s.ProjectID, sett.Page{Size: mostListed})
	}
	if len(s.environments) == 0 { // consumers use the first one unconditionally (wire.md §5.4)
		s.environments = []accounts.Environment{{
			ProjectID: s.ProjectID, EnvironmentSettings: accounts.EnvironmentSettings{Name: cmp.Or(s.Environment, payload.DefaultEnvironment), Notifications: true},
			CreatedAt: s.project.CreatedAt, UpdatedAt: s.project.CreatedAt,
		}}
	}
	return err
}

func (c *Composer) readFault(ctx context.Context, s *alertContext) error {
	if !s.aboutFault() {
		return c.readFaults(ctx, s)
	}
	f, err := known(c.Faults.FaultByID(ctx, s.ProjectID, s.FaultID))
	if err != nil {
		return err
	}
	if f == nil {
		f = &faults.Fault{ID: s.FaultID, ProjectID: s.ProjectID, Environment: s.Environment, CreatedAt: s.At, Tags: []string{}}
	}
	s.fault = f
	s.restoreFault()
	return c.readNotice(ctx, s)
}

// mostNamed is the maximum number of faults that a message about several faults names.
const mostNamed = 10

// readFaults reads the faults that the message names.
func (c *Composer) readFaults(ctx context.Context, s *alertContext) error {
	for _, id := range s.Facts.FaultIDs {
		if len(s.faults) == mostNamed {
			return nil
		}
		f, err := known(c.Faults.FaultByID(ctx, s.ProjectID, id))
		if err != nil {
			return err
		}
		if f != nil {
			s.faults = append(s.faults, *f)
		}
	}
	return nil
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

// readNotice finds a notice by the public id derived from its key, which works even if the client sent its own id.
func (c *Composer) readNotice(ctx context.Context, s *alertContext) error {
	key := s.Facts.NoticeID
	if key == 0 {
		return nil
	}
	n, err := known(c.Faults.NoticeByUUID(ctx, s.ProjectID, key.UUID()))
	if err != nil && sett.CodeOf(err) != sett.Unavailable { // then it is in object storage, and the alert goes out without it
		return err
	}
	if n == nil {
		gone := faults.NewNotice(key, sett.UUID{}, payload.Body{}, "")
		gone.ProjectID, gone.FaultID = s.ProjectID, s.FaultID
		gone.Class, gone.Message, gone.Environment.EnvironmentName = s.fault.Class, s.fault.Message, s.Environment
		n = &gone
	}
	s.notice = n
	return nil
}

func (c *Composer) readSite(ctx context.Context, s *alertContext) error {
	facts := s.Facts.Site
	if facts == nil {
		return nil
	}
	id, _ := sett.ParseUUID(facts.ID) // an invalid id finds nothing
	site, err := known(c.Uptime.SiteByID(ctx, s.ProjectID, id))
	if err != nil {
		return err
	}
	if site == nil {
		site = &checks.Site{ID: id, ProjectID: s.ProjectID, SiteSettings: checks.NewSiteSettings()}
		site.Active = false
	}
	s.site = site
	s.restoreSite()
	return nil
}

// restoreSite sets the site to its state when the alert was raised.
func (s *alertContext) restoreSite() {
	site, facts := s.site, s.Facts.Site
	facts.URL = checks.ShownAddress(facts.URL) // older versions stored the complete URL
	site.Name, site.URL, site.State = cmp.Or(facts.Name, facts.URL), facts.URL, facts.State
	site.LastCheckedAt, site.CertWillExpireAt = facts.LastCheckedAt, facts.CertWillExpireAt
}

func (c *Composer) readCheckIn(ctx context.Context, s *alertContext) error {
	facts := s.Facts.CheckIn
	if facts == nil {
		return nil
	}
	found, err := known(c.Uptime.CheckInByID(ctx, s.ProjectID, facts.ID))
	if err != nil {
		return err
	}
	if found == nil {
		found = &checks.CheckIn{ID: facts.ID, ProjectID: s.ProjectID, CheckInSettings: checks.CheckInSettings{ScheduleType: checks.SimpleSchedule}}
	}
	s.checkIn = found
	s.restoreCheckIn()
	return nil
}

// restoreCheckIn sets the check-in to its state when the alert was raised.
func (s *alertContext) restoreCheckIn() {
	c, facts := s.checkIn, s.Facts.CheckIn
	c.Name, c.State = cmp.Or(facts.Name, facts.ID), facts.State
	c.ReportedAt, c.ExpectedAt, c.MissedCount = facts.ReportedAt, facts.ExpectedAt, facts.MissedCount
}

func (c *Composer) readDeploy(ctx context.Context, s *alertContext) error {
	if s.Event != alerts.AlertDeployed {
		return nil
	}
	d, err := known(c.Faults.DeployByID(ctx, s.ProjectID, s.Facts.DeployID))
	if err != nil {
		return err
	}
	if d == nil {
		d = &faults.Deploy{ID: s.Facts.DeployID, ProjectID: s.ProjectID, Environment: s.Environment, CreatedAt: s.At}
	}
	s.deploy = d
	d.Previous, err = c.Faults.PreviousRevision(ctx, s.ProjectID, d.ID)
	return err
}

// projectName is the name of the project, or its number if it no longer exists.
func (s *alertContext) projectName() string {
	return cmp.Or(s.project.Name, fmt.Sprint("project ", s.ProjectID))
}
