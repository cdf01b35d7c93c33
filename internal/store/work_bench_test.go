package store_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
	"sett/internal/store/work"
)

// fillFaults gives a project so many open faults, each with a day of counts, assigned to a user.
func (d *desk) fillFaults(n int, project, assignee int64) {
	d.T.Helper()
	key := `CAST(CAST(i AS text) AS bytea)`
	if d.SQLite() {
		key = `CAST(CAST(i AS text) AS blob)`
	}
	for _, statement := range []string{
		`INSERT INTO faults (project_id, key, environment, class, component, action, message, tags, grouping_inputs, created_at, resolved, ignored, resolve_on_deploy, assignee_id, paused_until, paused_count, comments_count)
			WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
			SELECT $2, ` + key + `, 'production', 'E' || i, 'c', 'a', 'It broke', '', '{}', $3 + i, false, false, false, $4, 0, 0, 0 FROM n`,
		`INSERT INTO fault_counts (fault_id, project_id, notices_count, last_notice_at, paused_count, resumes_at)
			SELECT id, project_id, 1, created_at, 0, 0 FROM faults WHERE project_id = $2 ON CONFLICT DO NOTHING`,
		`INSERT INTO fault_buckets (width, at, fault_id, count) SELECT 86400, $3 / 86400000000 * 86400, id, 1 FROM faults WHERE project_id = $2 ON CONFLICT DO NOTHING`,
	} {
		d.Run(strings.NewReplacer("$1", fmt.Sprint(n), "$2", fmt.Sprint(project), "$3", fmt.Sprint(db.Micros(storetest.Noon)), "$4", fmt.Sprint(assignee)).Replace(statement))
	}
}

// BenchmarkWork does to 200,000 faults (SETT_BENCH_FAULTS) what touches all of them (SETT_BENCH_STEPS), and reports how long the notices of another project wait
// meanwhile, how long the answer takes, and how long all of it.
func BenchmarkWork(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("SETT_BENCH_FAULTS"))
	if err != nil {
		n = 200_000
	}
	for _, engine := range []struct {
		name string
		open func() *store.Store
	}{
		{"sqlite", func() *store.Store { return storetest.OpenSQLite(b) }},
		{"postgres", func() *store.Store { return storetest.OpenTest(b, db.Options{Database: storetest.FreshPostgres(b)}) }},
	} {
		b.Run(engine.name, func(b *testing.B) {
			for b.Loop() {
				d := newDesk(b, engine.open())
				d.measureWork(b, n)
			}
		})
	}
}

func (d *desk) measureWork(b *testing.B, n int) {
	ctx, other, mia := b.Context(), d.Project("Other").ID, d.User("Mia", accounts.Admin)
	d.fillFaults(n, d.ProjectID, mia)
	at := storetest.Noon.Add(time.Hour)
	next := func() time.Time { at = at.Add(time.Minute); return at }
	change := func(c triage.BulkChange) error {
		_, err := d.Search.ChangeFaults(ctx, next(), d.UserID, d.ProjectID, searchdb.Choice{}, c)
		return err
	}
	d.measureWaits(b, "nothing", other, func() error { time.Sleep(2 * time.Second); return nil })
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"resolve", func() error {
			_, err := d.Search.ResolveFaults(ctx, next(), d.UserID, d.ProjectID, searchdb.Filter{})
			return err
		}},
		{"undo", func() error {
			_, err := d.Faults.UndoFaults(ctx, at.Add(time.Second), d.UserID, d.ProjectID, faults.ResolvedEvent, at)
			return err
		}},
		{"pause", func() error {
			return change(triage.BulkChange{Action: sett.Some("pause"), Pause: sett.Some(faults.Pause{Time: sett.Some("week")})})
		}},
		{"unpause", func() error { return d.Faults.UnpauseFaults(ctx, next(), d.UserID, d.ProjectID) }},
		{"leave", func() error { return d.Accounts.RemoveAccountUser(ctx, d.UserID, d.AccountID, mia) }},
		{"assign", func() error {
			return change(triage.BulkChange{Action: sett.Some("assign"), AssigneeID: sett.Some(d.UserID)})
		}},
		{"deploy", func() error {
			d.Run(`UPDATE projects SET resolve_errors_on_deploy = true`)
			_, err := d.Faults.RecordDeploy(ctx, next(), d.ProjectID, faults.Deploy{Revision: "1"})
			return err
		}},
		{"merge", func() error {
			ids, err := d.ListIDs(ctx, d.Read, `SELECT id FROM faults WHERE project_id = $1 ORDER BY id LIMIT 90`, d.ProjectID)
			if err == nil {
				_, err = d.Faults.MergeFaults(ctx, next(), d.UserID, d.ProjectID, ids[1:], ids[0])
			}
			return err
		}},
		{"delete project", func() error { return d.DeleteProject(ctx, d.ProjectID, func() {}) }},
	} {
		if steps := os.Getenv("SETT_BENCH_STEPS"); steps == "" || slices.Contains(strings.Split(steps, ","), step.name) {
			d.measureWaits(b, step.name, other, step.do)
		}
	}
}

// measureWaits does something, and the work that it leaves, while another project sends notices.
func (d *desk) measureWaits(b *testing.B, name string, project int64, do func() error) {
	ctx, cancel := context.WithCancel(b.Context())
	waits, done := []time.Duration{}, make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			r := d.Report("Theirs", func(r *faults.Report) { r.ProjectID = project })
			began := time.Now()
			d.RecordBusy(storetest.Noon, accounts.Limits{}, r)
			waits = append(waits, time.Since(began))
			time.Sleep(5 * time.Millisecond)
		}
	}()
	began := time.Now()
	if err := do(); err != nil {
		b.Fatal(name, err)
	}
	answered := time.Since(began)
	d.Run(`UPDATE pending_work SET due_at = 0`)
	o := work.Options{Now: time.Now, Holder: "bench", Rest: func(_ context.Context, took time.Duration) error {
		time.Sleep(max(took, 2*time.Millisecond))
		return nil
	}}
	for more := true; more; {
		lots, err := d.Work.DoLots(b.Context(), o)
		whole, failed := d.Work.DoWhole(b.Context(), o)
		if err != nil || failed != nil {
			b.Fatal(name, err, failed)
		}
		more = lots || whole
	}
	took := time.Since(began)
	cancel()
	<-done
	slices.Sort(waits)
	fmt.Printf("%s %-14s answer %6d ms, all %7d ms, waits of %d notices: median %d, p99 %d, longest %d ms\n", d.Engine(), name, answered.Milliseconds(), took.Milliseconds(),
		len(waits), waits[len(waits)/2].Milliseconds(), waits[len(waits)*99/100].Milliseconds(), waits[len(waits)-1].Milliseconds())
}
