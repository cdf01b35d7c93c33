package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/store/releasedb"
)

// deploy is a release of a project.
type deploy struct {
	at       time.Time
	revision string
	who      string
	bad      bool // it caused errors, until the next one
}

// planDeploys has projects deployed on working days, to staging first.
func (w *world) planDeploys() {
	for i, p := range w.projects {
		d := w.dice("deploys of " + p.name)
		for n := w.days - 1; n >= 0; n-- {
			day := w.daysAgo(n, "00:00")
			if weekday := day.Weekday(); weekday == time.Saturday || weekday == time.Sunday || !d.chance(0.42) {
				continue
			}
			w.release(p, d, day.Add(d.between(8*time.Hour, 16*time.Hour)), d.chance(0.07))
		}
		w.release(p, d, w.ago(d.between(3*time.Hour, 30*time.Hour)), i == 0)
		for _, one := range p.deploys {
			w.history.at(one.at, "deploy", func(ctx context.Context, now time.Time) error {
				return errors.Join(w.recordDeploy(ctx, now, p, one, "production"), w.recordRelease(ctx, now, p, one))
			})
			w.history.at(one.at.Add(-50*time.Minute), "deploy to staging", func(ctx context.Context, now time.Time) error {
				return w.recordDeploy(ctx, now, p, one, "staging")
			})
		}
	}
}

// release adds a deploy, and the one that fixes it if it is bad.
func (w *world) release(p *project, d dice, at time.Time, bad bool) {
	who := pick(d, []string{"tobias", "ines", "priya", "jonas", "mei"})
	p.deploys = append(p.deploys, &deploy{at, d.hex(40), who, bad})
	if at = at.Add(d.between(40*time.Minute, 170*time.Minute)); bad && at.Before(w.to) {
		p.deploys = append(p.deploys, &deploy{at, d.hex(40), who, false})
	}
}

func (w *world) recordDeploy(ctx context.Context, now time.Time, p *project, one *deploy, environment string) error {
	_, err := w.store.Faults.RecordDeploy(ctx, now, p.id, faults.Deploy{
		Environment: environment, Revision: one.revision, Repository: fmt.Sprintf("https://git.acme.test/acme/%s", p.name), LocalUsername: one.who, CreatedAt: now,
	})
	return err
}

// recordRelease records the commits of a deploy, and the sessions until the next one.
func (w *world) recordRelease(ctx context.Context, now time.Time, p *project, one *deploy) error {
	d := w.dice("release " + one.revision)
	var commits []release.Commit
	for i := range 1 + d.count(2) {
		message := pick(d, []string{"Round discounts down", "Retry payments once", "Update dependencies", "Show prices with taxes", "Cache the list of shops"})
		commits = append(commits, release.Commit{SHA: d.hex(40), Message: message, Author: one.who, Email: one.who + "@acme.test", At: now.Add(-time.Duration(i+1) * time.Hour)})
	}
	var hours []releasedb.Hour
	for at := one.at.UTC().Truncate(time.Hour); at.Before(w.to) && p.runs(at.Add(time.Hour)) == one; at = at.Add(time.Hour) {
		sums := release.SessionSums{Total: int64(20 + d.count(60)), Errored: int64(d.count(0.8)), Crashed: int64(d.count(0.2))}
		if one.bad {
			sums.Crashed += int64(d.count(4))
		}
		hours = append(hours, releasedb.Hour{Key: releasedb.Key{ProjectID: p.id, Version: one.revision}, Environment: "production", At: at, SessionSums: sums})
	}
	return errors.Join(w.store.Releases.SetCommits(ctx, p.id, one.revision, commits), w.store.Releases.AddHours(ctx, now, hours))
}

// runs returns what a project runs on at a time: its last deploy.
func (p *project) runs(at time.Time) *deploy {
	running := &deploy{revision: "4e1f9a2c0b7d58e36f91a4c2d7e8b5061f3a9c44"}
	for _, one := range p.deploys {
		if !one.at.After(at) && !one.at.Before(running.at) {
			running = one
		}
	}
	return running
}
