package movein

import (
	"context"
	"fmt"
	"slices"

	"sett/internal/base/progress"
	"sett/internal/sett/move"
	"sett/internal/store/movedb"
)

// releases brings the releases of a project with their commits, and its deploys, newest first. None of them resolves an error.
func (r *run) releases(ctx context.Context, p move.Project, projectID int64) error {
	step := progress.Begin(ctx, "reading releases of "+p.Slug, progress.Rows, 0)
	defer step.End()
	cursor := ""
	for range mostPages {
		page, err := r.Source.Releases(ctx, p, cursor)
		if err != nil {
			return fmt.Errorf("read releases of %s: %w", p.Slug, err)
		}
		if err := r.releasePage(ctx, p, projectID, page); err != nil {
			return fmt.Errorf("import releases of %s: %w", p.Slug, err)
		}
		step.Add(int64(len(page.Releases) + len(page.Deploys)))
		if page.Next == "" || page.Next == cursor {
			return nil
		}
		cursor = page.Next
	}
	return nil
}

func (r *run) releasePage(ctx context.Context, p move.Project, projectID int64, page move.ReleasePage) error {
	n := int64(len(page.Releases))
	if r.DryRun {
		r.came(releasesNoun, n, n)
		r.came(deploysNoun, int64(len(page.Deploys)), int64(len(page.Deploys)))
		return nil
	}
	fresh, err := r.Moves.FreshReleases(ctx, r.from, projectID, page.Releases)
	if err != nil {
		return err
	}
	var made int64
	for _, one := range fresh {
		whole, err := r.Source.Release(ctx, p, one)
		if err != nil {
			return err
		}
		// Its deploys come first: what is noted of a release says that they came.
		if err := r.deploys(ctx, projectID, whole.Deploys); err != nil {
			return err
		}
		new, fits, err := r.Moves.Release(ctx, r.from, projectID, whole)
		if err != nil {
			return err
		}
		if made += flag(new); !fits {
			r.report.Leave(move.Left{Noun: releasesNoun, Name: p.Slug, Why: "The project has no room for more releases: the oldest are left.", Page: move.ReleasesPage})
		}
	}
	r.came(releasesNoun, n, made)
	return r.deploys(ctx, projectID, page.Deploys)
}

func (r *run) deploys(ctx context.Context, projectID int64, all []move.Deploy) error {
	for lot := range slices.Chunk(all, movedb.MostDeploys) {
		made, err := r.Moves.Deploys(ctx, r.Now(), r.from, projectID, lot)
		if err != nil {
			return err
		}
		r.came(deploysNoun, int64(len(lot)), made)
	}
	return nil
}

// came counts what there was of a noun, of which some are new.
func (r *run) came(noun string, found, made int64) {
	if found > 0 {
		r.report.Add(noun, found, made, found-made)
	}
}
