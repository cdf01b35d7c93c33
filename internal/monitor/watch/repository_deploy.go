package watch

import (
	"context"
	"errors"
	"slices"

	"sett/internal/monitor/host"
	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/sett/repo"
)

// deploy finds the commits that a deploy brought, and resolves the errors whose fix is among what it contains.
func (r *Repositories) deploy(ctx context.Context, w repo.Work) error {
	d, err := r.Store.Faults.DeployByID(ctx, w.ProjectID, w.SubjectID)
	if err != nil || !release.IsVersion(d.Revision) {
		return err
	}
	if d.Previous, err = r.Store.Faults.PreviousRevision(ctx, w.ProjectID, d.ID); err != nil {
		return err
	}
	all, err := r.Store.Repos.List(ctx, w.ProjectID)
	if err != nil {
		return err
	}
	var failed []error
	of := deployed(all, d)
	for _, at := range of {
		failed = append(failed, r.commits(ctx, at, d))
	}
	waiting, err := r.Store.Repos.Waiting(ctx, r.Now(), w.ProjectID)
	if err != nil {
		return err
	}
	for _, f := range waiting {
		i := slices.IndexFunc(of, func(at repo.Repository) bool { return at.ID == f.RepositoryID })
		if i < 0 {
			continue
		}
		contains, err := r.contains(ctx, of[i], d, f.Landing())
		if err == nil && contains {
			err = r.Store.SettleFix(ctx, r.Now(), of[i], f, d)
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// deployed returns the repositories of a project that a deploy is of: the one that it names, or all.
func deployed(all []repo.Repository, d faults.Deploy) []repo.Repository {
	named := slices.DeleteFunc(slices.Clone(all), func(at repo.Repository) bool { return !at.IsAt(d.Repository) })
	if len(named) > 0 {
		return named
	}
	return all
}

// commits stores the commits of the release of a deploy, unless a client has sent them.
func (r *Repositories) commits(ctx context.Context, at repo.Repository, d faults.Deploy) error {
	if d.Previous == "" {
		return nil
	}
	has, err := r.Store.Releases.Commits(ctx, d.ProjectID, d.Revision)
	if err != nil || len(has) > 0 {
		return err
	}
	found, known, err := r.Store.Repos.Between(ctx, at.ID, d.Previous, d.Revision, release.MostCommits)
	if err != nil {
		return err
	}
	if !known {
		err = r.ask(ctx, at, func(h host.Host) error {
			c, err := h.Compare(ctx, d.Previous, d.Revision)
			found = slices.Clone(c.Commits)
			slices.Reverse(found)
			return err
		})
		if err != nil && !isMissing(err) {
			return err
		}
	}
	var sent []release.Commit
	for _, c := range found {
		if at.Concerns(c) {
			sent = append(sent, release.Commit{SHA: c.SHA, Message: c.Message, Author: c.Author, Email: c.Email, At: c.At})
		}
	}
	if len(sent) == 0 {
		return nil
	}
	return r.Store.Releases.SetCommits(ctx, d.ProjectID, d.Revision, sent)
}

// contains reports whether a deploy contains a commit: as webhooks say, or the commits that a client sent, or the host. What none of them knows is not
// contained; the next deploy is compared again.
func (r *Repositories) contains(ctx context.Context, at repo.Repository, d faults.Deploy, sha string) (contains bool, err error) {
	if repo.SameCommit(sha, d.Revision) {
		return true, nil
	}
	contains, known, err := r.Store.Repos.Contains(ctx, at.ID, d.Revision, sha)
	if err != nil || known {
		return contains, err
	}
	sent, err := r.Store.Releases.Commits(ctx, d.ProjectID, d.Revision)
	if err != nil || slices.ContainsFunc(sent, func(c release.Commit) bool { return repo.SameCommit(c.SHA, sha) }) {
		return err == nil, err
	}
	err = r.ask(ctx, at, func(h host.Host) error {
		c, err := h.Compare(ctx, sha, d.Revision)
		contains = c.Order == repo.Ahead || c.Order == repo.Identical
		return err
	})
	if isMissing(err) { // the commit is gone, or the revision is none of this repository
		return false, nil
	}
	return contains, err
}
