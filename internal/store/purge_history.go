package store

import (
	"context"
	"fmt"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/uptimedb"
)

const purgeAudit = `-- store.purgeAudit
DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE at < $1 ORDER BY at LIMIT $2)`

const purgeOutages = `-- store.purgeOutages
DELETE FROM outages WHERE id IN (SELECT id FROM outages WHERE up_at > 0 AND up_at < $1 ORDER BY up_at LIMIT $2)`

const purgeSlowSpells = `-- store.purgeSlowSpells
DELETE FROM slow_spells WHERE id IN (SELECT id FROM slow_spells WHERE fast_at > 0 AND fast_at < $1 ORDER BY fast_at LIMIT $2)`

const purgeSiteGaps = `-- store.purgeSiteGaps
DELETE FROM site_gaps WHERE (site_id, from_at) IN (SELECT site_id, from_at FROM site_gaps WHERE to_at > 0 AND to_at < $1 LIMIT $2)`

const purgeCertWarnings = `-- store.purgeCertWarnings
DELETE FROM cert_warnings WHERE (site_id, fingerprint, threshold) IN (SELECT site_id, fingerprint, threshold FROM cert_warnings WHERE at < $1 LIMIT $2)`

const purgeInvitations = `-- store.purgeInvitations
DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE accepted_at = 0 AND created_at < $1 ORDER BY id LIMIT $2)`

const purgeUsage = `-- store.purgeUsage
DELETE FROM ledger WHERE (account_id, day, project_id) IN (SELECT l.account_id, l.day, l.project_id
    FROM accounts a CROSS JOIN ledger l WHERE l.account_id = a.id AND l.day < $1 LIMIT $2)`

const purgeRefusals = `-- store.purgeRefusals
DELETE FROM refusals WHERE (account_id, day, project_id, node) IN (SELECT r.account_id, r.day, r.project_id, r.node
    FROM accounts a CROSS JOIN refusals r WHERE r.account_id = a.id AND r.day < $1 LIMIT $2)`

const purgeScrubbed = `-- store.purgeScrubbed
DELETE FROM scrubbed WHERE (project_id, day, kind) IN (SELECT s.project_id, s.day, s.kind
    FROM projects p CROSS JOIN scrubbed s WHERE s.project_id = p.id AND s.day < $1 LIMIT $2)`

const purgeDiscards = `-- store.purgeDiscards
DELETE FROM discards WHERE (project_id, day, source, category, reason) IN (SELECT d.project_id, d.day, d.source, d.category, d.reason
    FROM projects p CROSS JOIN discards d WHERE d.project_id = p.id AND d.day < $1 LIMIT $2)`

const purgeForwardDays = `-- store.purgeForwardDays
DELETE FROM forward_days WHERE (project_id, day) IN (SELECT f.project_id, f.day
    FROM projects p CROSS JOIN forward_days f WHERE f.project_id = p.id AND f.day < $1 LIMIT $2)`

// histories are rows that are deleted when they are older than a time, which is their first parameter, in µs.
var histories = []struct {
	what, statement string
	keep            time.Duration
}{
	{"audit log", purgeAudit, accounts.KeepAudit},
	{"outages", purgeOutages, accounts.KeepHistory},
	{"slow times", purgeSlowSpells, accounts.KeepHistory},
	{"times without checks", purgeSiteGaps, uptimedb.KeepSiteGaps},
	{"warnings of certificates", purgeCertWarnings, accounts.KeepHistory},
	{"usage", purgeUsage, accounts.KeepHistory},
	{"refused events", purgeRefusals, accounts.KeepHistory},
	{"removed values", purgeScrubbed, accounts.KeepHistory},
	{"discarded events", purgeDiscards, accounts.KeepHistory},
	{"forwarded reports", purgeForwardDays, accounts.KeepHistory},
	{"invitations", purgeInvitations, accounts.InvitationLife + accounts.KeepUnanswered},
}

const purgeFaultBuckets = `-- store.purgeFaultBuckets
DELETE FROM fault_buckets WHERE (width, at, fault_id) IN (
    SELECT width, at, fault_id FROM fault_buckets WHERE width = $1 AND at < $2 ORDER BY width, at LIMIT $3)`

const purgeProjectBuckets = `-- store.purgeProjectBuckets
DELETE FROM project_buckets WHERE (width, at, project_id, environment) IN (
    SELECT width, at, project_id, environment FROM project_buckets WHERE width = $1 AND at < $2 ORDER BY width, at LIMIT $3)`

