package uptimedb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/statusdb"
)

// RecordChecks stores the results of checks from locations, in one transaction: the history of each site, its current state, outages, and
// which locations to ask next. It returns the resulting events. It skips reports of sites that are deleted or not active, of an older
// target of a site, and reports that were recorded before.
func (s *Store) RecordChecks(ctx context.Context, now time.Time, reports []checks.CheckReport) (events []checks.SiteEvent, err error) {
	if len(reports) == 0 {
		return nil, nil
	}
	err = s.inIntakeTx(ctx, "record checks", func(t Tx) error {
		t.KeepsCaches = true
		events, err = t.recordChecks(ctx, now, reports)
		return err
	})
	if err != nil {
		return nil, err
	}
	return events, nil
}

func (t Tx) recordChecks(ctx context.Context, now time.Time, reports []checks.CheckReport) ([]checks.SiteEvent, error) {
	clean := make([]checks.CheckReport, len(reports))
	for i, r := range reports {
		clean[i] = r.Cleaned(now)
	}
	slices.SortStableFunc(clean, func(a, b checks.CheckReport) int { return a.Result.At.Compare(b.Result.At) })
	b := &checkBatch{t: t, now: now, reports: clean, ids: idsIn(clean), sites: map[sett.UUID]*checkedSite{}}
	err := b.record(ctx)
	return b.events, err
}

// checkBatch is one run of RecordChecks.
type checkBatch struct {
	t       Tx
	now     time.Time
	reports []checks.CheckReport
	ids     [][]byte // of the sites
	live    []checks.LiveLocation
	sites   map[sett.UUID]*checkedSite
	order   []*checkedSite // by number
	checks  checkRows
	late    checkRows // of days that may already be rolled up
	gaps    gapWrites
	events  []checks.SiteEvent
	alerts  []alerts.Alert
}

// checkedSite is a site with reports in the batch.
type checkedSite struct {
	checks.SiteRecord
	number   int64
	was      sett.SiteState
	wasSince time.Time
	noted    bool
	verdicts map[checks.Location]bool // the changed ones
	asked    bool
}

