package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
)

// ClaimedStatusNotice is an update of an incident that the caller is to tell a subscriber now.
type ClaimedStatusNotice struct {
	ID         int64
	Tries      int // begun, this one included
	Page       sett.StatusPage
	Incident   sett.StatusIncident // without its other updates
	Update     sett.IncidentUpdate
	Affected   []string // names of the components that the incident is about
	Subscriber sett.StatusSubscriber
}

const hasUntold = `-- store.hasUntold
SELECT EXISTS (SELECT 1 FROM status_updates WHERE told_to >= 0)`

// The oldest update alone is taken, so that nobody has a notice of a later one before they have one of it.
const holdUntold = `-- store.holdUntold
SELECT id FROM status_updates WHERE told_to >= 0 ORDER BY id LIMIT 1 {{for update}}`

const readUntold = `-- store.readUntold
SELECT u.incident_id, u.told_to, u.at, i.page FROM status_updates u JOIN status_incidents i ON i.id = u.incident_id WHERE u.id = $1`

// SpreadStatusUpdates makes notices of the oldest update that not all subscribers have one of: for at most limit of those
// who had confirmed before it. It reports whether there may be more to do at once.
func (s *Store) SpreadStatusUpdates(ctx context.Context, now time.Time, limit int) (more bool, err error) {
	if err := s.read.QueryRowContext(ctx, s.text(hasUntold)).Scan(&more); err != nil || !more {
		return false, s.Explain(wrap("look for updates", err))
	}
	err = s.inTx(ctx, "spread updates", func(t *tx) error {
		t.keepsFaults = true
		var id int64
		err := t.QueryRowContext(ctx, s.text(holdUntold)).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) { // another node was faster
			return nil
		}
		if err != nil {
			return err
		}
		return t.spreadUpdate(ctx, now, id, limit)
	})
	return more && err == nil, err
}

const spreadUpdate = `-- store.spreadUpdate
INSERT INTO status_notices (subscriber_id, incident_id, update_id, due_at, tries)
SELECT s.id, $1, $2, $3, 0 FROM status_subscribers s
WHERE s.page = $4 AND s.id > $5 AND s.confirmed_at > 0 AND s.confirmed_at <= $6 ORDER BY s.id LIMIT $7 RETURNING subscriber_id`

const noteTold = `-- store.noteTold
UPDATE status_updates SET told_to = $2 WHERE id = $1`

// allTold is what told_to is once everybody has a notice of the update.
const allTold = -1

func (t *tx) spreadUpdate(ctx context.Context, now time.Time, id int64, limit int) error {
	var incident, told, at, page int64
	if err := t.QueryRowContext(ctx, t.s.text(readUntold), id).Scan(&incident, &told, &at, &page); err != nil {
		return err
	}
	rows, err := t.QueryContext(ctx, t.s.text(spreadUpdate), incident, id, micros(now), page, told, at, limit)
	n := 0
	err = scanAll(rows, err, scanID(func(subscriber int64) {
		n++
		told = max(told, subscriber)
	}))
	if err != nil {
		return fmt.Errorf("make notices: %w", err)
	}
	if n < limit {
		told = allTold
	}
	_, err = t.exec(ctx, noteTold, id, told)
	return err
}

const hasDueNotice = `-- store.hasDueNotice
SELECT EXISTS (SELECT 1 FROM status_notices WHERE due_at <= $1)`

const dueNotices = `-- store.dueNotices
SELECT n.id FROM status_notices n WHERE n.due_at <= $1 AND NOT EXISTS (SELECT 1 FROM status_notices o
    WHERE o.subscriber_id = n.subscriber_id AND o.incident_id = n.incident_id AND o.update_id < n.update_id)
ORDER BY n.due_at, n.id LIMIT $2 {{for update skip locked}}`

const claimNotices = `-- store.claimNotices
UPDATE status_notices SET due_at = k.due_at, tries = tries + 1 FROM {{rows k(id bigint, due_at bigint)}} WHERE status_notices.id = k.id`

