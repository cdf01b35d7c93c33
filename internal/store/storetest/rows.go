package storetest

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/dashboard"
	"sett/internal/sett/faults"
	"sett/internal/sett/forward"
	"sett/internal/sett/insight"
	"sett/internal/sett/scrub"
	"sett/internal/sett/stats"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/intakedb"
	"sett/internal/store/sourcemapdb"
)

// OwnedColumns lists the columns of the schema that say which project or fault a row belongs to.
var OwnedColumns = map[string]string{
	"sqlite": `SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c
		WHERE t.type = 'table' AND c.name IN ('project_id', 'fault_id') ORDER BY 1, 2`,
	"postgres": `SELECT table_name, column_name FROM information_schema.columns
		WHERE table_schema = 'public' AND column_name IN ('project_id', 'fault_id') ORDER BY 1, 2`,
}

func (d *Desk) Count(query string, ids ...int64) (n int64) {
	d.T.Helper()
	for some := range slices.Chunk(ids, 500) {
		list, args := db.In(d.DB, 1, some)
		var found int64
		if err := d.Read.QueryRowContext(d.T.Context(), query+list, args...).Scan(&found); err != nil {
			d.T.Fatal(err)
		}
		n += found
	}
	return n
}

func (d *Desk) FaultsOf(project int64) []int64 {
	d.T.Helper()
	ids, err := d.ListIDs(d.T.Context(), d.Read, `SELECT id FROM faults WHERE project_id = $1 UNION SELECT id FROM merged_faults WHERE project_id = $1 ORDER BY id`, project)
	if err != nil {
		d.T.Fatal(err)
	}
	return ids
}

// Compact compacts all notices into blocks of some sizes, and returns how many blocks it made.
func (d *Desk) Compact(now time.Time, sizes block.Sizes) int64 {
	d.T.Helper()
	usual := d.Blocks.Sizes
	d.Blocks.Sizes = sizes
	defer func() { d.Blocks.Sizes = usual }()
	if err := d.Intake.Settle(d.T.Context()); err != nil {
		d.T.Fatal(err)
	}
	done, err := d.Store.Compact(d.T.Context(), store.Purge{
		Now: func() time.Time { return now.Add(48 * time.Hour) }, Holder: "test", Rest: func(context.Context, time.Duration) error { return nil },
	})
	if err != nil {
		d.T.Fatal(err)
	}
	return done.Blocks
}

// NoteObjects gives blocks a row that says where their object is, without moving them there: so there are rows of both kinds.
func (d *Desk) NoteObjects() {
	d.T.Helper()
	d.Run(`INSERT INTO block_objects (block_id, project_id, object, bytes, pieces, users) SELECT id, project_id, 'of ' || id, 0, notices, notices FROM blocks
		WHERE id NOT IN (SELECT block_id FROM block_objects)`)
}

