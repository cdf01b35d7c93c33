package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/insight"
	"sett/internal/sett/repo"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

// A table that is added to the schema needs a line in Bounds, which says what keeps it from growing without end.
func TestEveryTableHasABound(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		query := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'`
		if !s.SQLite() {
			query = `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`
		}
		var tables, bound []string
		rows, err := s.Read.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			if name != "goose_db_version" {
				tables = append(tables, name)
			}
		}
		for _, b := range store.Bounds() {
			bound = append(bound, b.Table)
			if b.Holds == "" || b.Until == "" || b.Keep > 0 && b.By == "" {
				t.Errorf("the bound of %s says too little: %+v", b.Table, b)
			}
		}
		slices.Sort(tables)
		slices.Sort(bound)
		if diff := cmp.Diff(tables, bound); diff != "" {
			t.Errorf("Bounds lack tables, or have some that are none (-schema +bounds):\n%s", diff)
		}
	})
}

// atYear writes rows of every table that is bounded by age, all of the same moment. $1 is the moment in µs, $2 a number that no
// other moment has. Notices are recorded.
var atYear = map[string]string{
	"refusals":            `INSERT INTO refusals (account_id, day, project_id, node, ignored, limited, invalid) SELECT account_id, $1 / 86400000000 * 86400000000, id, $2, 1, 0, 0 FROM projects`,
	"deploys":             `INSERT INTO deploys (project_id, environment, revision, repository, local_username, created_at) SELECT id, 'production', CAST($2 AS text), '', '', $1 FROM projects`,
	"releases":            `INSERT INTO releases (project_id, version, created_at, active_at, released_at, ref, url, first_seen_at, last_seen_at, events) SELECT id, CAST($2 AS text), $1, $1, 0, '', '', 0, 0, 0 FROM projects`,
	"release_commits":     `INSERT INTO release_commits (project_id, version, position, sha, message, author, email, at) SELECT id, CAST($2 AS text), 0, 'a', '', '', '', $1 FROM projects`,
	"release_faults":      `INSERT INTO release_faults (project_id, version, event, fault_id, at) SELECT id, CAST($2 AS text), 'new', 1, $1 FROM projects`,
	"changes":             `INSERT INTO changes (repository_id, number, title, url, state, draft, branch, target, from_fork, head_sha, merge_sha, author, checks, checked_at, updated_at, merged_at) SELECT id, $2, '', '', 'merged', false, '', '', false, '', '', '', '', 0, $1, $1 FROM repositories`,
	"branch_commits":      `INSERT INTO branch_commits (repository_id, sha, message, author, email, at, url, files, is_head, heard_at) SELECT id, CAST($2 AS text), '', '', '', 0, '', '', true, $1 FROM repositories`,
	"fixes":               `INSERT INTO fixes (repository_id, fault_id, number, sha, project_id, branch, title, author, url, fixes, by_hand, state, landed_sha, reverted_by, release, created_at) SELECT id, 1, 0, CAST($2 AS text), project_id, '', '', '', '', true, false, '', '', '', '', $1 FROM repositories`,
	"release_hours":       `INSERT INTO release_hours (project_id, version, environment, at, total, errored, crashed, abnormal) SELECT id, CAST($2 AS text), 'production', $1, 1, 0, 0, 0 FROM projects`,
	"acknowledgements":    `INSERT INTO acknowledgements (project_id, subject, name, began_at, way, at) SELECT id, CAST($2 AS text), '', 0, 'page', $1 FROM projects`,
	"alerts":              `INSERT INTO alerts (project_id, event, subject, fault_id, environment, integration_id, at, created_at, facts, spread) SELECT id, 'deployed', '', 0, '', $2, $1, $1, '{}', true FROM projects`,
	"deliveries":          `INSERT INTO deliveries (alert_id, receiver, event, subject, state, due_at, tries, created_at, done_at, problem) SELECT max(id), 'x', 'deployed', '', 'sent', 0, $2, $1, $1, '' FROM alerts`,
	"attempts":            `INSERT INTO attempts (delivery_id, number, at, duration, status, problem) SELECT max(id), $2, $1, 1, 200, '' FROM deliveries`,
	"mails":               `INSERT INTO mails (recipient, kind, fields, created_at, due_at, tries, given_up, problem) VALUES ('a@example.test', 'reset', '{}', $1, $1 + 604800000000, $2, true, '')`,
	"check_in_events":     `INSERT INTO check_in_events (check_in, kind, at, payload) SELECT number, 'success', $1, CAST($2 AS text) FROM check_ins`,
	"check_in_turns":      `INSERT INTO check_in_turns (check_in, at, state) SELECT number, $1, CASE $2 % 2 WHEN 0 THEN 'reporting' ELSE 'missing' END FROM check_ins`,
	"alarm_changes":       `INSERT INTO alarm_changes (alarm, at, state, from_at, to_at, count, error, query, condition) SELECT number, $1, 'ok', 0, 0, 0, '', '', '' FROM alarms`,
	"blind_windows":       `INSERT INTO blind_windows (from_at, to_at) VALUES ($1 - $2, $1)`,
	"uptime_checks":       `INSERT INTO uptime_checks (site_id, location, status, at, duration, up, reason) SELECT id, 1, 200, $1, CAST($2 AS integer), true, '' FROM sites`,
	"outages":             `INSERT INTO outages (site_id, down_at, up_at, created_at, status, reason, headers, location, phase, body) SELECT id, $1 - $2, $1, $1, 0, '', '{}', '', '', '' FROM sites`,
	"site_gaps":           `INSERT INTO site_gaps (site_id, from_at, to_at) SELECT id, $1 - 1, $1 FROM sites`,
	"slow_spells":         `INSERT INTO slow_spells (site_id, slow_at, fast_at, created_at, slow_after, took, ending) SELECT id, $1 - $2, $1, $1, 800, 0, 'fast' FROM sites`,
	"cert_warnings":       `INSERT INTO cert_warnings (site_id, fingerprint, threshold, at) SELECT id, '', $2, $1 FROM sites`,
	"site_graves":         `INSERT INTO site_graves (revision, uuid, site_id, at, swept) VALUES ($2, '', 0, $1, true)`,
	"agent_streams":       `INSERT INTO agent_streams (agent_id, stream, sequence, at) SELECT id, CAST($2 AS text), 1, $1 FROM agents`,
	"status_incidents":    `INSERT INTO status_incidents (page, kind, name, status, automatic, starts_at, ends_at, resolved_at, due_at, created_at, updated_at) SELECT number, 'incident', CAST($2 AS text), 'resolved', true, $1, 0, $1, 0, $1, $1 FROM status_pages`,
	"status_subscribers":  `INSERT INTO status_subscribers (page, kind, address, token, secret, confirmed_at, created_at, problem, failing_at) SELECT number, 'email', CAST($2 AS text), CAST($2 AS text), '', 0, $1, '', 0 FROM status_pages`,
	"audit_log":           `INSERT INTO audit_log (account_id, at, user_id, user_name, user_email, token, action, subject, target, query, changes, address, user_agent) SELECT id, $1, $2, '', '', '', 'x', '', '{}', '{}', '{}', '', '' FROM accounts`,
	"invitations":         `INSERT INTO invitations (account_id, token, email, role, admin, message, created_at) SELECT id, CAST($2 AS text), 'a@example.test', 'Member', false, '', $1 FROM accounts`,
	"forward_days":        `INSERT INTO forward_days (project_id, day, sent, refused, failed, dropped, errors) SELECT id, $1 / 86400000000 * 86400000000, 1, 0, 0, 0, 1 FROM projects`,
	"scrubbed":            `INSERT INTO scrubbed (project_id, day, kind, count) SELECT id, $1 / 86400000000 * 86400000000, 'name', 1 FROM projects`,
	"discards":            `INSERT INTO discards (project_id, day, source, category, reason, count) SELECT id, $1 / 86400000000 * 86400000000, 'client', 'error', 'sample_rate', 1 FROM projects`,
	"refused_check_ins":   `INSERT INTO refused_check_ins (project_id, slug, reason, why, count, first_at, last_at) SELECT id, CAST($2 AS text), 'invalid', '', 1, $1, $1 FROM projects`,
	"attachments":         `INSERT INTO attachments (project_id, notice_id, hash, name, type, bytes, stored, body) SELECT p.id, max(n.id), {{hash}}, 'a', '', 1, 1, {{hash}} FROM projects p CROSS JOIN notices n GROUP BY p.id`,
	"source_files":        `INSERT INTO source_files (project_id, hash, bytes, stored, body) SELECT id, {{hash}}, $2, 1, {{hash}} FROM projects`,
	"source_maps":         `INSERT INTO source_maps (project_id, debug_id, revision, url, wild, file_id, sources, contained, created_at, used_at) SELECT project_id, '', CAST($2 AS text), '', false, id, 0, 0, $1, $1 FROM source_files WHERE bytes = $2`,
	"source_map_files":    `INSERT INTO source_map_files (map_id, url, file_id) SELECT id, 'a', file_id FROM source_maps WHERE created_at = $1`,
	"upload_chunks":       `INSERT INTO upload_chunks (account_id, user_id, project_id, hash, bytes, stored, created_at, body) SELECT id, 1, 0, {{hash}}, 1, 1, $1, {{hash}} FROM accounts`,
	"sessions":            `INSERT INTO sessions (hash, user_id, how, created_at, last_seen_at, address, user_agent) SELECT {{hash}}, id, 'password', $1, $1, '', '' FROM users`,
	"login_steps":         `INSERT INTO login_steps (hash, user_id, how, expires_at) SELECT {{hash}}, id, 'password', $1 + 600000000 FROM users`,
	"password_resets":     `INSERT INTO password_resets (hash, user_id, expires_at) SELECT {{hash}}, id, $1 + 3600000000 FROM users`,
	"challenges":          `INSERT INTO challenges (hash, purpose, state, expires_at) VALUES ({{hash}}, 'x', '', $1 + 300000000)`,
	"maintenance_windows": `INSERT INTO maintenance_windows (project_id, reason, starts_at, ends_at, until_ended, site_ids, check_in_ids, errors, created_at, updated_at, settled_at) SELECT id, '', $1, $1, false, '[]', '[]', false, $1, $1, $1 FROM projects`,
	"waiting_feedback":    `INSERT INTO waiting_feedback (project_id, event, feedback, content, due_at, ends_at) SELECT id, {{hash}}, {{hash}}, {{hash}}, 0, $1 + 604800000000 FROM projects`,
	"login_failures":      `INSERT INTO login_failures (key, count, wait_until) VALUES ({{hash}}, 1, $1)`,
}