// ClaimStatusNotices returns at most limit notices that are due, and keeps others from claiming them for the lease; what was
// not recorded by then is due again. What a subscriber is to be told of an incident is claimed in its order, each once what
// comes before was told or given up.
func (s *Store) ClaimStatusNotices(ctx context.Context, now time.Time, lease time.Duration, limit int) (claimed []ClaimedStatusNotice, err error) {
	var due bool // looked for without a transaction that writes: mostly there is nothing to do
	if err := s.read.QueryRowContext(ctx, s.text(hasDueNotice), micros(now)).Scan(&due); err != nil || !due {
		return nil, s.Explain(wrap("look for notices", err))
	}
	err = s.inTx(ctx, "claim notices", func(t *tx) error {
		t.keepsFaults = true
		ids, err := s.listIDs(ctx, t, dueNotices, micros(now), limit)
		if err != nil {
			return err
		}
		ends := make([]int64, len(ids))
		for n := range ends {
			ends[n] = micros(now.Add(lease))
		}
		if err := t.each(ctx, claimNotices, ids, ends); err != nil {
			return err
		}
		claimed, err = s.claimedNotices(ctx, t, ids)
		return err
	})
	return claimed, err
}

const readNotices = `-- store.readNotices
SELECT n.id, n.tries, p.number, p.id, p.name, p.slug, p.domain, p.domain_verified_at, i.id, i.kind, i.name, i.status, i.starts_at, i.ends_at,
    u.id, u.status, u.message, u.automatic, u.at, s.id, s.kind, s.address, s.token, s.secret, s.confirmed_at, s.created_at,
    s.problem, s.failing_at
FROM status_notices n JOIN status_subscribers s ON s.id = n.subscriber_id JOIN status_updates u ON u.id = n.update_id
JOIN status_incidents i ON i.id = u.incident_id JOIN status_pages p ON p.number = i.page WHERE n.id IN `

func (s *Store) claimedNotices(ctx context.Context, q querier, ids []int64) (claimed []ClaimedStatusNotice, err error) {
	list, args := in(1, ids)
	rows, err := q.QueryContext(ctx, s.text(readNotices+list+" ORDER BY n.due_at, n.id"), args...)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		c, err := scanStatusNotice(rows)
		claimed = append(claimed, c)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read notices: %w", err)
	}
	return claimed, s.nameAffected(ctx, q, claimed)
}

func scanStatusNotice(rows *sql.Rows) (c ClaimedStatusNotice, err error) {
	var verified, starts, ends, at, confirmed, created, failing int64
	p, i, u, s := &c.Page, &c.Incident, &c.Update, &c.Subscriber
	err = rows.Scan(&c.ID, &c.Tries, &p.Number, &p.ID, &p.Name, &p.Slug, &p.Domain.Name, &verified, &i.ID, &i.Kind, &i.Name, &i.Status,
		&starts, &ends, &u.ID, &u.Status, &u.Message, &u.Automatic, &at, &s.ID, &s.Kind, &s.Address, &s.Token, &s.Secret,
		&confirmed, &created, &s.Problem, &failing)
	s.ConfirmedAt, s.CreatedAt = fromMicros(confirmed), fromMicros(created)
	p.Domain.VerifiedAt, i.StartsAt, i.EndsAt = fromMicros(verified), fromMicros(starts), fromMicros(ends)
	u.At, s.FailingAt, s.PageID, i.PageID = fromMicros(at), fromMicros(failing), p.ID, p.ID
	return c, err
}

// nameAffected sets the names of the components that each incident is about.
func (s *Store) nameAffected(ctx context.Context, q querier, claimed []ClaimedStatusNotice) error {
	var ids, pages []int64
	about := map[int64]*sett.StatusIncident{}
	known := map[int64]bool{}
	for _, c := range claimed {
		if about[c.Incident.ID] == nil {
			about[c.Incident.ID] = &sett.StatusIncident{}
			ids = append(ids, c.Incident.ID)
		}
		if !known[c.Page.Number] {
			known[c.Page.Number] = true
			pages = append(pages, c.Page.Number)
		}
	}
	if err := s.incidentComponents(ctx, q, ids, about); err != nil {
		return fmt.Errorf("read components of incidents: %w", err)
	}
	components, err := s.statusComponents(ctx, q, pages)
	if err != nil {
		return fmt.Errorf("read components of status pages: %w", err)
	}
	for n := range claimed {
		c := &claimed[n]
		c.Incident.ComponentIDs, c.Incident.Gone = about[c.Incident.ID].ComponentIDs, about[c.Incident.ID].Gone
		c.Affected = append(affected(components[c.Page.Number], c.Incident.ComponentIDs), c.Incident.Gone...)
	}
	return nil
}

func affected(components []watchedComponent, ids []int64) (names []string) {
	for _, c := range components {
		for _, id := range ids {
			if c.ID == id {
				names = append(names, c.Name)
			}
		}
	}
	return names
}
