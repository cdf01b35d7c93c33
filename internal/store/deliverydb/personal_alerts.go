package deliverydb

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/sett/signin"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

// personalAlertsRow is a row of personal_alerts as it is read; its fields are null if there is none.
type personalAlertsRow struct {
	events, digest sql.NullString
	mentions       sql.NullBool
	follows        sql.NullBool
}

func (r *personalAlertsRow) into() []any { return []any{&r.events, &r.mentions, &r.follows, &r.digest} }

func (r *personalAlertsRow) alerts() (alerts.PersonalAlerts, error) {
	if !r.events.Valid {
		return alerts.NewPersonalAlerts(), nil
	}
	p := alerts.PersonalAlerts{Mentions: r.mentions.Bool, Follows: r.follows.Bool, Digest: alerts.DigestInterval(r.digest.String)}
	if err := json.Unmarshal([]byte(r.events.String), &p.Events); err != nil {
		return p, fmt.Errorf("read personal alerts: %w", err)
	}
	return p, nil
}

// ProjectAlerts are a user's personal alerts of a project that they can see.
type ProjectAlerts struct {
	alerts.PersonalAlerts
	ProjectID int64
	AccountID string
	Project   string // its name
}

const personalAlertsOf = `-- deliverydb.personalAlerts
SELECT p.id, p.account_id, p.name, pa.events, pa.mentions, pa.follows, pa.digest FROM memberships m JOIN projects p ON p.account_id = m.account_id
LEFT JOIN personal_alerts pa ON pa.user_id = m.user_id AND pa.project_id = p.id WHERE m.user_id = $1 AND ` + accountdb.SeenBy

const (
	onePersonalAlerts  = personalAlertsOf + " AND p.id = $2"
	listPersonalAlerts = personalAlertsOf + " AND p.id > $2 ORDER BY p.id LIMIT $3"
)

// PersonalAlerts returns a user's personal alerts of a project. The error is NotFound if they cannot see it.
func (s *Store) PersonalAlerts(ctx context.Context, userID, projectID int64) (ProjectAlerts, error) {
	return s.personalAlerts(ctx, s.db.Read, userID, projectID)
}

func (s *Store) personalAlerts(ctx context.Context, q db.Querier, userID, projectID int64) (ProjectAlerts, error) {
	found, err := scanProjectAlerts(q.QueryRowContext(ctx, s.db.Text(onePersonalAlerts), userID, projectID))
	return found, db.NotFound(err, "Project", "find personal alerts")
}

// ListPersonalAlerts returns a user's personal alerts of at most limit projects that they can see, after the given one, in order of
// creation.
func (s *Store) ListPersonalAlerts(ctx context.Context, userID, after int64, limit int) (found []ProjectAlerts, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(listPersonalAlerts), userID, after, limit)
	found, err = db.Collect(rows, err, scanProjectAlerts)
	return found, db.Wrap("list personal alerts", err)
}

func scanProjectAlerts(row db.Row) (p ProjectAlerts, err error) {
	var r personalAlertsRow
	if err = row.Scan(append([]any{&p.ProjectID, &p.AccountID, &p.Project}, r.into()...)...); err == nil {
		p.PersonalAlerts, err = r.alerts()
	}
	return p, err
}

// UpdatePersonalAlerts changes a user's personal alerts of a project. The error is NotFound if they cannot see it, and Invalid if a field
// is rejected.
func (s *Store) UpdatePersonalAlerts(ctx context.Context, now time.Time, userID, projectID int64, change alerts.PersonalAlertsChange) error {
	return s.inTx(ctx, "update personal alerts", func(t Tx) error {
		t.KeepsCaches = true
		_, _, err := t.updatePersonalAlerts(ctx, now, userID, projectID, change)
		return err
	})
}

// ChangeOwnAlerts is UpdatePersonalAlerts for a user in a browser.
func (s *Store) ChangeOwnAlerts(ctx context.Context, now time.Time, by signin.Session, projectID int64, change alerts.PersonalAlertsChange) error {
	return s.account.ChangeOwn(ctx, "change own alerts", by, func(of accountdb.Tx) error {
		t := s.In(of.Tx)
		t.KeepsCaches = true
		have, want, err := t.updatePersonalAlerts(ctx, now, by.UserID, projectID, change)
		if err != nil {
			return err
		}
		return t.account().AuditOwnIn(ctx, have.AccountID, by.UserID, auditedAlerts(have.Project, want))
	})
}

// auditedAlerts is the audit log's record of changed personal alerts.
func auditedAlerts(project string, p alerts.PersonalAlerts) map[string]any {
	return map[string]any{"project": project, "events": p.Events, "mentions": p.Mentions, "follows": p.Follows, "digest": string(p.Digest)}
}

func (t Tx) updatePersonalAlerts(ctx context.Context, now time.Time, userID, projectID int64, change alerts.PersonalAlertsChange) (have ProjectAlerts, want alerts.PersonalAlerts, err error) {
	if err = t.QueryRowContext(ctx, t.s.db.Text(accountdb.LockUser), userID).Scan(new(int64)); err != nil {
		return have, want, db.NotFound(err, "Project", "lock user")
	}
	if have, err = t.s.personalAlerts(ctx, t, userID, projectID); err != nil {
		return have, want, err
	}
	if want, err = change.Apply(have.PersonalAlerts); err != nil {
		return have, want, err
	}
	return have, want, t.writePersonalAlerts(ctx, now, userID, projectID, want)
}

const writePersonalAlerts = `-- deliverydb.writePersonalAlerts
INSERT INTO personal_alerts (user_id, project_id, events, mentions, follows, digest, digest_upto, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (user_id, project_id) DO UPDATE SET events = excluded.events, mentions = excluded.mentions, follows = excluded.follows, digest = excluded.digest,
    digest_upto = CASE WHEN personal_alerts.digest = excluded.digest THEN personal_alerts.digest_upto ELSE excluded.digest_upto END,
    updated_at = excluded.updated_at`

// writePersonalAlerts stores a user's personal alerts. A digest that was turned on or changed covers nothing before the interval in which
// that happened.
func (t Tx) writePersonalAlerts(ctx context.Context, now time.Time, userID, projectID int64, p alerts.PersonalAlerts) error {
	_, err := t.Exec(ctx, writePersonalAlerts, userID, projectID, jsonList(p.Events), p.Mentions, p.Follows, string(p.Digest),
		db.Micros(p.Digest.End(now)), db.Micros(now))
	return err
}