// oldestOf says how many rows there are of a table that is bounded by age, and when the oldest was written, in µs.
var oldestOf = map[string]string{
	"notices":             `id / 2048 FROM notices`,
	"bundles":             `id / 2048 FROM bundles`,
	"bundle_facets":       `bundle_id / 2048 FROM bundle_facets`,
	"bundle_filters":      `bundle_id / 2048 FROM bundle_filters`,
	"blocks":              `id / 2048 FROM blocks`,
	"block_payloads":      `block_id / 2048 FROM block_payloads`,
	"block_parts":         `block_id / 2048 FROM block_parts`,
	"block_objects":       `block_id / 2048 FROM block_objects`,
	"block_filters":       `block_id / 2048 FROM block_filters`,
	"block_tallies":       `block_id / 2048 FROM block_tallies`,
	"fault_notices":       `id / 2048 FROM fault_notices`,
	"notice_tokens":       `notice_id / 2048 FROM notice_tokens`,
	"fault_users":         `CAST(name AS bigint) FROM fault_users`,
	"fault_messages":      `last_id / 2048 FROM fault_messages WHERE last_id > 0`,
	"named_buckets":       `at * 1000000 FROM named_buckets`,
	"backtraces":          `seen_on FROM backtraces`,
	"fault_buckets":       `at * 1000000 FROM fault_buckets WHERE width = 3600`,
	"minutes of faults":   `at * 1000000 FROM fault_buckets WHERE width = 60`,
	"project_buckets":     `at * 1000000 FROM project_buckets WHERE width = 60`,
	"ledger":              `day FROM ledger`,
	"forward_days":        `day FROM forward_days`,
	"scrubbed":            `day FROM scrubbed`,
	"maintenance_windows": `settled_at FROM maintenance_windows`,
	"discards":            `day FROM discards`,
	"refused_check_ins":   `last_at FROM refused_check_ins`,
	"attachments":         `notice_id / 2048 FROM attachments`,
	"refusals":            `day FROM refusals`,
	"deploys":             `created_at FROM deploys`,
	"releases":            `created_at FROM releases`,
	"release_commits":     `at FROM release_commits`,
	"release_faults":      `at FROM release_faults`,
	"changes":             `updated_at FROM changes`,
	"branch_commits":      `heard_at FROM branch_commits`,
	"fixes":               `created_at FROM fixes`,
	"release_hours":       `at FROM release_hours`,
	"acknowledgements":    `at FROM acknowledgements`,
	"alerts":              `created_at FROM alerts`,
	"deliveries":          `created_at FROM deliveries`,
	"attempts":            `at FROM attempts`,
	"mails":               `created_at FROM mails`,
	"check_in_events":     `at FROM check_in_events`,
	"check_in_turns":      `at FROM check_in_turns`,
	"check_in_days":       `day FROM check_in_days`,
	"alarm_changes":       `at FROM alarm_changes`,
	"blind_windows":       `to_at FROM blind_windows`,
	"uptime_checks":       `at FROM uptime_checks`,
	"outages":             `up_at FROM outages`,
	"site_gaps":           `to_at FROM site_gaps`,
	"slow_spells":         `fast_at FROM slow_spells`,
	"cert_warnings":       `at FROM cert_warnings`,
	"site_graves":         `at FROM site_graves`,
	"agent_streams":       `at FROM agent_streams`,
	"status_incidents":    `resolved_at FROM status_incidents WHERE automatic`,
	"status_subscribers":  `created_at FROM status_subscribers`,
	"source_maps":         `created_at FROM source_maps`,
	"source_files":        `m.created_at FROM source_files f LEFT JOIN source_maps m ON m.file_id = f.id`,
	"source_map_files":    `m.created_at FROM source_map_files f JOIN source_maps m ON m.id = f.map_id`,
	"upload_chunks":       `created_at FROM upload_chunks`,
	"insight_chunks":      `last_at FROM insight_chunks`,
	"insight_parts":       `c.last_at FROM insight_parts p LEFT JOIN insight_chunks c ON c.id = p.chunk_id`,
	"insight_filters":     `c.last_at FROM insight_filters f LEFT JOIN insight_chunks c ON c.id = f.chunk_id`,
	"insight_days":        `day FROM insight_days`,
	"audit_log":           `at FROM audit_log`,
	"invitations":         `created_at FROM invitations`,
	"sessions":            `last_seen_at FROM sessions`,
	"login_steps":         `expires_at FROM login_steps`,
	"password_resets":     `expires_at FROM password_resets`,
	"challenges":          `expires_at FROM challenges`,
	"waiting_feedback":    `ends_at FROM waiting_feedback`,
	"login_failures":      `wait_until FROM login_failures`,
}

