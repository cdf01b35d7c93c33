package fault

import (
	"context"
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
)

// raiseComment raises an alert about a new comment, with the mentioned users who can see the project.
func (t Tx) raiseComment(ctx context.Context, now time.Time, projectID int64, c sett.Comment) error {
	facts := sett.AlertFacts{Comment: c.Facts()}
	if strings.Contains(c.Body, "@") {
		people, err := t.people(ctx, watchers+" ORDER BY u.id", projectID)
		if err != nil {
			return err
		}
		others := slices.DeleteFunc(people, func(p sett.Person) bool { return p.ID == c.AuthorID })
		facts.Mentioned = sett.Mentions(c.Body, others)
	}
	faults, err := t.faultsNotified(ctx, faultsByIDs, []int64{c.FaultID})
	if err != nil {
		return err
	}
	return t.raiseBy(ctx, now, c.AuthorID, sett.BulkAlerts(sett.AlertCommented, now, faults, facts))
}

// raiseFeedback raises the alerts about feedback, which mentions no one.
func (t Tx) raiseFeedback(ctx context.Context, now time.Time, c sett.Comment) error {
	faults, err := t.faultsNotified(ctx, faultsByIDs, []int64{c.FaultID})
	if err != nil {
		return err
	}
	return t.outbox().Raise(ctx, now, sett.BulkAlerts(sett.AlertCommented, now, faults, sett.AlertFacts{Comment: c.Facts()})...)
}
