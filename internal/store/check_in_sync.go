package store

import (
	"context"
	"time"

	"sett/internal/sett"
)

// SyncCheckIns makes the check-ins of a project those of a list, matched by their slugs: it changes and makes what is
// listed and deletes the rest, also what has no slug. It says of each what came of it, first of those that are listed, in
// their order. While an entry does not say by its slug which check-in it means, nothing is deleted. An entry that is refused changes nothing, and does not keep others from being done. The error is NotFound
// when there is no such project.
func (s *Store) SyncCheckIns(ctx context.Context, now time.Time, projectID int64, list []sett.CheckInChange) (results []sett.CheckInSync, err error) {
	err = s.inTx(ctx, "sync check-ins", func(t *tx) error {
		t.keepsFaults = true
		y := checkInSync{t: t, now: now, projectID: projectID, listed: map[string]bool{}, have: map[string]storedCheckIn{}}
		if err := y.run(ctx, list); err != nil {
			return err
		}
		results = append(y.results, y.deleted...)
		return nil
	})
	return results, err
}

// checkInSync is one run of SyncCheckIns.
type checkInSync struct {
	t                *tx
	now              time.Time
	projectID        int64
	listed           map[string]bool
	have             map[string]storedCheckIn // by slug
	writes           checkInWrites
	vague            bool // an entry does not say which check-in it means, which may be any
	results, deleted []sett.CheckInSync
}

func (y *checkInSync) run(ctx context.Context, list []sett.CheckInChange) error {
	if err := y.t.holdCheckIns(ctx, y.projectID); err != nil {
		return err
	}
	have, err := y.t.s.checkIns(ctx, y.t, lockCheckIns, y.projectID)
	if err != nil {
		return err
	}
	for _, change := range list {
		y.listed[change.Slug.Value] = true
		y.vague = y.vague || !change.NamesCheckIn()
	}
	for _, c := range have {
		y.have[c.Slug] = c
		if err := y.drop(ctx, c); err != nil { // first, so that its name is free
			return err
		}
	}
	clear(y.listed)
	for _, change := range list {
		if err := y.entry(ctx, change); err != nil {
			return err
		}
	}
	return y.writes.write(ctx, y.t)
}

const notDeleted = "Nothing is deleted while an entry of the list has no slug that can be used. Correct it and send the list again."

// drop deletes a check-in that is not listed, unless an entry may have meant it.
func (y *checkInSync) drop(ctx context.Context, c storedCheckIn) error {
	if c.Slug != "" && y.listed[c.Slug] {
		return nil
	}
	if y.vague {
		y.deleted = append(y.deleted, sett.CheckInSync{Operation: sett.DeleteCheckIn, Slug: c.Slug, Problem: notDeleted})
		return nil
	}
	y.deleted = append(y.deleted, sett.CheckInSync{Operation: sett.DeleteCheckIn, Slug: c.Slug})
	_, err := y.t.exec(ctx, deleteCheckIn, y.projectID, c.ID)
	return err
}

// entry makes or changes the check-in of one entry of the list. Only errors that are no refusal end the run.
func (y *checkInSync) entry(ctx context.Context, change sett.CheckInChange) error {
	slug := change.Slug.Value
	c, known := y.have[slug]
	known = known && slug != ""
	result := sett.CheckInSync{Operation: sett.CreateCheckIn, Slug: slug}
	if known {
		result.Operation = sett.UpdateCheckIn
	}
	err := y.apply(ctx, change, c, known)
	if sett.CodeOf(err) == sett.Invalid {
		result.Problem, err = err.Error(), nil
	}
	y.listed[slug] = true
	y.results = append(y.results, result)
	return err
}

func (y *checkInSync) apply(ctx context.Context, change sett.CheckInChange, c storedCheckIn, known bool) error {
	switch slug := change.Slug; {
	case slug.Bad == "" && slug.Value == "":
		return sett.Refuse("slug", "can't be blank: it says which check-in is meant")
	case y.listed[slug.Value]:
		return sett.Refuse("slug", "is that of an earlier check-in of this list")
	case known:
		events, err := y.t.editCheckIn(ctx, y.now, &c, change)
		if err == nil {
			y.writes.add(c, events)
		}
		return err
	}
	settings, err := change.Create()
	if err != nil {
		return err
	}
	if err := y.t.checkInTaken(ctx, y.projectID, "", settings); err != nil {
		return err
	}
	return y.t.insertCheckIn(ctx, sett.NewCheckIn(y.projectID, settings, y.now))
}
