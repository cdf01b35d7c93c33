package statusdb

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/sett/status"
	"sett/internal/store/db"
)

// ClaimedStatusNotice is a message for the caller to send to a subscriber now: an update of an incident, or a request to a webhook to
// confirm the subscription.
type ClaimedStatusNotice struct {
	ID         int64
	Claim      int64 // the number of this claim; unique among the claims of the notice
	Tries      int   // attempts, including this one
	Page       status.StatusPage
	Incident   status.StatusIncident // without its other updates; Automatic: sett wrote one of them
	Update     status.IncidentUpdate
	Asks       bool     // no incident and no update: asks the subscriber to confirm
	Affected   []string // names of the affected components
	Subscriber status.StatusSubscriber
}

// Lane is the lane of the notice.
func (c ClaimedStatusNotice) Lane() string { return NoticeLane(c.Page.Number, c.Subscriber.Kind) }

const readNotices = `-- statusdb.readNotices
SELECT n.id, n.claims, n.tries, p.number, p.id, p.name, p.slug, p.hide_branding, p.language, p.domain, p.domain_verified_at, coalesce(i.id, 0), coalesce(i.kind, ''),
    coalesce(i.name, ''), coalesce(i.status, ''), coalesce(i.starts_at, 0), coalesce(i.ends_at, 0), coalesce(u.id, 0), coalesce(u.status, ''),
    coalesce(u.message, ''), coalesce(u.automatic, false), coalesce(u.at, 0), s.id, s.kind, s.address, s.token, s.secret, s.confirmed_at,
    s.created_at, s.problem, s.failing_at, coalesce(i.facts, ''), coalesce(u.facts, ''), coalesce(i.impact, ''),
    EXISTS (SELECT 1 FROM status_updates a WHERE a.incident_id = i.id AND a.automatic)
FROM status_notices n JOIN status_subscribers s ON s.id = n.subscriber_id JOIN status_pages p ON p.number = s.page
LEFT JOIN status_updates u ON u.id = n.update_id LEFT JOIN status_incidents i ON i.id = u.incident_id WHERE n.id IN `

// claimedNotices returns all data of some notices, in the order of their ids.
func (s *Store) claimedNotices(ctx context.Context, q db.Querier, ids []int64) (claimed []ClaimedStatusNotice, err error) {
	list, args := db.In(s.db, 1, ids)
	rows, err := q.QueryContext(ctx, s.db.Text(readNotices+list+" ORDER BY n.id"), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		c, err := s.scanStatusNotice(rows)
		claimed = append(claimed, c)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read notices: %w", err)
	}
	return claimed, s.nameAffected(ctx, q, claimed)
}

func (s *Store) scanStatusNotice(rows *sql.Rows) (c ClaimedStatusNotice, err error) {
	var verified, starts, ends, at, confirmed, created, failing int64
	p, i, u, to := &c.Page, &c.Incident, &c.Update, &c.Subscriber
	err = rows.Scan(&c.ID, &c.Claim, &c.Tries, &p.Number, &p.ID, &p.Name, &p.Slug, &p.HideBranding, &p.Language, &p.Domain.Name, &verified, &i.ID, &i.Kind,
		&i.Name, &i.Status, &starts, &ends, &u.ID, &u.Status, &u.Message, &u.Automatic, &at, &to.ID, &to.Kind, &to.Address, &to.Token, &to.Secret,
		&confirmed, &created, &to.Problem, &failing, &i.NameFacts, &u.Facts, &i.Impact, &i.Automatic)
	if err != nil {
		return c, err
	}
	to.ConfirmedAt, to.CreatedAt = db.FromMicros(confirmed), db.FromMicros(created)
	p.Domain.VerifiedAt, i.StartsAt, i.EndsAt = db.FromMicros(verified), db.FromMicros(starts), db.FromMicros(ends)
	u.At, to.FailingAt, to.PageID, i.PageID = db.FromMicros(at), db.FromMicros(failing), p.ID, p.ID
	c.Asks = u.ID == 0
	return c, s.db.RevealAll([]any{to.ID}, map[*db.SealedColumn]*string{sealedSubscriber: &to.Token, sealedSigning: &to.Secret})
}

// nameAffected sets the names of the components that each incident affects.
func (s *Store) nameAffected(ctx context.Context, q db.Querier, claimed []ClaimedStatusNotice) error {
	var ids, pages []int64
	about := map[int64]*status.StatusIncident{}
	known := map[int64]bool{}
	for _, c := range claimed {
		if c.Asks {
			continue
		}
		if about[c.Incident.ID] == nil {
			about[c.Incident.ID] = &status.StatusIncident{}
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
		if c.Asks {
			continue
		}
		c.Incident.States = about[c.Incident.ID].States
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
