package operate

import (
	"context"
	"strconv"
	"time"

	"sett/internal/base/moment"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/maintenance"
)

// ListedMaintenance is a maintenance window as the command line shows one.
type ListedMaintenance struct {
	ID         int64     `json:"id"`
	State      string    `json:"state"`
	StartsAt   time.Time `json:"starts_at"`
	EndsAt     time.Time `json:"ends_at"`
	UntilEnded bool      `json:"until_ended"`
	SiteIDs    []string  `json:"site_ids"`
	CheckInIDs []string  `json:"check_in_ids"`
	Errors     bool      `json:"errors"`
	Held       int64     `json:"held_count"`
	Sent       int64     `json:"sent_count"`
	Reason     string    `json:"reason"`
}

func (a *administration) listedWindow(w maintenance.Window) ListedMaintenance {
	return ListedMaintenance{
		ID: w.ID, State: string(w.State(a.now)), StartsAt: w.StartsAt, EndsAt: w.EndsAt, UntilEnded: w.UntilEnded, SiteIDs: w.SiteIDs, CheckInIDs: w.CheckInIDs,
		Errors: w.Errors, Held: w.Held, Sent: w.Sent, Reason: w.Reason,
	}
}

// NewMaintenance is what sett maintenance start says of a window.
type NewMaintenance struct {
	Reason   string
	Starts   string        // RFC 3339; "" for now
	For      time.Duration // 0: until it is ended
	Sites    []string
	CheckIns []string
	Errors   bool
}

// StartMaintenance starts or plans a maintenance window in a project.
func StartMaintenance(ctx context.Context, in Installation, projectID int64, n NewMaintenance) (ListedMaintenance, error) {
	return administer(ctx, in, func(a *administration) (m ListedMaintenance, err error) {
		project, err := a.project(ctx, projectID)
		if err != nil {
			return m, err
		}
		starts := a.now
		change := maintenance.WindowChange{Reason: sett.Some(n.Reason), SiteIDs: sett.Some(n.Sites), CheckInIDs: sett.Some(n.CheckIns), Errors: sett.Some(n.Errors)}
		if n.Starts != "" {
			var ok bool
			if starts, ok = moment.Read(n.Starts); !ok {
				a.problems.Add("--at", "must be a time such as 2026-12-01T22:00:00Z")
			}
			change.StartsAt = sett.Some(n.Starts)
		}
		if n.For < 0 || n.For > maintenance.Longest {
			a.problems.Add("--for", "must be at most 720h, which is 30 days")
		}
		if err := a.problems.Err(); err != nil {
			return m, err
		}
		if n.For > 0 {
			change.EndsAt = sett.Some(starts.Add(n.For).UTC().Format(time.RFC3339Nano))
		}
		made, err := a.Deliveries.CreateMaintenance(a.auditedMaintenance(ctx, project, "sett maintenance start", "createMaintenanceWindow", 0), a.now, accounts.Operator, projectID, change)
		return a.listedWindow(made), err
	})
}

// auditedMaintenance returns a context under which the change of a window leaves an entry in the audit log; window is 0 for a new one.
func (a *administration) auditedMaintenance(ctx context.Context, project accounts.Project, command, name string, window int64) context.Context {
	target := map[string]string{"project_id": strconv.FormatInt(project.ID, 10)}
	if window > 0 {
		target["window_id"] = strconv.FormatInt(window, 10)
	}
	return a.audited(ctx, accounts.OperatorAction{Command: command, Name: name, AccountID: project.AccountID, Account: project.Name, Target: target})
}

// ListMaintenance returns the newest maintenance windows of a project, newest first.
func ListMaintenance(ctx context.Context, in Installation, projectID int64) ([]ListedMaintenance, error) {
	return administer(ctx, in, func(a *administration) ([]ListedMaintenance, error) {
		if _, err := a.project(ctx, projectID); err != nil {
			return nil, err
		}
		found, _, err := a.Deliveries.ListMaintenance(ctx, projectID, sett.Page{Size: maintenance.MostKept})
		list := []ListedMaintenance{}
		for _, w := range found {
			list = append(list, a.listedWindow(w))
		}
		return list, err
	})
}

// EndMaintenance ends an active maintenance window of a project.
func EndMaintenance(ctx context.Context, in Installation, projectID int64, id string) (ListedMaintenance, error) {
	return administer(ctx, in, func(a *administration) (m ListedMaintenance, err error) {
		project, err := a.project(ctx, projectID)
		if err != nil {
			return m, err
		}
		window, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return m, sett.Errorf(sett.Invalid, "%q is not the id of a maintenance window: ids are numbers, shown by sett maintenance list", id)
		}
		err = a.Deliveries.EndMaintenance(a.auditedMaintenance(ctx, project, "sett maintenance end", "endMaintenanceWindow", window), a.now, projectID, window)
		if err != nil {
			return m, err
		}
		found, err := a.Deliveries.MaintenanceByID(ctx, projectID, window)
		return a.listedWindow(found), err
	})
}