// use writes a row into every table that is bounded by age.
func (d *desk) use(now time.Time, n int) {
	d.T.Helper()
	name := fmt.Sprint(db.Micros(now))
	d.Record(now, accounts.Limits{}, inOneBundle(d.Report("E"+name, byUser(name)), d.Report("E", byUser(name), func(r *faults.Report) {
		r.Token, r.Message = sett.UUID{14: byte(n >> 8), 15: byte(n)}, name
	}))...)
	d.Send(now, d.ProjectID, insight.Event{At: now.UnixMicro(), Fields: []insight.Field{insight.TextField("event_type", name)}})
	hash := fmt.Sprintf(`x'%08x'`, n)
	if !d.SQLite() {
		hash = fmt.Sprintf(`'\x%08x'::bytea`, n)
	}
	for _, b := range store.Bounds() {
		if statement := atYear[b.Table]; statement != "" {
			d.Run(strings.NewReplacer("$1", fmt.Sprint(db.Micros(now)), "$2", fmt.Sprint(n), "{{hash}}", hash).Replace(statement))
		}
	}
}

// tidy does what all jobs do that delete what is old.
func (d *desk) tidy(now time.Time) {
	d.T.Helper()
	ctx := d.T.Context()
	d.Compact(now, block.Sizes{Most: 8, Least: 8})
	d.NoteObjects()
	d.Pack(now)
	d.purged(now)
	_, err := d.RewriteBlocks(ctx, purgeAt(now))
	_, failed := d.PurgeInsights(ctx, purgeAt(now))
	var more bool
	err = errors.Join(
		failed,
		err,
		d.PurgeHistories(ctx, purgeAt(now)), d.Uptime.PruneCheckIns(ctx, now), d.Alarms.Prune(ctx, now), d.Repos.Prune(ctx, now), d.Uptime.RollUpChecks(ctx, now),
		d.Uptime.PruneChecks(ctx, accounts.Day(now.Add(-30*days))), d.Uptime.ForgetSites(ctx, now), d.Uptime.ForgetStreams(ctx, now),
		d.Outbox.ForgetMails(ctx, now), d.Faults.ForgetWaiting(ctx, now), d.Status.ForgetSubscribers(ctx, now),
	)
	for more = true; more && err == nil; {
		more, err = d.Deliveries.PruneAlerts(ctx, now.Add(-30*days), 100)
	}
	for more = true; more && err == nil; {
		more, err = d.Deliveries.PruneAcknowledgements(ctx, now.Add(-accounts.KeepHistory), 100)
	}
	for more = true; more && err == nil; {
		more, err = d.Deliveries.PruneMaintenance(ctx, now.Add(-accounts.KeepHistory), 100)
	}
	if err != nil {
		d.T.Fatal(err)
	}
}

