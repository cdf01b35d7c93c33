package deliverydb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store/db"
)

// markIntegrations marks integrations as failing or working, by the last result of each.
func (t Tx) markIntegrations(ctx context.Context, now time.Time, recorded []recordedDelivery) error {
	last := map[int64]recordedDelivery{}
	for _, r := range recorded {
		if r.integration > 0 && r.State != alerts.DeliveryDue {
			r.Gone = r.Gone || last[r.integration].Gone
			last[r.integration] = r
		}
	}
	for _, id := range db.Sorted(last, cmp.Compare) {
		if err := t.markIntegration(ctx, now, last[id]); err != nil {
			return err
		}
	}
	return nil
}

const clearMark = `-- deliverydb.clearMark
UPDATE integrations SET failed_at = 0, problem = '', mail_owed = false WHERE id = $1 AND failed_at > 0`

const integrationByID = `-- deliverydb.integrationByID
SELECT ` + integrationColumns + ` FROM integrations i WHERE i.id = $1 {{for no key update}}`

func (t Tx) markIntegration(ctx context.Context, now time.Time, r recordedDelivery) error {
	if r.State == alerts.DeliverySent {
		_, err := t.Exec(ctx, clearMark, r.integration)
		return err
	}
	i, _, err := t.holdIntegration(ctx, r.integration)
	if err != nil {
		return fmt.Errorf("read integration: %w", err)
	}
	return t.markFailure(ctx, now, i, r.Attempt.Problem, i.Active && !r.Gone)
}

// holdIntegration locks an integration against other marks and returns it, and whether its settings can be read. If not, the fields that
// marks need are still set.
func (t Tx) holdIntegration(ctx context.Context, id int64) (i alerts.Integration, readable bool, err error) {
	var row integrationRow
	if err := t.QueryRowContext(ctx, t.s.db.Text(integrationByID), id).Scan(row.into()...); err != nil {
		return i, false, err
	}
	i, err = t.s.integrationOf(&row)
	if _, ok := errors.AsType[db.Unreadable](err); ok {
		return i, false, nil
	}
	return i, err == nil, err
}

// mailEvery is how often at most mails report that an integration fails; it may fail and work again from message to message.
const mailEvery = 24 * time.Hour

const lastMail = `-- deliverydb.lastMail
SELECT mailed_at, mail_owed FROM integrations WHERE id = $1`

const markFailed = `-- deliverydb.markFailed
UPDATE integrations SET failed_at = $2, problem = $3, active = $4, mailed_at = $5, mail_owed = $6 WHERE id = $1`

// markFailure marks an integration and queues mails about it, unless a mail has already reported this failure. If a mail reported an
// earlier failure less than a day ago, a later failure sends the mail that is owed.
func (t Tx) markFailure(ctx context.Context, now time.Time, i alerts.Integration, problem string, active bool) error {
	var mailed int64
	var owed bool
	if err := t.QueryRowContext(ctx, t.s.db.Text(lastMail), i.ID).Scan(&mailed, &owed); err != nil {
		return fmt.Errorf("read integration: %w", err)
	}
	owed = owed || i.FailedAt.IsZero()
	mail := owed && now.Sub(db.FromMicros(mailed)).Abs() >= mailEvery
	if mail {
		mailed, owed = db.Micros(now), false
	}
	_, err := t.Exec(ctx, markFailed, i.ID, db.Micros(now), problem, active, mailed, owed)
	if err != nil || !mail {
		return err
	}
	return t.mailFailure(ctx, now, i, problem, i.Active && !active)
}

// toMark reports whether an integration with unreadable settings should be marked.
func toMark(i alerts.Integration) bool { return i.Active && i.FailedAt.IsZero() }

// markUnreadable marks the active integrations that did not receive an alert because their settings cannot be read.
func (t Tx) markUnreadable(ctx context.Context, now time.Time, broken []alerts.Integration) error {
	for _, b := range broken {
		if !toMark(b) {
			continue
		}
		i, readable, err := t.holdIntegration(ctx, b.ID)
		switch {
		case errors.Is(err, sql.ErrNoRows) || err == nil && (readable || !toMark(i)):
			continue
		case err == nil:
			err = t.markFailure(ctx, now, i, "The server cannot read the settings of this integration. Create a new one.", true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// The owner of a project, or the owners of its account if it has none.
const projectOwners = `-- deliverydb.projectOwners
SELECT p.name, u.email FROM projects p JOIN memberships m ON m.account_id = p.account_id JOIN users u ON u.id = m.user_id
WHERE p.id = $1 AND (m.user_id = p.owner_id OR p.owner_id IS NULL AND m.role = 'Owner') ORDER BY u.id`

// mailFailure queues mails to the owners of a project that one of its integrations has failed.
func (t Tx) mailFailure(ctx context.Context, now time.Time, i alerts.Integration, problem string, off bool) error {
	var mails []alerts.Mail
	rows, err := t.QueryContext(ctx, t.s.db.Text(projectOwners), i.ProjectID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var project, email string
		err := rows.Scan(&project, &email)
		mails = append(mails, i.FailureMail(email, project, problem, off))
		return err
	})
	for _, m := range mails {
		if err == nil {
			err = t.outbox().QueueMail(ctx, now, m)
		}
	}
	return err
}
