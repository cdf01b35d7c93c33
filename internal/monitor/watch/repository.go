package watch

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"sett/internal/base/loop"
	"sett/internal/monitor/host"
	"sett/internal/sett"
	"sett/internal/sett/repo"
	"sett/internal/store"
)

const (
	repositoriesEvery  = 2 * time.Second
	repositoriesAtOnce = 10               // pieces of work that are claimed in one transaction
	repositoryLease    = 20 * time.Minute // what a dead process has claimed is done after it
	repositoryTime     = time.Minute      // that one piece of work may take
	pruneRepositories  = 6 * time.Hour
)

// RepositoryOptions are what Repositories work with.
type RepositoryOptions struct {
	Store   *store.Store
	Hosts   *host.Memory
	BaseURL string // of this sett
	Now     func() time.Time
	Log     *slog.Logger
}

// Repositories compare deploys and errors with the repositories of their project.
type Repositories struct{ RepositoryOptions }

// NewRepositories returns a Repositories. It does nothing before its Loops run.
func NewRepositories(o RepositoryOptions) *Repositories { return &Repositories{o} }

// Loops returns the loops that do the work, and that delete what is old.
func (r *Repositories) Loops() []*loop.Loop {
	return []*loop.Loop{
		{Name: "repositories", Does: "Finds the commits of deploys, the errors that they fix, and the commits that errors came from.", Every: repositoriesEvery, Log: r.Log, Work: r.Work},
		{Name: "old changes", Does: "Asks hosts again every day, and deletes old changes and commits of repositories.", Every: pruneRepositories, Jitter: 0.2, Log: r.Log, Work: r.upkeep},
	}
}

func (r *Repositories) upkeep(ctx context.Context) (more bool, err error) {
	now := r.Now()
	return false, errors.Join(r.Store.Repos.AskAgain(ctx, now), r.Store.Repos.Prune(ctx, now))
}

// Work does what is due, and reports whether there may be more. What fails is tried again later, for about a day.
func (r *Repositories) Work(ctx context.Context) (more bool, err error) {
	now := r.Now()
	due, err := r.Store.Repos.Claim(ctx, now, now.Add(repositoryLease), repositoriesAtOnce)
	if err != nil {
		return false, err
	}
	for _, w := range due {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err := r.one(ctx, w); err != nil {
			return false, err
		}
	}
	return len(due) == repositoriesAtOnce, nil
}

func (r *Repositories) one(ctx context.Context, w repo.Work) error {
	limited, cancel := context.WithTimeout(ctx, repositoryTime)
	defer cancel()
	err := r.do(limited, w)
	ctx = context.WithoutCancel(ctx)
	wait := w.Delay()
	if limit, ok := errors.AsType[*host.Error](err); ok && limit.Kind == host.Limited {
		wait = max(wait, limit.Until.Sub(r.Now()))
	}
	switch {
	case err == nil, sett.CodeOf(err) == sett.NotFound: // it was deleted meanwhile
		return r.Store.Repos.Finish(ctx, w)
	case w.Tries >= repo.MostTries:
		r.Log.WarnContext(ctx, "a repository could not be compared", "kind", w.Kind, "id", w.SubjectID, "project", w.ProjectID, "error", err,
			"hint", "the page Repositories of the project says what its host answers")
		return r.Store.Repos.Finish(ctx, w)
	default:
		return r.Store.Repos.Delay(ctx, w, r.Now().Add(wait))
	}
}

func (r *Repositories) do(ctx context.Context, w repo.Work) error {
	switch w.Kind {
	case repo.DeployWork:
		return r.deploy(ctx, w)
	case repo.FaultWork:
		return r.fault(ctx, w)
	case repo.RepositoryWork:
		return r.repository(ctx, w)
	}
	return nil
}

// ask opens the host of a repository, has it asked, and notes on the repository what the problem was, if there was one. Without a token it asks nothing.
func (r *Repositories) ask(ctx context.Context, of repo.Repository, ask func(host.Host) error) error {
	if of.Token == "" {
		return nil
	}
	err := r.answer(of, ask)
	problem := ""
	if !isMissing(err) {
		problem = problemIn(err)
	}
	return errors.Join(err, r.Store.Repos.NoteProblem(context.WithoutCancel(ctx), of.ID, problem))
}

// askAll is ask for all that is kept up to date, after which the repository is not asked again for a day.
func (r *Repositories) askAll(ctx context.Context, of repo.Repository, ask func(host.Host) error) error {
	if of.Token == "" {
		return nil
	}
	err := r.answer(of, ask)
	return errors.Join(err, r.Store.Repos.NoteAsked(context.WithoutCancel(ctx), r.Now(), of.ID, problemIn(err)))
}

func (r *Repositories) answer(of repo.Repository, ask func(host.Host) error) error {
	h, err := r.Hosts.Open(of)
	if err != nil {
		return err
	}
	return ask(h)
}

// problemIn returns what a host, or what asks it, says is wrong; "" if it says nothing.
func problemIn(err error) string {
	if _, ok := errors.AsType[*host.Error](err); ok {
		return err.Error()
	}
	return ""
}

// isMissing reports whether a host has no such commit, file or change, or cannot say it: to ask again does not help.
func isMissing(err error) bool {
	kind := host.KindOf(err)
	return kind == host.NotFound || kind == host.Cannot
}