func (b *checkBatch) record(ctx context.Context) error {
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"lock sites", b.lockSites},
		{"read sites", b.readSites},
		{"read verdicts", b.readVerdicts},
		{"note reports", b.note},
		{"write checks", b.writeChecks},
		{"write times without checks", b.writeGaps},
		{"write states", b.writeStates},
		{"write verdicts", b.writeVerdicts},
		{"ask locations", b.ask},
		{"raise alerts", b.raise},
		{"evaluate status pages", b.evaluate},
	} {
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

// idsIn returns the distinct sites of reports, in order.
func idsIn(reports []checks.CheckReport) [][]byte {
	var ids [][]byte
	for _, r := range reports {
		ids = append(ids, r.SiteID[:])
	}
	slices.SortFunc(ids, slices.Compare[[]byte])
	return slices.CompactFunc(ids, slices.Equal[[]byte])
}

const lockStates = `-- uptimedb.lockStates
SELECT st.site_id FROM {{rows k(uuid bytea)}} JOIN sites s ON s.uuid = k.uuid JOIN site_states st ON st.site_id = s.id
ORDER BY st.site_id {{for update of st}}`

// lockSites locks the sites that this node is about to evaluate against other nodes. Everything that is read afterwards includes their
// changes.
func (b *checkBatch) lockSites(ctx context.Context) error {
	if b.t.s.db.SQLite() {
		return nil
	}
	return b.t.EachRow(ctx, lockStates, db.ScanID(func(int64) {}), b.ids)
}

// evaluated lists the columns of a site that matter to its state.
func (n *numberedSite) evaluated() db.Columns { return slices.Concat(n.settings(), n.record()) }

var sitesToEvaluate = "-- uptimedb.sitesToEvaluate\nSELECT st.failures, st.failing_since, st.cert_fingerprint, st.cert_warned, st.gap, st.was_slow, s.id, " +
	aSite.evaluated().Of("s") + ", " + aSite.found().Of("st") + `
FROM {{rows k(uuid bytea)}} JOIN sites s ON s.uuid = k.uuid JOIN site_states st ON st.site_id = s.id`

func (b *checkBatch) readSites(ctx context.Context) (err error) {
	if b.live, err = b.t.s.liveLocations(ctx, b.t, b.now); err != nil {
		return err
	}
	var n numberedSite
	var row checkedSite
	into := slices.Concat(n.evaluated(), n.found()).Into(&row.Streak.Failures, db.TimeIn(&row.Streak.Since), &row.CertFingerprint,
		&row.CertWarned, &row.Gap, &row.WasSlow, &row.number)
	return b.t.EachRow(ctx, sitesToEvaluate, func(rows *sql.Rows) error {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		c := row
		c.verdicts = map[checks.Location]bool{}
		if n.URL, err = b.t.s.db.Reveal(accountdb.SealedURL, n.URL, n.ID); err != nil {
			return err
		}
		c.Site, c.Verdicts, c.was, c.wasSince = n.Site, map[checks.Location]checks.Verdict{}, n.State, n.ChangedAt
		b.sites[c.ID] = &c
		b.order = append(b.order, &c)
		return nil
	}, b.ids)
}

// note applies the rules to each report, oldest first.
func (b *checkBatch) note(ctx context.Context) error {
	slices.SortFunc(b.order, func(a, c *checkedSite) int { return int(a.number - c.number) })
	for _, r := range b.reports {
		c := b.sites[r.SiteID]
		if c == nil {
			continue
		}
		before := c.SiteRecord
		use, events := c.Note(r, b.live, b.now)
		if use == checks.Useless {
			continue
		}
		c.noted = true
		c.verdicts[r.Location] = c.verdicts[r.Location] || use == checks.Current || use == checks.Blocked
		if use == checks.Blocked {
			continue
		}
		b.addCheck(c, r)
		b.gaps.note(c.number, before, r.Result.At, use, b.now)
		for _, e := range events {
			if err := b.settle(ctx, c, r, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle writes the effects of an event.
func (b *checkBatch) settle(ctx context.Context, c *checkedSite, r checks.CheckReport, e checks.SiteEvent) (err error) {
	fresh := true
	var o checks.Outage
	var spell checks.SlowSpell
	switch e.Kind {
	case checks.SiteWentDown:
		o = checks.NewOutage(b.now, e.At, r)
		err = b.t.openOutage(ctx, c.number, o)
	case checks.SiteLapsed:
		_, err = b.t.closeOutage(ctx, c.number, e.At)
	case checks.SiteCameUp:
		o, err = b.t.closeOutage(ctx, c.number, e.At)
	case checks.CertWillExpire:
		fresh, err = b.t.warnOfCertificate(ctx, b.now, c.number, c.CertFingerprint, e.Days)
	case checks.SiteBecameSlow:
		err = b.t.openSpell(ctx, c.number, checks.SlowSpell{SlowAt: e.At, CreatedAt: b.now, Limit: c.SlowAfter, Took: e.Took})
	case checks.SiteSlowEnded:
		_, err = b.t.closeSpell(ctx, c.number, e.At, e.Ending)
	case checks.SiteBecameFast:
		spell, err = b.t.closeSpell(ctx, c.number, e.At, checks.SlowEndedFast)
	case checks.SiteAsked:
		c.asked = true
	}
	if !fresh {
		return err
	}
	b.events = append(b.events, e)
	if a, ok := c.Alert(e, o); ok {
		b.alerts = append(b.alerts, a)
	}
	if a, ok := c.PaceAlert(e, spell); ok {
		b.alerts = append(b.alerts, a)
	}
	return err
}

func (b *checkBatch) raise(ctx context.Context) error {
	return b.t.outbox().Raise(ctx, b.now, b.alerts...)
}

// evaluate evaluates the status pages that show sites whose state has changed, also to the same one after a gap: what users said of the
// outage before it does not concern the new one. It runs last, as in all transactions that change a site:
// pages are locked after everything else.
func (b *checkBatch) evaluate(ctx context.Context) error {
	var turned []int64
	for _, c := range b.order {
		if c.State != c.was || !c.ChangedAt.Equal(c.wasSince) {
			turned = append(turned, c.number)
		}
	}
	return b.t.status().EvaluateShowing(ctx, b.now, statusdb.PagesShowingSites, turned)
}

const updateStates = `-- uptimedb.updateStates
UPDATE site_states SET state = k.state, changed_at = k.changed, last_checked_at = k.checked, failures = k.failures,
    failing_since = k.since, cert_fingerprint = k.fingerprint, cert_not_after = k.expires, cert_warned = k.warned,
    cert_authority = k.authority, gap = k.gap, slow_since = k.slow, was_slow = k.was_slow = 1
FROM {{rows k(id bigint, state text, changed bigint, checked bigint, failures bigint, since bigint, fingerprint text, expires bigint, warned bigint, authority text, gap text, slow bigint, was_slow bigint)}}
WHERE site_states.site_id = k.id`

func (b *checkBatch) writeStates(ctx context.Context) error {
	var ids, changed, checked, failures, since, expires, warned, slow, wasSlow []int64
	var states, fingerprints, authorities, gaps []string
	for _, c := range b.order {
		if !c.noted {
			continue
		}
		ids, states = append(ids, c.number), append(states, string(c.State))
		changed, checked = append(changed, db.Micros(c.ChangedAt)), append(checked, db.Micros(c.LastCheckedAt))
		failures, since = append(failures, c.Streak.Failures), append(since, db.Micros(c.Streak.Since))
		fingerprints, expires = append(fingerprints, c.CertFingerprint), append(expires, db.Micros(c.CertWillExpireAt))
		warned, authorities, gaps = append(warned, c.CertWarned), append(authorities, c.CertAuthority), append(gaps, string(c.Gap))
		slow, wasSlow = append(slow, db.Micros(c.SlowSince)), append(wasSlow, bit(c.WasSlow))
	}
	return b.t.Each(ctx, updateStates, ids, states, changed, checked, failures, since, fingerprints, expires, warned, authorities, gaps, slow, wasSlow)
}

const askLocations = `-- uptimedb.askLocations
UPDATE sites SET asked_at = $2, asked_by = $3, revision = $4 WHERE id = $1`

// ask makes the locations of some sites check at once.
func (b *checkBatch) ask(ctx context.Context) error {
	for _, c := range b.order {
		if !c.asked {
			continue
		}
		revision, err := b.t.nextRevision(ctx, 1)
		if err != nil {
			return err
		}
		if _, err := b.t.Exec(ctx, askLocations, c.number, db.Micros(c.AskedAt), string(c.AskedBy), revision); err != nil {
			return err
		}
	}
	return nil
}