func TestAYearOfUse(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		c := d.CheckIn(d.ProjectID, storetest.Hourly("job"))
		d.Alarm(d.ProjectID)
		if _, err := s.Repos.Create(t.Context(), storetest.Noon, d.ProjectID, repo.RepositoryChange{URL: sett.Some("https://github.com/acme/shop")}); err != nil {
			t.Fatal(err)
		}
		d.PageNamed("page", c, d.Site(d.ProjectID))
		d.Agent("London", storetest.Noon)
		const step, steps = 3, 145
		now := storetest.Noon
		for n := range steps {
			now = storetest.Noon.Add(time.Duration(n*step) * days)
			d.use(now, n+1)
			if n%20 == 19 || n == steps-1 { // a server that was down in between
				d.FanOut(now)
				d.tidy(now.Add(time.Hour))
			}
		}
		for _, b := range store.Bounds() {
			if b.Keep > 0 {
				d.wantBounded(b.Table, b.Keep, now, step, steps)
			}
		}
		d.wantBounded("minutes of faults", accounts.KeepMinutes, now, step, steps)
		if got := d.Numbers(`SELECT count(*), CAST(sum(notices_count) AS bigint) FROM fault_counts`, 2); !cmp.Equal(got, []int64{steps + 1, 2 * steps}) {
			t.Errorf("%v faults and notices are counted, want %d and %d", got, steps+1, 2*steps)
		}
		if got := d.Numbers(`SELECT CAST(sum(count) AS bigint) FROM fault_buckets WHERE width = 86400`, 1)[0]; got != 2*steps {
			t.Errorf("the days of faults count %d notices, want %d", got, 2*steps)
		}
	})
}

// wantBounded wants rows of a table to be gone, and none of the others to be older than it keeps them, by more than the day that
// is dropped as a whole and the last that may stay.
func (d *desk) wantBounded(table string, keep time.Duration, now time.Time, step, steps int) {
	d.T.Helper()
	query := oldestOf[table]
	if query == "" {
		d.T.Errorf("%s goes by age, and the test writes none of it", table)
		return
	}
	at, from, _ := strings.Cut(query, " FROM ")
	got := d.Numbers(fmt.Sprintf("SELECT count(*), coalesce(min(%s), 0) FROM %s", at, from), 2)
	count, oldest := got[0], db.FromMicros(got[1])
	if count == 0 {
		if keep > 2*store.OneDay {
			d.T.Errorf("%s: nothing is left", table)
		}
		return
	}
	if age := now.Sub(oldest); age > keep+time.Duration(step+1)*days {
		d.T.Errorf("%s: the oldest of %d is %.1f days old, more than %.1f", table, count, age.Hours()/24, keep.Hours()/24)
	}
	if first := storetest.Noon.Add(time.Duration(step) * days); oldest.Before(first) {
		d.T.Errorf("%s: nothing of it went in %d days", table, step*steps)
	}
}
