package deliverydb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/rollupdb"
)

const dueDigests = `-- deliverydb.DueDigests
SELECT u.id, u.email, u.name, ` + accountdb.ZoneOf + `, p.id, p.name, pa.digest, pa.digest_upto FROM personal_alerts pa JOIN users u ON u.id = pa.user_id
JOIN projects p ON p.id = pa.project_id JOIN memberships m ON m.account_id = p.account_id AND m.user_id = u.id
WHERE pa.digest <> 'off' AND (pa.digest = 'daily' AND pa.digest_upto <= $1 OR pa.digest = 'weekly' AND pa.digest_upto <= $2)
    AND (p.id, u.id) > ($3, $4) AND p.active AND u.email <> '' AND ` + accountdb.SeenBy + ` ORDER BY p.id, u.id LIMIT $5`

// digestsWait is how long a digest waits after its interval: by then everything that happened in it is stored, and counted except for
// what dead nodes left.
const digestsWait = 2 * rollupdb.FlushesWithin

// DueDigests returns at most limit personal digests that are due, grouped by project: those after the given user and project, or from the
// first if that is the zero DueDigest.
func (s *Store) DueDigests(ctx context.Context, now time.Time, after alerts.DueDigest, limit int) (due []alerts.DueDigest, err error) {
	over := now.Add(-digestsWait)
	for read := limit; read == limit && len(due) == 0; {
		if due, after, read, err = s.dueDigests(ctx, over, after, limit); err != nil {
			return nil, s.db.Explain(db.Wrap("look for digests", err))
		}
	}
	return due, nil
}

// dueDigests reads some digests that may be due at over, and returns those that are, the last that it has read, and how many these were.
func (s *Store) dueDigests(ctx context.Context, over time.Time, after alerts.DueDigest, limit int) (due []alerts.DueDigest, last alerts.DueDigest, read int, err error) {
	daily, weekly := over.Add(-alerts.DigestDaily.Least()), over.Add(-alerts.DigestWeekly.Least())
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(dueDigests), db.Micros(daily), db.Micros(weekly), after.ProjectID, after.User.ID, limit)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) (err error) {
		var upto int64
		var zone string
		last, read = alerts.DueDigest{}, read+1
		err = rows.Scan(&last.User.ID, &last.User.Email, &last.User.Name, &zone, &last.ProjectID, &last.Project, &last.Interval, &upto)
		last.LastEnd = db.FromMicros(upto)
		var isDue bool
		if last.To, isDue = last.Interval.Due(last.LastEnd, over.In(sett.TimeZoneOf(zone))); isDue {
			due = append(due, last)
		}
		return err
	})
	return due, last, read, err
}

const takeDigest = `-- deliverydb.takeDigest
UPDATE personal_alerts SET digest_upto = $5 WHERE user_id = $1 AND project_id = $2 AND digest = $3 AND digest_upto = $4`

// QueueDigest queues the mail with a personal digest, unless it is empty, and records that its interval is done. It does nothing if
// another process has done so, or if the user has changed the interval of their digest.
func (s *Store) QueueDigest(ctx context.Context, now time.Time, due alerts.DueDigest, digest alerts.PersonalDigest) error {
	return s.inTx(ctx, "queue digest", func(t Tx) error {
		t.KeepsCaches = true
		n, err := t.Changed(ctx, takeDigest, due.User.ID, due.ProjectID, string(due.Interval), db.Micros(due.LastEnd), db.Micros(due.To))
		if err != nil || n == 0 || digest.Empty() {
			return err
		}
		token, err := t.unsubscribeToken(ctx, due.User.ID, due.ProjectID)
		if err != nil {
			return err
		}
		mail, err := due.Mail(digest, token)
		if err != nil {
			return err
		}
		return t.outbox().QueueMail(ctx, now, mail)
	})
}

// ReadDigest returns what happened in a project between two times, the first of which is a full hour.
func (s *Store) ReadDigest(ctx context.Context, projectID int64, from, to time.Time) (d alerts.PersonalDigest, err error) {
	d.From, d.To = from, to
	err = s.db.Snapshot(ctx, "read digest", func(q db.Querier) error {
		r := digestReader{s, q, projectID, from, to}
		for _, part := range []func(context.Context, *alerts.PersonalDigest) error{
			r.faultsMade, r.frequent, r.resolved, r.outages, r.missed, r.deploys,
		} {
			if err := part(ctx, &d); err != nil {
				return err
			}
		}
		return nil
	})
	return d, err
}
