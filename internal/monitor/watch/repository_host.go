package watch

import (
	"context"
	"errors"

	"sett/internal/monitor/host"
	"sett/internal/sett"
	"sett/internal/sett/repo"
)

// repository asks the host whether the token works, who owns which file, and where the changes stand that are about errors.
func (r *Repositories) repository(ctx context.Context, w repo.Work) error {
	at, err := r.Store.Repos.ByID(ctx, w.ProjectID, w.SubjectID)
	if err != nil {
		return err
	}
	return r.askAll(ctx, at, func(h host.Host) error {
		branch, err := h.Check(ctx)
		if err != nil {
			return err
		}
		return errors.Join(r.Store.Repos.NoteBranch(ctx, at.ID, branch), r.owners(ctx, h, at, branch), r.openChanges(ctx, h, at))
	})
}

// owners keeps the file CODEOWNERS of the default branch.
func (r *Repositories) owners(ctx context.Context, h host.Host, at repo.Repository, branch string) error {
	for _, path := range repo.OwnersFiles(at.Host) {
		text, err := h.File(ctx, branch, path)
		switch {
		case host.KindOf(err) == host.NotFound: // one that is too long is there
			continue
		case err != nil:
			return err
		}
		return r.Store.Repos.NoteOwners(ctx, at.ID, string(text))
	}
	return r.Store.Repos.NoteOwners(ctx, at.ID, "")
}

// openChanges reads the changes that are about errors, and open or not known yet: a webhook may have been lost.
func (r *Repositories) openChanges(ctx context.Context, h host.Host, at repo.Repository) error {
	numbers, err := r.Store.Repos.OpenChanges(ctx, at.ID)
	if err != nil {
		return err
	}
	for _, number := range numbers {
		c, err := change(ctx, h, number)
		switch {
		case isMissing(err):
			continue
		case err != nil:
			return err
		}
		if err := r.Store.RecordDelivery(ctx, r.Now(), at, repo.Delivery{Event: repo.ReadEvent, Change: &c}, r.BaseURL); err != nil && sett.CodeOf(err) != sett.NotFound {
			return err
		}
	}
	return nil
}

// change reads a change with its checks. Where its commits are gone these are not known, and where it stands is known all the same.
func change(ctx context.Context, h host.Host, number int64) (repo.Change, error) {
	c, err := h.Change(ctx, number)
	if err != nil {
		return c, err
	}
	if c.Checks, err = h.Checks(ctx, c.HeadSHA); isMissing(err) {
		err = nil
	}
	return c, err
}