// Furnish gives a project a row in every table in which it can have one.
func (d *Desk) Furnish(project int64) {
	d.T.Helper()
	at := func(token byte) func(*faults.Report) {
		return func(r *faults.Report) { r.ProjectID, r.Token = project, sett.UUID{15: token} }
	}
	d.Record(Noon, accounts.Limits{}, d.Report("A", at(1)), d.Report("B", at(2)), d.Report("B", at(3)), d.Report("Merged", at(4)))
	d.Compact(Noon, block.Sizes{Most: 4, Least: 4})
	d.NoteObjects()
	d.Record(Noon, accounts.Limits{}, d.Report("A", at(5)), d.Report("B", at(6), func(r *faults.Report) { r.Message = "B happened again" }))
	refused := intakedb.Intake{Refused: []accounts.Refusal{{AccountID: d.AccountID, ProjectID: project, Outcome: accounts.InvalidNotice, Count: 1}}}
	if _, err := d.Intake.RecordNotices(d.T.Context(), Noon, accounts.Limits{}, refused); err != nil {
		d.T.Fatal(err)
	}
	d.Team(project, d.UserID)
	d.Run(`INSERT INTO integrations (id, project_id, type, active, events, site_ids, options, excluded_environments, filters, created_at)
		VALUES ($1, $2, 'WebHook', true, '[]', '[]', '{}', '[]', '[]', 0)`, 100+project, project)
	d.Run(`INSERT INTO deploys (project_id, environment, revision, repository, local_username, created_at) VALUES ($1, '', '', '', '', 0)`, project)
	d.Run(`INSERT INTO fault_links (fault_id, integration_id, data, created_at, updated_at) VALUES ($1, $2, '{}', 0, 0)`,
		d.FaultsOf(project)[0], 100+project)
	d.Run(`INSERT INTO personal_alerts (user_id, project_id, events, mentions, digest, digest_upto, updated_at) VALUES ($1, $2, '[]', true, 'off', 0, 0)`, d.UserID, project)
	d.Run(`INSERT INTO unsubscribe_links (user_id, project_id, key) VALUES ($1, $2, $3)`, d.UserID, project, []byte{1})
	d.Run(`INSERT INTO escalation_rules (integration_id, to_id, minutes) VALUES ($1, $1, 5)`, 100+project)
	d.Run(`INSERT INTO acknowledgements (project_id, subject, name, began_at, user_id, way, at) VALUES ($1, 'fault 1', 'A', 0, $2, 'page', 0)`, project, d.UserID)
	d.Happen(Noon, alerts.Alert{ProjectID: project, Event: alerts.AlertOccurred, Subject: "fault", FaultID: d.FaultsOf(project)[0]})
	d.Run(`INSERT INTO escalations (integration_id, subject, alert_id, began_at, due_at, sent_at, sent_to) SELECT $1, 'fault', max(id), 0, 0, 1, 0 FROM alerts WHERE project_id = $2`, 100+project, project)
	if _, err := d.Deliveries.TestIntegration(d.T.Context(), Noon, project, 100+project); err != nil {
		d.T.Fatal(err)
	}
	d.Run(`INSERT INTO floods (receiver, project_id, began_at, sent, held) VALUES ($1, $2, 0, 0, 0)`, string(alerts.IntegrationReceiver(100+project)), project)
	d.Run(`INSERT INTO grouping_changes (project_id, rules, joined, made_by, made_at) VALUES ($1, '', 0, $2, 0)`, project, d.UserID)
	d.Run(`INSERT INTO maintenance_windows (id, project_id, reason, starts_at, ends_at, until_ended, site_ids, check_in_ids, errors, created_at, updated_at)
		VALUES ($1, $2, '', 0, 1, false, '[]', '[]', false, 0, 0)`, 100+project, project)
	d.Run(`INSERT INTO held_alerts (alert_id, window_id, subject, event, integration_id, was_open) SELECT id, $1, subject, event, 0, false FROM alerts WHERE project_id = $2`, 100+project, project)
	d.Run(`INSERT INTO rate_alerts (fault_id, integration_id, at) VALUES ($1, $2, 0)`, d.FaultsOf(project)[0], 100+project)
	d.Run(`INSERT INTO fault_graves (fault_id, project_id, first_at, last_at) VALUES ($1, $2, 0, 0)`, d.FaultsOf(project)[1], project)
	d.Run(`INSERT INTO pending_work (kind, project_id, body, due_at) VALUES ('change faults', $1, '{"change":{"action":"unpause"}}', 0)`, project)
	d.Run(`INSERT INTO pause_conditions (fault_id, users, users_before, notices, per, created_at, created_by) VALUES ($1, 1, 0, 0, 0, 0, $2)`, d.FaultsOf(project)[0], d.UserID)
	d.Run(`INSERT INTO volume_spikes (fault_id, high_at) VALUES ($1, 0)`, d.FaultsOf(project)[0])
	if _, err := d.Uptime.CreateSite(d.T.Context(), Noon, project, checks.SiteChange{URL: sett.Some("https://example.test")}); err != nil {
		d.T.Fatal(err)
	}
	d.PingAt(Noon, d.CheckIn(project, Hourly("backup")))
	d.Run(`INSERT INTO check_in_aliases (hash, check_in) SELECT $2, number FROM check_ins WHERE project_id = $1`, project, []byte(strconv.FormatInt(project, 10)))
	d.Alarm(project)
	d.Run(`INSERT INTO alarm_changes (alarm, at, state, from_at, to_at, count, error, query, condition) SELECT number, 1, 'ok', 0, 0, 0, '', '', '' FROM alarms WHERE project_id = $1`, project)
	d.Run(`INSERT INTO alarm_results (alarm, at, count, note) SELECT number, 1, 0, '' FROM alarms WHERE project_id = $1`, project)
	d.Run(`INSERT INTO imported (source, host, kind, source_id, project_id, sett_id, record, state, count, last_at, complete)
		VALUES ('sentry', 'sentry.test', 'fault', $2, $1, 1, '{}', 'open', 1, 0, true)`, project, strconv.FormatInt(project, 10))
	d.Run(`INSERT INTO refused_check_ins (project_id, slug, reason, why, count, first_at, last_at) VALUES ($1, 'daily', 'invalid', '', 1, 0, 0)`, project)
	comment := faults.CommentChange{Body: sett.Some("Looks bad.")}
	if _, err := d.Faults.CreateComment(d.T.Context(), Noon, d.UserID, project, d.FaultsOf(project)[0], comment); err != nil {
		d.T.Fatal(err)
	}
	if _, err := d.Faults.AwaitEvent(d.T.Context(), Noon, Noon, faultdb.WaitingFeedback{ProjectID: project, Event: sett.UUID{15: 99}, Content: []byte("{}")}); err != nil {
		d.T.Fatal(err)
	}
	if err := d.Faults.Follow(d.T.Context(), Noon, d.UserID, project, d.FaultsOf(project)[1], true); err != nil {
		d.T.Fatal(err)
	}
	d.Share(project, d.FaultsOf(project)[0])
	if _, err := d.CreateErasure(d.T.Context(), Noon, d.UserID, project, scrub.ErasureChange{User: sett.Some("ines@example.test")}); err != nil {
		d.T.Fatal(err)
	}
	upload := sourcemapdb.Upload{ProjectID: project, Revision: "1", URL: "~/main.js", Map: []byte("{}"), Functions: []byte("f"), Files: []sourcemapdb.File{{URL: "~/a.js", Content: []byte("a")}}}
	if _, err := d.SourceMaps.Save(d.T.Context(), Noon, upload); err != nil {
		d.T.Fatal(err)
	}
	if err := d.SourceMaps.SaveChunk(d.T.Context(), Noon, sourcemapdb.Sender{AccountID: d.AccountID, ProjectID: project}, upload.Map); err != nil {
		d.T.Fatal(err)
	}
	d.Run(`INSERT INTO imports (account_id, made_by, settings, token, dry_run, state, progress, report, problem, claims, created_at, ended_at)
		VALUES ($1, $2, '{}', '', true, 'stopped', '{}', '', '', 0, 1, 1)`, d.AccountID, d.UserID)
	d.Run(`INSERT INTO directories (account_id, made_at, used_at, default_role, just_in_time, metadata_url, metadata, read_at, problem)
		VALUES ($1, 0, 0, 'Member', false, '', '', 0, '') ON CONFLICT (account_id) DO NOTHING`, d.AccountID)
	d.Run(`INSERT INTO domains (account_id, domain, proof, verified_at) VALUES ($1, 'example.test', 'p', 0) ON CONFLICT (account_id, domain) DO NOTHING`, d.AccountID)
	d.Run(`INSERT INTO directory_people (id, account_id, user_id, user_name, name_key, external_id, given_name, family_name, display_name, email, active, created_at, updated_at)
		VALUES ('p', $1, $2, 'a', 'a', '', '', '', '', '', true, 0, 0) ON CONFLICT (id) DO NOTHING`, d.AccountID, d.UserID)
	d.Run(`INSERT INTO directory_groups (id, account_id, name, external_id, role, created_at, updated_at) VALUES ('g', $1, 'g', '', '', 0, 0) ON CONFLICT (id) DO NOTHING`, d.AccountID)
	d.Run(`INSERT INTO directory_members (group_id, person_id) VALUES ('g', 'p') ON CONFLICT (group_id, person_id) DO NOTHING`)
	d.Run(`INSERT INTO configurations (account_id, version, salt, things, lease, holder, held_until, updated_at) VALUES ($1, 1, 's', '{}', '', '', 0, 1) ON CONFLICT (account_id) DO NOTHING`, d.AccountID)
	if err := d.Accounts.SetForwarding(d.T.Context(), Noon, project, forward.Target{Service: forward.Sentry, Base: "https://sentry.example.org", Project: "1", Key: "key"}, Noon.AddDate(0, 0, 30)); err != nil {
		d.T.Fatal(err)
	}
	if err := d.Accounts.AddForwarded(d.T.Context(), []forward.Day{{ProjectID: project, Day: accounts.Day(Noon), Sent: 1}}, nil); err != nil {
		d.T.Fatal(err)
	}
	if err := d.Intake.AddScrubbed(d.T.Context(), []scrub.Removed{{ProjectID: project, Day: accounts.Day(Noon), Kind: "name", Count: 1}}); err != nil {
		d.T.Fatal(err)
	}
	if err := d.Intake.AddDiscards(d.T.Context(), []stats.Discard{{ProjectID: project, Day: accounts.Day(Noon), Source: stats.ByClient, Category: "error", Reason: "sample_rate", Count: 1}}); err != nil {
		d.T.Fatal(err)
	}
	d.Attach(project, sett.UUID{15: 1}, "log.txt", "hello")
	d.Send(Noon, project, insight.Event{At: Noon.UnixMicro(), Fields: []insight.Field{insight.TextField("event_type", "order")}})
	d.Pack(Noon.Add(2 * time.Hour))
	d.Send(Noon.Add(10*time.Hour), project, insight.Event{At: Noon.UnixMicro(), Fields: []insight.Field{insight.TextField("event_type", "order")}})
	board, err := d.Dashboards.Create(d.T.Context(), Noon, project, dashboard.Settings{Title: "Requests"})
	if err != nil {
		d.T.Fatal(err)
	}
	if err := d.Dashboards.Share(d.T.Context(), Noon, d.UserID, project, board.ID, []byte(board.ID)); err != nil {
		d.T.Fatal(err)
	}
	d.Repository(project)
	d.Release(project, "1.0")
	d.Save(project, faults.SavedSearchChange{Name: sett.Some("Open")})
	faults := d.FaultsOf(project)
	merged := faults[len(faults)-1]
	d.Run(`INSERT INTO fault_links (fault_id, integration_id, data, created_at, updated_at) VALUES ($1, $2, '{}', 0, 0)`, merged, 100+project)
	if err := d.Faults.MergeFault(d.T.Context(), Noon, d.UserID, project, merged, triage.FaultMerge{IntoID: sett.Some(faults[0])}); err != nil {
		d.T.Fatal(err)
	}
}

// WantNoWholeTable says that a statement looks up what it reads.
func (d *Desk) WantNoWholeTable(text string, args ...any) {
	d.T.Helper()
	plan := d.Plan(d.Text(text), args...)
	for step := range strings.Lines(plan) {
		whole := strings.HasPrefix(strings.TrimSpace(step), "SCAN ")
		for _, small := range []string{"CONSTANT", "SCAN column", "SCAN k", "SCAN days", "SCAN d\n", "SCAN a ", "SCAN a\n", "SCAN (subquery", "ROW"} {
			whole = whole && !strings.Contains(step, small)
		}
		if whole {
			d.T.Errorf("%s\nreads a whole table:\n%s", text, plan)
		}
	}
}

// Needle is in every secret that hide stores, and nowhere else.
const Needle = "n33dle"
