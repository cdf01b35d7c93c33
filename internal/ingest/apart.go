package ingest

import (
	"errors"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

// Another transaction may hold a row of a project for long: that of a node that was cut off, or a change that takes its time.
// A batch that waits for it would keep all other projects waiting. So reports of such a project are set apart. They are tried
// by themselves, shortly, until the row is free or their clients have given up.
const (
	tryApart       = 250 * time.Millisecond // between two tries of one project
	waitApart      = 20 * time.Millisecond  // for the row, in a try
	mostApart      = 1024                   // reports and refusals, in all projects together
	mostBytesApart = 8 << 20                // of their bodies: the rest of what the buffer holds is for others
)

// apart are the projects that are held.
type apart struct {
	projects map[int64]*heldProject
	waiting  int   // in all of them
	bytes    int64 // of their bodies
}

type heldProject struct {
	waiting []*heldReport
	tried   time.Time
}

// heldReport is a report that waits for its project since a time.
type heldReport struct {
	*waiting
	bytes int64
	since time.Time
}

func (a *apart) holds(project int64) bool { return a.projects[project] != nil }

// hold sets a project apart.
func (a *apart) hold(project int64, now time.Time) *heldProject {
	if a.projects == nil {
		a.projects = map[int64]*heldProject{}
	}
	if a.projects[project] == nil {
		a.projects[project] = &heldProject{}
	}
	a.projects[project].tried = now
	return a.projects[project]
}

// drop takes the first n reports from a project, which have ended.
func (a *apart) drop(p *heldProject, n int) {
	for _, w := range p.waiting[:n] {
		a.bytes -= w.bytes
	}
	p.waiting, a.waiting = p.waiting[n:], a.waiting-n
}

// project returns whose a report or refusal is.
func (w *waiting) project() int64 {
	if w.report != nil {
		return w.report.ProjectID
	}
	return w.refusal.ProjectID
}

// nextBatch returns the next batch, and retries separated projects if there is none.
func (b *Buffer) nextBatch() (batch []*waiting, ok bool) {
	for len(b.apart.projects) > 0 {
		again := time.NewTimer(tryApart)
		select {
		case batch, ok := <-b.batches:
			again.Stop()
			b.retryApart()
			return batch, ok
		case <-again.C:
			b.retryApart()
		}
	}
	batch, ok = <-b.batches
	return batch, ok
}

// setApart returns what of a batch is of no held project; the rest waits.
func (b *Buffer) setApart(batch []*waiting) []*waiting {
	if len(b.apart.projects) == 0 {
		return batch
	}
	return slices.DeleteFunc(batch, func(w *waiting) bool {
		p := b.apart.projects[w.project()]
		if p != nil {
			b.await(p, w)
		}
		return p != nil
	})
}

// await has a report wait for its project, or refuses it when too many do.
func (b *Buffer) await(p *heldProject, w *waiting) {
	if b.apart.waiting >= mostApart || b.apart.bytes+w.size() > mostBytesApart {
		b.written <- written{batch: []*waiting{w}, err: errHeld()}
		return
	}
	b.apart.waiting++
	b.apart.bytes += w.size()
	p.waiting = append(p.waiting, &heldReport{w, w.size(), time.Now()})
}

// errHeld is the answer to clients whose project is held for too long.
func errHeld() error {
	return errors.Join(&sett.Error{Code: sett.Unavailable, Message: "Another change of this project is in progress. Try again in a moment.", RetryAfter: 5 * time.Second}, db.ErrHeld)
}

// recordByProject commits a batch that met a row which is held, project by project, and sets those apart that are
// held.
func (b *Buffer) recordByProject(batch []*waiting, late []accounts.Refusal) {
	byProject := map[int64][]*waiting{}
	var order []int64
	for _, w := range batch {
		if byProject[w.project()] == nil {
			order = append(order, w.project())
		}
		byProject[w.project()] = append(byProject[w.project()], w)
	}
	for _, r := range late {
		if byProject[r.ProjectID] == nil && !slices.Contains(order, r.ProjectID) {
			order = append(order, r.ProjectID)
		}
	}
	for _, project := range order {
		if !b.recordOf(project, byProject[project]) {
			p := b.apart.hold(project, time.Now())
			for _, w := range byProject[project] {
				b.await(p, w)
			}
		}
	}
}

// recordOf commits reports of one project, with its refusals that no client waits for. It reports false when the project is
// held, and has done nothing then.
func (b *Buffer) recordOf(project int64, batch []*waiting) bool {
	late := b.takeLateOf(project)
	if len(batch)+len(late) == 0 {
		return true
	}
	in := intake(batch, late)
	in.LockWait = waitApart
	receipts, err := b.recordNotices(in)
	if err != nil {
		b.countLater(late...)
	}
	if errors.Is(err, db.ErrHeld) {
		return false
	}
	b.written <- written{batch, in.Refused, receipts, err}
	return true
}

// retryApart tries the projects that were not tried for a while.
func (b *Buffer) retryApart() {
	now := time.Now()
	for project, p := range b.apart.projects {
		if now.Sub(p.tried) < tryApart {
			continue
		}
		n := min(len(p.waiting), mostInBatch)
		if !b.recordOf(project, waitingOf(p.waiting[:n])) {
			p.tried = time.Now()
			b.giveUp(p, now)
			continue
		}
		if b.apart.drop(p, n); len(p.waiting) == 0 {
			delete(b.apart.projects, project)
		}
	}
}

// giveUp ends the reports whose clients do not wait any more.
func (b *Buffer) giveUp(p *heldProject, now time.Time) {
	n := 0
	for n < len(p.waiting) && now.Sub(p.waiting[n].since) > patience {
		n++
	}
	if n > 0 {
		b.written <- written{batch: waitingOf(p.waiting[:n]), err: errHeld()}
		b.apart.drop(p, n)
	}
}

// endApart tries every held project a last time.
func (b *Buffer) endApart() {
	for project, p := range b.apart.projects {
		all := waitingOf(p.waiting)
		if !b.recordOf(project, all) {
			b.written <- written{batch: all, err: errHeld()}
		}
	}
	b.apart = apart{}
}

func waitingOf(held []*heldReport) (all []*waiting) {
	for _, h := range held {
		all = append(all, h.waiting)
	}
	return all
}

// takeLateOf is takeLate for one project.
func (b *Buffer) takeLateOf(project int64) (late []accounts.Refusal) {
	b.lateMu.Lock()
	defer b.lateMu.Unlock()
	for r, n := range b.late {
		if r.ProjectID == project {
			delete(b.late, r)
			r.Count = n
			late = append(late, r)
		}
	}
	return late
}
