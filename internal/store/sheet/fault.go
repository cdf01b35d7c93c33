package sheet

import (
	"context"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/sett/insight"
	"sett/internal/sett/repo"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// FaultAsk says whose sheet is wanted, and what of it.
type FaultAsk struct {
	faultdb.SheetAsk
	Trackers bool // also of a fault that is linked with no issue
}

// Fault is the sheet of a fault.
type Fault struct {
	faultdb.Sheet
	Project      accounts.Project     // without its counts
	Attachments  []faults.Attachment  // of the notice
	Request      string               // the request of the notice, if the project may have sent structured events of it; ""
	Integrations []alerts.Integration // among them the trackers

	Repositories []repo.Repository // of the project: where they are, and nothing else
	Fixes        []repo.Fix        // changes and commits that are about the fault
	Suspect      *repo.Finding     // nil: the commit that it came from was not looked for
}

// OfFault returns the sheet of a fault. The error is NotFound if the project has no such fault, or the fault no such notice.
func (s *Store) OfFault(ctx context.Context, now time.Time, ask FaultAsk) (f Fault, err error) {
	err = s.DB.Snapshot(ctx, "read sheet of fault", func(q db.Querier) error {
		f = Fault{}
		if f.Sheet, err = s.Faults.ReadSheet(ctx, q, now, ask.SheetAsk); err != nil {
			return err
		}
		if f.Project, err = s.Accounts.ReadProjectWithoutCounts(ctx, q, ask.ProjectID); err != nil {
			return err
		}
		if ask.Trackers || len(f.Links) > 0 {
			f.Integrations, err = s.Deliveries.ReadIntegrations(ctx, q, ask.ProjectID)
		}
		if err == nil {
			err = s.readCode(ctx, q, &f)
		}
		if err != nil || f.Notice == nil {
			return err
		}
		return s.readNotice(ctx, q, now, &f)
	})
	return f, err
}

// readCode reads what the repositories of the project say of the fault.
func (s *Store) readCode(ctx context.Context, q db.Querier, f *Fault) (err error) {
	project, fault := f.Fault.ProjectID, f.Fault.ID
	if f.Repositories, err = s.Repos.ReadPlaces(ctx, q, project); err != nil || len(f.Repositories) == 0 {
		return err
	}
	if f.Fixes, err = s.Repos.ReadFixesOf(ctx, q, project, fault); err != nil {
		return err
	}
	f.Suspect, err = s.Repos.ReadSuspectOf(ctx, q, project, fault)
	return err
}

// readNotice reads what is stored beside the notice of a sheet.
func (s *Store) readNotice(ctx context.Context, q db.Querier, now time.Time, f *Fault) (err error) {
	if f.Attachments, err = s.Attachments.Read(ctx, q, f.Notice.ProjectID, f.Notice.Key); err != nil {
		return err
	}
	request := insight.RequestOf(f.Notice.CorrelationContext, now.Sub(f.Notice.CreatedAt()))
	if request == "" {
		return nil
	}
	sent, err := s.Insights.ReadSent(ctx, q, f.Notice.ProjectID)
	if sent {
		f.Request = request
	}
	return err
}
