package operate

import (
	"context"
	"strconv"
	"time"

	"sett/internal/base/phrase"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/scrub"
	"sett/internal/store"
)

// ErasedUser is what sett erase has deleted, or would delete.
type ErasedUser struct {
	Project string // what it is called
	User    string // masked
	Found   int64  // events
	Errors  int64  // that they belong to
	Insight int64  // structured events
	More    bool   // some could not be deleted yet
}

// Events returns how many they are, such as "12 events in 3 errors and 2 structured events".
func (e ErasedUser) Events() string {
	text := phrase.Count(e.Found, "event") + " in " + phrase.Count(e.Errors, "error")
	if e.Insight > 0 {
		text += " and " + phrase.Count(e.Insight, "structured event")
	}
	return text
}

// PreviewErasure counts what EraseUser would delete.
func PreviewErasure(ctx context.Context, in Installation, projectID int64, user string) (ErasedUser, error) {
	return administer(ctx, in, func(a *administration) (r ErasedUser, err error) {
		project, err := a.project(ctx, projectID)
		if err != nil {
			return r, err
		}
		found, err := a.Store.PreviewErasure(ctx, projectID, scrub.ErasureChange{User: sett.Some(user)})
		return ErasedUser{project.Name, found.User, found.Notices, found.Faults, found.Events, found.More}, err
	})
}

// EraseUser deletes everything that a project has about an affected user. What a running server has not counted yet, it deletes itself.
func EraseUser(ctx context.Context, in Installation, projectID int64, user string) (ErasedUser, error) {
	return administer(ctx, in, func(a *administration) (r ErasedUser, err error) {
		project, err := a.project(ctx, projectID)
		if err != nil {
			return r, err
		}
		audited := a.audited(ctx, accounts.OperatorAction{
			Command: "sett erase", Name: "createErasure", AccountID: project.AccountID, Account: project.Name,
			Target: map[string]string{"project_id": strconv.FormatInt(projectID, 10)},
		})
		e, err := a.CreateErasure(audited, a.now, accounts.Operator, projectID, scrub.ErasureChange{User: sett.Some(user)})
		if err != nil {
			return r, err
		}
		err = a.SweepErasures(ctx, store.Purge{Now: time.Now, Holder: "sett erase " + sett.RandomString(8), Rest: restOfCommand})
		if err != nil {
			return r, err
		}
		if e, err = a.ErasureByID(ctx, projectID, e.ID); err != nil {
			return r, err
		}
		return ErasedUser{project.Name, e.User, e.Notices, e.Faults, e.Events, e.State() == scrub.ErasureRunning}, nil
	})
}

// restOfCommand waits as long as a piece took, so that a running server has the database for at least half of the time.
func restOfCommand(ctx context.Context, took time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(took):
		return nil
	}
}

// project returns a project, or an Invalid error for an unknown id.
func (a *administration) project(ctx context.Context, id int64) (accounts.Project, error) {
	if id == 0 {
		a.problems.Add("--project", "can't be blank: the URL of a project ends with its id")
		return accounts.Project{}, a.problems.Err()
	}
	project, err := a.Accounts.ProjectByID(ctx, id)
	if sett.CodeOf(err) == sett.NotFound {
		a.problems.Add("--project", "%d is not the id of a project: the URL of a project ends with its id", id)
		return project, a.problems.Err()
	}
	return project, err
}
