package uptimedb

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/statusdb"
)

var insertSite = "-- uptimedb.CreateSite\nINSERT INTO sites (" + aSite.inserted().Names() + ") SELECT " + aSite.inserted().Parameters(2) + " FROM projects p WHERE p.id = $1 RETURNING id"

const insertSiteState = `-- uptimedb.insertSiteState
INSERT INTO site_states (site_id, state, changed_at, last_checked_at, failures, failing_since, cert_fingerprint, cert_not_after, cert_warned)
VALUES ($1, $2, 0, 0, 0, 0, '', 0, 0)`

// CreateSite creates a site of a project. The error is NotFound if there is no such project, and Invalid if a field is rejected.
func (s *Store) CreateSite(ctx context.Context, now time.Time, projectID int64, change checks.SiteChange) (site checks.Site, err error) {
	settings, err := change.Apply(checks.NewSiteSettings())
	if err != nil {
		return site, err
	}
	err = s.inTx(ctx, "create site", func(t Tx) error {
		t.KeepsCaches = true
		site, _, err = t.AddSite(ctx, now, projectID, settings)
		return err
	})
	return site, err
}

// AddSite creates a site with settings that were checked, and returns it with its number.
func (t Tx) AddSite(ctx context.Context, now time.Time, projectID int64, settings checks.SiteSettings) (site checks.Site, number int64, err error) {
	n := numberedSite{Site: checks.Site{ID: sett.NewUUID(db.RandomOf(ctx)), ProjectID: projectID, SiteSettings: settings, CreatedAt: now, UpdatedAt: now}}
	sealed, err := t.sealSite(ctx, n)
	if err != nil {
		return site, 0, err
	}
	row := t.QueryRowContext(ctx, t.s.db.Text(insertSite), sealed.inserted().Values(projectID)...)
	if err := row.Scan(&number); err != nil {
		return site, 0, db.NotFound(err, "Project", "insert site")
	}
	if _, err := t.Exec(ctx, insertSiteState, number, string(sett.SitePending)); err != nil {
		return site, 0, err
	}
	if err := t.retarget(ctx, number); err != nil {
		return site, 0, err
	}
	found, err := t.s.site(ctx, t, projectID, n.ID)
	return found.Site, number, err
}

// sealSite returns a site as it is written: users may put credentials into each of the fields that are encrypted.
func (t Tx) sealSite(ctx context.Context, n numberedSite) (sealed numberedSite, err error) {
	headers, err := json.Marshal(n.Headers)
	if err != nil {
		return n, err
	}
	if n.URL, err = t.Seal(ctx, accountdb.SealedURL, n.URL, n.ID); err != nil {
		return n, err
	}
	if n.headers, err = t.Seal(ctx, sealedHeaders, string(headers), n.ID); err != nil {
		return n, err
	}
	n.Body, err = t.Seal(ctx, sealedBody, n.Body, n.ID)
	return n, err
}

const lockSite = `-- uptimedb.lockSite
SELECT st.site_id FROM site_states st WHERE st.site_id = (SELECT s.id FROM sites s WHERE s.project_id = $1 AND s.uuid = $2) {{for update}}`

var updateSite = "-- uptimedb.UpdateSite\nUPDATE sites SET updated_at = $2, " + aSite.written().Set(3) + " WHERE id = $1"

// UpdateSite applies a change to a site, and makes every location check it at once. Its state and an outage stay until there is a new
// verdict, unless it pauses the site or ends its pause. The error is NotFound if the project has no such site; otherwise see CreateSite.
func (s *Store) UpdateSite(ctx context.Context, now time.Time, projectID int64, id sett.UUID, change checks.SiteChange) error {
	return s.inTx(ctx, "update site", func(t Tx) error {
		t.KeepsCaches = true
		return t.ChangeSite(ctx, now, projectID, id, change)
	})
}

// ChangeSite is UpdateSite in a transaction.
func (t Tx) ChangeSite(ctx context.Context, now time.Time, projectID int64, id sett.UUID, change checks.SiteChange) error {
	have, err := t.lockSite(ctx, projectID, id)
	if err != nil {
		return err
	}
	want, err := change.Apply(have.SiteSettings)
	if err != nil || want.Equal(have.SiteSettings) {
		return err
	}
	changed := have
	changed.SiteSettings = want
	sealed, err := t.sealSite(ctx, changed)
	if err != nil {
		return err
	}
	_, err = t.Exec(ctx, updateSite, sealed.written().Values(have.Number, db.Micros(now))...)
	if err != nil {
		return fmt.Errorf("update site: %w", err)
	}
	revise := t.bumpSiteRevision
	if want.Retargets(have.SiteSettings) {
		revise = t.retarget
	}
	if err := revise(ctx, have.Number); err != nil {
		return err
	}
	if err := t.pauseOrResume(ctx, now, have, want.Active); err != nil {
		return err
	}
	if err := t.changePace(ctx, now, have, want); err != nil {
		return err
	}
	return t.status().EvaluateShowing(ctx, now, statusdb.PagesShowingSites, []int64{have.Number})
}