// series are buckets that are deleted. Daily buckets are kept, and hourly buckets of projects, from which reports are made. Minutes of
// projects are kept as long as deploys, which are shown with the hours around them.
var series = []struct {
	what, statement string
	width           int64
	keep            time.Duration
}{
	{"minutes of faults", purgeFaultBuckets, faultdb.Minute, accounts.KeepMinutes},
	{"hours of faults", purgeFaultBuckets, faultdb.Hour, accounts.KeepHours},
	{"minutes of projects", purgeProjectBuckets, faultdb.Minute, accounts.KeepHistory},
}

// PurgeHistories deletes old rows of histories: changes, deploys, releases, outages, automatic incidents, usage, counts by the minute and hour; and
// rows that have expired, such as sessions.
func (s *Store) PurgeHistories(ctx context.Context, o Purge) error {
	return s.Explain(s.purging(ctx, purgeLease, o, func(p *purge) error {
		now := o.Now()
		if err := p.expired(ctx, now); err != nil {
			return err
		}
		for _, h := range histories {
			_, err := p.rows(ctx, "purge "+h.what, func(t *tx, most int64) (int64, error) {
				return t.Changed(ctx, h.statement, db.Micros(now.Add(-h.keep)), most)
			})
			if err != nil {
				return err
			}
		}
		for _, b := range series {
			_, err := p.rows(ctx, "purge "+b.what, func(t *tx, most int64) (int64, error) {
				return t.Changed(ctx, b.statement, b.width, now.Add(-b.keep).Unix(), most)
			})
			if err != nil {
				return err
			}
		}
		for _, part := range []func(context.Context, time.Time) error{p.deploys, p.releases, p.incidents} {
			if err := part(ctx, now); err != nil {
				return err
			}
		}
		return nil
	}))
}

// expired deletes rows that sign-ins also delete: on a quiet server those are rare.
func (p *purge) expired(ctx context.Context, now time.Time) error {
	for _, e := range []struct {
		statement string
		before    time.Time
	}{
		{accountdb.DropOldSessions, now.Add(-signin.SessionIdleLife)},
		{accountdb.DropLoginSteps, now},
		{accountdb.DropOldResets, now},
		{accountdb.DropChallenges, now},
		{accountdb.DropFailures, now.Add(-signin.FailureMemory)},
	} {
		err := p.piece(ctx, "forget what has expired", func(t *tx) error {
			_, err := t.Exec(ctx, e.statement, db.Micros(e.before))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// The newest deploy of each environment is kept: later notices refer to it.
const purgeDeploys = `-- store.purgeDeploys
DELETE FROM deploys WHERE id IN (SELECT d.id FROM deploys d WHERE d.project_id = $1 AND d.created_at < $2
    AND EXISTS (SELECT 1 FROM deploys n WHERE n.project_id = d.project_id AND n.environment = d.environment
        AND (n.created_at, n.id) > (d.created_at, d.id) AND n.created_at < $2)
    ORDER BY d.created_at, d.id LIMIT $3)`

// deploys deletes old deploys. They are kept at least as long as the notices of their project, which refer to them; the one before those
// is kept too.
func (p *purge) deploys(ctx context.Context, now time.Time) error {
	all, err := p.keepings(ctx, now)
	if err != nil {
		return err
	}
	for _, k := range all {
		before := min(k.from, db.Micros(now.Add(-accounts.KeepHistory)))
		_, err := p.rows(ctx, "purge deploys", func(t *tx, most int64) (int64, error) {
			return t.Changed(ctx, purgeDeploys, k.project, before, most)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

const pagesOfOldIncidents = `-- store.pagesOfOldIncidents
SELECT DISTINCT page FROM status_incidents WHERE automatic AND resolved_at > 0 AND resolved_at < $1 ORDER BY page`

const purgeIncidents = `-- store.purgeIncidents
DELETE FROM status_incidents WHERE id IN (SELECT id FROM status_incidents WHERE page = $1 AND automatic AND resolved_at > 0 AND resolved_at < $2
    ORDER BY id LIMIT $3)`

// incidents deletes automatic incidents; what users wrote is kept.
func (p *purge) incidents(ctx context.Context, now time.Time) error {
	before := db.Micros(now.Add(-accounts.KeepHistory))
	pages, err := p.ListIDs(ctx, p.Read, pagesOfOldIncidents, before)
	if err != nil {
		return fmt.Errorf("find old incidents: %w", err)
	}
	for _, page := range pages {
		_, err := p.rows(ctx, "purge incidents", func(t *tx, most int64) (int64, error) {
			if err := t.status.HoldPages(ctx, []int64{page}); err != nil {
				return 0, err
			}
			n, err := t.Changed(ctx, purgeIncidents, page, before, most)
			if err != nil {
				return 0, err
			}
			return n, t.status.BumpPageRevisions(ctx, page)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
