package demo

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/base/progress"
	"sett/internal/base/seal"
	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/setttest/pgcluster"
	"sett/internal/store"
	"sett/internal/store/accountdb"
)

// onEngines runs a test with an empty database of each engine.
func onEngines(t *testing.T, f func(t *testing.T, engine string, fresh func() (*store.Store, *sql.DB))) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			f(t, engine, func() (*store.Store, *sql.DB) {
				if engine == "sqlite" {
					s, dir := newStore(t, "")
					return s, open(t, "sqlite", "file:"+dir+"/sett.db")
				}
				address := pgcluster.Postgres(t)
				s, _ := newStore(t, address)
				return s, open(t, "pgx", address)
			})
		})
	}
}

func open(t *testing.T, driver, address string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// secret are columns with random values that are not shown.
var secret = map[string][]string{
	"deliveries":   {"claimed_by"},
	"nodes":        {"holder", "process"},
	"secret_keys":  {"id"},
	"status_pages": {"domain_secret", "password_key"},
}

// dump returns every table but those of the engines and of the schema's versions, row by row in an order of its own.
func dump(t *testing.T, engine string, db *sql.DB) map[string][]string {
	t.Helper()
	names := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'goose_db_version'"
	if engine == "postgres" {
		names = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'goose_db_version'"
	}
	tables := map[string][]string{}
	for _, name := range texts(t, db, names) {
		_, table, _ := strings.Cut(name[0], "=")
		tables[table] = nil
	}
	for name := range tables {
		for _, row := range texts(t, db, "SELECT * FROM "+name, secret[name]...) {
			tables[name] = append(tables[name], strings.Join(row, "|"))
		}
		slices.Sort(tables[name])
	}
	return tables
}

// texts returns the rows of a query without some columns.
func texts(t *testing.T, db *sql.DB, query string, without ...string) (all [][]string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, dst := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			dst[i] = &values[i]
		}
		if err := rows.Scan(dst...); err != nil {
			t.Fatal(err)
		}
		var row []string
		for i, v := range values {
			if !slices.Contains(without, columns[i]) {
				row = append(row, fmt.Sprintf("%s=%v", columns[i], unsealed(v)))
			}
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// unsealed returns a value, and of one that is encrypted its length, which is the same for the same text: each store has a key
// of its own.
func unsealed(v any) any {
	if text := fmt.Sprintf("%s", v); strings.HasPrefix(text, seal.Prefix) {
		return fmt.Sprintf("encrypted, of %d bytes", len(text))
	}
	return v
}

// emptyBecause says why a table of a demo has no rows.
var emptyBecause = map[string]string{
	"acknowledgements":             "no person has looked yet",
	"escalation_rules":             "no channel sends on",
	"escalations":                  "no channel sends on",
	"repositories":                 "its programs are in no repository",
	"repository_work":              "its programs are in no repository",
	"changes":                      "its programs are in no repository",
	"branch_commits":               "its programs are in no repository",
	"fixes":                        "its programs are in no repository",
	"suspects":                     "its programs are in no repository",
	"dashboard_shares":             "no dashboard is shared",
	"forwards":                     "no project moves from another service",
	"forward_days":                 "no project moves from another service",
	"imported":                     "nothing moved in",
	"check_in_aliases":             "nothing moved in",
	"configurations":               "no file was applied",
	"connections":                  "no program has asked for access",
	"import_runs":                  "nothing moved in",
	"imports":                      "nothing moved in",
	"agent_streams":                "agents of a demo upload nothing",
	"blind_windows":                "its server was never away",
	"certificates":                 "a demo has no domain",
	"merged_faults":                "no faults are merged",
	"merged_links":                 "no faults are merged",
	"pause_conditions":             "pauses of a demo end by time or count",
	"challenges":                   "no passkey is being used",
	"check_in_days":                "no check-in has turned often enough to be folded",
	"blocks":                       "notices are compacted by a running server",
	"block_filters":                "notices are compacted by a running server",
	"block_parts":                  "notices are compacted by a running server",
	"block_payloads":               "notices are compacted by a running server",
	"block_tallies":                "notices are compacted by a running server",
	"block_objects":                "a demo has no object storage",
	"dead_objects":                 "a demo has no object storage",
	"object_keys":                  "a demo has no object storage",
	"held_alerts":                  "no maintenance window is active",
	"erasures":                     "no affected user was erased",
	"old_notices":                  "no earlier version has stored anything in it",
	"login_failures":               "no password was wrong",
	"login_steps":                  "no user is signing in",
	"mails":                        "all were dropped, because a demo sends nothing",
	"nodes":                        "there are nodes on PostgreSQL alone",
	"notice_tokens":                "its clients send no tokens",
	"oidc_identities":              "a demo has no issuer",
	"directories":                  "a demo has no directory",
	"domains":                      "likewise",
	"directory_people":             "likewise",
	"directory_groups":             "likewise",
	"directory_members":            "likewise",
	"passkeys":                     "no device exists for one",
	"password_resets":              "no user has asked for one",
	"rate_windows":                 "the API has had no requests yet",
	"site_graves":                  "no site was deleted",
	"status_notices":               "all updates were sent",
	"status_subscriber_components": "no subscriber of a short history chooses",
	"volume_spikes":                "a short history has too few notices for one",
	"fault_graves":                 "what is deleted is gone",
	"waiting_feedback":             "its users write about events that are stored",
	"pending_work":                 "what was begun is finished",
	"pending_lots":                 "what was begun is finished",
	"floods":                       "windows that are over are closed",

	"attachments": "its clients attach no files",
	"discards":    "its clients discard nothing",

	"refused_check_ins": "its jobs report what sett accepts",

	"source_files":      "its programs are not minified",
	"source_maps":       "its programs are not minified",
	"source_map_files":  "its programs are not minified",
	"source_map_totals": "its programs are not minified",
	"upload_chunks":     "they are kept for a day at most",
	"grouping_changes":  "its errors need no rules",
}

func TestSameSeedSameHistory(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	onEngines(t, func(t *testing.T, engine string, fresh func() (*store.Store, *sql.DB)) {
		var dumps []map[string][]string
		var made []Summary
		seeds := []uint64{1, 1, 2}
		if engine != "sqlite" {
			seeds = seeds[:2] // what another seed changes is the same on all engines
		}
		for _, seed := range seeds {
			s, db := fresh()
			sum, err := Fill(t.Context(), s, Options{Seed: seed, Now: noon, Short: true})
			if err != nil {
				t.Fatal(err)
			}
			dumps, made = append(dumps, dump(t, engine, db)), append(made, sum)
		}
		if diff := cmp.Diff(made[0], made[1]); diff != "" {
			t.Errorf("the same seed names other things (-first +second):\n%s", diff)
		}
		for name, rows := range dumps[0] {
			if diff := cmp.Diff(rows, dumps[1][name]); diff != "" {
				t.Errorf("the same seed makes another table %s (-first +second):\n%.2000s", name, diff)
			}
			if len(rows) == 0 && emptyBecause[name] == "" {
				t.Errorf("table %s is empty, and nothing says why", name)
			}
		}
		for _, name := range []string{"accounts", "faults", "notices", "sites", "deploys", "check_in_events", "audit_log"} {
			if len(dumps) > 2 && cmp.Equal(dumps[0][name], dumps[2][name]) {
				t.Errorf("another seed makes the same table %s", name)
			}
		}
		wantSummary(t, fmt.Sprint(dumps[0]), made[0])
	})
}

func wantSummary(t *testing.T, _ string, s Summary) {
	t.Helper()
	if s.Notices < 1000 || s.Faults < 40 || len(s.ProjectIDs) != 5 || s.FaultID == 0 || s.PausedID == 0 || s.SiteID.IsZero() || s.CheckInID == "" || s.IntegrationID == 0 || s.AlertID == 0 || s.StatusPageID == "" {
		t.Errorf("a summary lacks something: %+v", s)
	}
}

func TestScale(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	var made []Summary
	for _, scale := range []int{1, 2} {
		s, _ := newStore(t, "")
		ctx, ended := progress.Record(t.Context())
		sum, err := Fill(ctx, s, Options{Seed: 4, Now: noon, Scale: scale, Short: true})
		if err != nil {
			t.Fatal(err)
		}
		if steps := ended(); len(steps) == 0 || steps[0].What != "creating the sample data" || steps[0].Done < 99 {
			t.Errorf("progress ended at %+v", steps)
		}
		made = append(made, sum)
	}
	for what, of := range map[string]float64{
		"notices": float64(made[1].Notices) / float64(made[0].Notices), "faults": float64(made[1].Faults) / float64(made[0].Faults),
	} {
		if of < 1.5 || of > 2.5 {
			t.Errorf("with twice the scale there are %.2f times the %s", of, what)
		}
	}
}

func TestStoreInUse(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t, "")
	if _, _, err := s.Accounts.CreateAccount(t.Context(), noon, "Real", accountdb.NewUser{Email: "ann@example.test", Name: "Ann"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Fill(t.Context(), s, Options{Now: noon}); sett.CodeOf(err) != sett.Conflict {
		t.Errorf("a store in use: %v, want a conflict", err)
	}
	for _, o := range []Options{{}, {Now: noon, Scale: -1}, {Now: noon, Scale: MostScale + 1}} {
		if _, err := Fill(t.Context(), s, o); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("options %+v: %v, want them refused", o, err)
		}
	}
}

// The options of integrations are those that their kinds take, and lead nowhere.
func TestIntegrationsAreOfTheirKinds(t *testing.T) {
	t.Parallel()
	for _, plan := range integrationPlans() {
		kind, ok := channel.Find(plan.kind)
		if !ok {
			t.Errorf("there is no kind %s", plan.kind)
			continue
		}
		var p sett.Problems
		kind.Apply(&p, nil, change[map[string]any]("%s", plan.options))
		if err := p.Err(); err != nil || kind.Tracker != plan.isTracker {
			t.Errorf("%s: %v, tracker %t", plan.kind, err, kind.Tracker)
		}
	}
}