const noteGap = `-- uptimedb.noteGap
UPDATE site_states SET gap = $2 WHERE site_id = $1`

const pendSite = `-- uptimedb.pendSite
UPDATE site_states SET state = $2, changed_at = $3 WHERE site_id = $1`

// pauseOrResume ends the outage of a site with its checks, and makes it pending when they begin again: what was found before says nothing
// of how the site does then. A paused site keeps its state.
func (t Tx) pauseOrResume(ctx context.Context, now time.Time, have numberedSite, active bool) error {
	if have.Active && !active {
		if err := t.beginGap(ctx, now, have); err != nil {
			return err
		}
	}
	switch {
	case have.Active && !active && have.State == sett.SiteDown:
		if _, err := t.closeOutage(ctx, have.Number, later(now, have.ChangedAt)); err != nil {
			return err
		}
		_, err := t.Exec(ctx, noteGap, have.Number, string(checks.GapPaused))
		return err
	case !have.Active && active:
		if _, err := t.Exec(ctx, pendSite, have.Number, string(sett.SitePending), db.Micros(now)); err != nil {
			return err
		}
		return t.forgetChecks(ctx, have.Number)
	}
	return nil
}

// lockSite locks a site against changes and against recording checks, and returns its current state.
func (t Tx) lockSite(ctx context.Context, projectID int64, id sett.UUID) (numberedSite, error) {
	if err := t.QueryRowContext(ctx, t.s.db.Text(lockSite), projectID, id[:]).Scan(new(int64)); err != nil {
		return numberedSite{}, db.NotFound(err, "Site", "lock site")
	}
	return t.s.site(ctx, t, projectID, id)
}

const askSite = `-- uptimedb.AskSite
UPDATE sites SET asked_at = $2, asked_by = '' WHERE id = $1`

// AskSite makes every location check a site at once. The error is NotFound if the project has no such site, and Invalid if it is not
// active.
func (s *Store) AskSite(ctx context.Context, now time.Time, projectID int64, id sett.UUID) error {
	return s.inTx(ctx, "ask site", func(t Tx) error {
		t.KeepsCaches = true
		have, err := t.lockSite(ctx, projectID, id)
		switch {
		case err != nil:
			return err
		case !have.Active:
			return sett.Errorf(sett.Invalid, "This site is not active. Make it active to have it checked.")
		}
		if _, err := t.Exec(ctx, askSite, have.Number, db.Micros(now)); err != nil {
			return err
		}
		return t.bumpSiteRevision(ctx, have.Number)
	})
}

const bumpSiteRevision = `-- uptimedb.bumpSiteRevision
UPDATE sites SET revision = $2 WHERE id = $1`

const retargetSite = `-- uptimedb.retargetSite
UPDATE sites SET revision = $2, target_revision = $2 WHERE id = $1`

const forgetVerdicts = `-- uptimedb.forgetVerdicts
DELETE FROM verdicts WHERE site_id = $1`

const forgetStreak = `-- uptimedb.forgetStreak
UPDATE site_states SET failures = 0, failing_since = 0 WHERE site_id = $1`

const forgetCertificate = `-- uptimedb.forgetCertificate
UPDATE site_states SET cert_fingerprint = '', cert_not_after = 0, cert_warned = 0, cert_authority = '' WHERE site_id = $1`

// bumpSiteRevision bumps the revision of a site, so that locations read its changes.
func (t Tx) bumpSiteRevision(ctx context.Context, number int64) error {
	revision, err := t.nextRevision(ctx, 1)
	if err != nil {
		return err
	}
	_, err = t.Exec(ctx, bumpSiteRevision, number, revision)
	return err
}

// forgetChecks forgets what the locations found last.
func (t Tx) forgetChecks(ctx context.Context, number int64) error {
	for _, statement := range []string{forgetVerdicts, forgetStreak} {
		if _, err := t.Exec(ctx, statement, number); err != nil {
			return err
		}
	}
	return nil
}

// retarget is bumpSiteRevision for a change that invalidates all earlier results.
func (t Tx) retarget(ctx context.Context, number int64) error {
	if err := t.forgetChecks(ctx, number); err != nil {
		return err
	}
	if _, err := t.Exec(ctx, forgetCertificate, number); err != nil {
		return err
	}
	revision, err := t.nextRevision(ctx, 1)
	if err != nil {
		return err
	}
	_, err = t.Exec(ctx, retargetSite, number, revision)
	return err
}
