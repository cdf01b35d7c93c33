package sheet

import (
	"context"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// Alert is the sheet of an alert: what it is about, as far as that still exists. What is nil is gone, or the alert is not about such.
type Alert struct {
	Project      *accounts.Project
	Environments []accounts.Environment // of the project, the first
	Fault        *faults.Fault
	Faults       []faults.Fault // of an alert about several: the first that still exist
	Notice       *faults.Notice
	Site         *checks.Site
	CheckIn      *checks.CheckIn
	Deploy       *faults.Deploy  // with the one before
	Problem      *alerts.Problem // that the subject has now
}

// The bounds of the sheet of an alert.
const (
	mostEnvironments = 100
	mostFaults       = 10
)

// OfAlert returns the sheet of an alert; of a test, which has no subject, the project alone.
func (s *Store) OfAlert(ctx context.Context, a alerts.Alert) (sh Alert, err error) {
	err = s.DB.Snapshot(ctx, "read sheet of alert", func(q db.Querier) error {
		sh = Alert{}
		if err = s.readProject(ctx, q, a, &sh); err != nil || a.Facts.Test {
			return err
		}
		if err = s.readFaults(ctx, q, a, &sh); err != nil {
			return err
		}
		if sh.Problem, err = s.Deliveries.ReadProblem(ctx, q, a.ProjectID, a.Subject); err != nil {
			return err
		}
		return s.readWatched(ctx, q, a, &sh)
	})
	return sh, err
}

func (s *Store) readProject(ctx context.Context, q db.Querier, a alerts.Alert, sh *Alert) (err error) {
	if sh.Project, err = known(s.Accounts.ReadProject(ctx, q, a.ProjectID)); err == nil && sh.Project != nil {
		sh.Environments, err = s.Accounts.ReadEnvironments(ctx, q, a.ProjectID, mostEnvironments)
	}
	return err
}

// readFaults reads the errors that an alert is about, and the notice.
func (s *Store) readFaults(ctx context.Context, q db.Querier, a alerts.Alert, sh *Alert) (err error) {
	if !a.AboutFault() {
		return s.readSeveral(ctx, q, a, sh)
	}
	if sh.Fault, err = known(s.Faults.ReadFault(ctx, q, a.ProjectID, a.FaultID)); err != nil || a.Facts.NoticeID == 0 {
		return err
	}
	// The id that is derived from the key finds the notice even if its client chose another one.
	sh.Notice, err = known(s.Faults.ReadNotice(ctx, q, a.ProjectID, a.Facts.NoticeID.UUID()))
	if sett.CodeOf(err) == sett.Unavailable { // it is in object storage, and the alert goes out without it
		return nil
	}
	return err
}

func (s *Store) readSeveral(ctx context.Context, q db.Querier, a alerts.Alert, sh *Alert) error {
	for _, id := range a.Facts.FaultIDs {
		if len(sh.Faults) == mostFaults {
			return nil
		}
		f, err := known(s.Faults.ReadFault(ctx, q, a.ProjectID, id))
		if err != nil {
			return err
		}
		if f != nil {
			sh.Faults = append(sh.Faults, *f)
		}
	}
	return nil
}

// readWatched reads the deploy, the site or the check-in that an alert is about.
func (s *Store) readWatched(ctx context.Context, q db.Querier, a alerts.Alert, sh *Alert) (err error) {
	if a.Event == alerts.AlertDeployed {
		if sh.Deploy, err = known(s.Faults.ReadDeploy(ctx, q, a.ProjectID, a.Facts.DeployID)); err != nil {
			return err
		}
	}
	if facts := a.Facts.Site; facts != nil {
		id, _ := sett.ParseUUID(facts.ID) // an invalid id finds nothing
		if sh.Site, err = known(s.Uptime.ReadSite(ctx, q, a.ProjectID, id)); err != nil {
			return err
		}
	}
	if facts := a.Facts.CheckIn; facts != nil {
		sh.CheckIn, err = known(s.Uptime.ReadCheckIn(ctx, q, a.ProjectID, facts.ID))
	}
	return err
}

// known returns what was read, or nil if it no longer exists.
func known[T any](v T, err error) (*T, error) {
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &v, nil
}
