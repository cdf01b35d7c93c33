package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"sett/internal/setttest/fresh"
	"sett/internal/setttest/oldsentry"
	"sett/internal/store"
	"sett/internal/store/db"
)

// busyServer is a server with all that an import brings: errors that share a key, have two shapes, or have none left; people, releases.
func busyServer(t *testing.T) *oldsentry.Server {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Second)
	s := &oldsentry.Server{PerPage: 4}
	thrown := func(class, function, environment string) map[string]any {
		return map[string]any{"platform": "python", "environment": environment, "exception": map[string]any{"values": []any{map[string]any{
			"type": class, "value": "no cart", "stacktrace": map[string]any{"frames": []any{map[string]any{"filename": "cart.py", "function": function, "lineno": 4, "in_app": true}}},
		}}}}
	}
	for n, slug := range []string{"shop", "blog"} {
		p := &oldsentry.Project{Slug: slug, Platform: "python", Key: strings.Repeat(fmt.Sprint(n+1), 32), Environments: []string{"production", "staging"}}
		for i := range 13 {
			id := 100*n + i
			last := now.Add(-time.Duration(i+1) * time.Minute)
			issue := &oldsentry.Issue{
				ID: fmt.Sprint(4000 + id), Short: fmt.Sprint(slug, "-", i), Type: "ValueError", Value: "no cart", Status: []string{"unresolved", "resolved", "ignored"}[i%3], First: last.Add(-48 * time.Hour), Last: last,
				Count: int64(100 + i), Assignee: "ann@example.test", Notes: []string{"Seen it", "Fixed", "Not quite"}[:i%4],
			}
			for e := range i % 3 {
				issue.Events = append(issue.Events, oldsentry.Event{
					ID: fmt.Sprintf("%032x", 0xabc000+10*id+e), Hash: fmt.Sprint(e), Sent: thrown("ValueError", fmt.Sprint("pay", i/2, e), []string{"production", "staging"}[e]),
				})
			}
			p.Issues = append(p.Issues, issue)
		}
		s.Projects = append(s.Projects, p)
		s.Releases = append(s.Releases, &oldsentry.Release{
			Version: slug + "@1", Created: now.Add(-96 * time.Hour), Projects: []string{slug}, Commits: []string{"Second", "First"},
			Deploys: []oldsentry.Deploy{{ID: slug, Environment: "production", At: now.Add(-90 * time.Hour)}},
		})
		s.Teams = append(s.Teams, &oldsentry.Team{Slug: slug, Projects: []string{slug}, Members: []string{"ann@example.test"}})
	}
	s.Lists = map[string][]any{
		"monitors": {
			map[string]any{"id": "m1", "slug": "nightly", "name": "Nightly", "project": map[string]any{"id": "1"}, "config": map[string]any{"schedule": "0 3 * * *"}},
			map[string]any{"id": "m2", "slug": "often", "name": "Often", "project": map[string]any{"id": "2"}, "config": map[string]any{"schedule": []any{2, "hour"}}},
		},
		"uptime": {map[string]any{"id": "7", "projectSlug": "shop", "name": "Shop", "url": "https://shop.example.org/", "intervalSeconds": 60}},
	}
	s.Members = []*oldsentry.Member{{Email: "ann@example.test", Role: "owner"}, {Email: "bob@example.test", Role: "member"}}
	return s.Start(t)
}

// importedRows says what an import has stored, without ids and times of its own.
var importedRows = []string{
	`SELECT p.name, f.class, f.component, f.message, f.tags, f.environment, f.resolved, f.ignored, f.created_at, f.comments_count, c.notices_count, c.last_notice_at
		FROM faults f JOIN fault_counts c ON c.fault_id = f.id JOIN projects p ON p.id = f.project_id`,
	`SELECT f.tags, y.why, count(*) FROM fault_keys y JOIN faults f ON f.id = y.fault_id GROUP BY f.tags, y.why`,
	`SELECT f.tags, count(*) FROM notices n JOIN faults f ON f.id = n.fault_id GROUP BY f.tags`,
	`SELECT count(*), count(DISTINCT token) FROM notice_tokens`,
	`SELECT f.tags, c.author, c.event, CASE WHEN c.body LIKE 'Imported from%' THEN 'note' ELSE c.body END FROM comments c JOIN faults f ON f.id = c.fault_id`,
	`SELECT CASE kind WHEN 'member' THEN '' ELSE source_id END, kind, state, count, complete FROM imported WHERE kind NOT IN ('release')`,
	`SELECT list, cursor FROM import_runs`,
	`SELECT version, created_at, ref, (SELECT count(*) FROM release_commits c WHERE c.project_id = r.project_id AND c.version = r.version) FROM releases r`,
	`SELECT environment, revision, created_at FROM deploys`,
	`SELECT t.name, p.name FROM team_projects x JOIN teams t ON t.id = x.team_id JOIN projects p ON p.id = x.project_id`,
	`SELECT i.email, i.role, count(x.team_id) FROM invitations i LEFT JOIN invitation_teams x ON x.invitation_id = i.id GROUP BY i.email, i.role`,
	`SELECT name FROM projects`,
	`SELECT p.name, c.name, c.slug, c.cron_schedule, c.report_period FROM check_ins c JOIN projects p ON p.id = c.project_id`,
	`SELECT p.name, s.name, s.frequency FROM sites s JOIN projects p ON p.id = s.project_id`,
	`SELECT p.name, k.label FROM project_keys k JOIN projects p ON p.id = k.project_id`,
	`SELECT action, subject FROM audit_log`,
	`SELECT p.name, e.name FROM environments e JOIN projects p ON p.id = e.project_id`,
	`SELECT count(*) FROM alerts`,
	`SELECT count(*) FROM mails`,
}

func storedBy(t *testing.T, o db.Options) (all []string) {
	t.Helper()
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, statement := range importedRows {
		rows, err := s.Read.QueryContext(t.Context(), statement)
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for rows.Next() {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(any)
			}
			if err := rows.Scan(values...); err != nil {
				t.Fatal(err)
			}
			line := ""
			for _, v := range values {
				line += fmt.Sprint(*v.(*any)) + " | "
			}
			found = append(found, line)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
		slices.Sort(found)
		all = append(append(all, statement), found...)
	}
	return all
}

// An import that is killed at any moment, over and over, and then runs to its end has brought the same as one that was not.
func TestImportsSurviveKills(t *testing.T) {
	t.Parallel()
	for engine, database := range map[string]func() db.Options{
		"sqlite":   func() db.Options { return fresh.SQLite(t) },
		"postgres": func() db.Options { return fresh.Postgres(t) },
	} {
		whole, cut := database(), database()
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			server := busyServer(t)
			var kill atomic.Pointer[killer]
			kill.Store(new(killer))
			server.Before = func(http.ResponseWriter, *http.Request) bool { return kill.Load().kills() }
			importer := importInto(t, server, whole)
			if out, err := importer().CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			requests := len(server.Asked())
			importer = importInto(t, server, cut)
			kills := 0
			for n := range 12 {
				command := importer()
				if err := command.Start(); err != nil {
					t.Fatal(err)
				}
				kill.Store(&killer{process: command.Process, nth: 1 + rand.Int64N(int64(requests)/2), after: time.Duration(rand.IntN(6)) * time.Millisecond})
				var exit *exec.ExitError
				if err := command.Wait(); err == nil {
					break
				} else if !errors.As(err, &exit) || exit.Exited() {
					t.Fatalf("run %d was not killed: %v", n, err)
				}
				kills++
			}
			kill.Store(new(killer))
			if kills == 0 {
				t.Fatal("no run was killed")
			}
			if out, err := importer().CombinedOutput(); err != nil {
				t.Fatalf("after %d kills: %v: %s", kills, err, out)
			}
			t.Logf("%d kills", kills)
			if diff := gocmp.Diff(storedBy(t, whole), storedBy(t, cut)); diff != "" {
				t.Errorf("after %d kills (-whole +killed):\n%s", kills, diff)
			}
		})
	}
}

// importInto sets a database up, and returns what begins an import into it.
func importInto(t *testing.T, server *oldsentry.Server, o db.Options) func() *exec.Cmd {
	t.Helper()
	environ := []string{"SETT_DATA=" + cmp.Or(o.Dir, t.TempDir())}
	if o.Database != "" {
		environ = append(environ, "SETT_DATABASE="+o.Database, "SETT_SECRET_KEY_FILE="+o.KeyFile)
	}
	if status, _, stderr := try(environ, "setup", "--json", "--password", "seven slow herons"); status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	return func() *exec.Cmd {
		command := process(t, os.Args[0], "import", "sentry", "--url", server.URL, "--org", "acme", "--token", oldsentry.Token)
		command.Env = append(command.Env, environ...)
		return command
	}
}

// killer kills a process at the nth request, or a moment later, while it stores what the answer says.
type killer struct {
	process *os.Process // nil for none
	nth     int64
	after   time.Duration

	asked atomic.Int64
}

// kills reports whether the process was killed now, so that it gets no answer.
func (k *killer) kills() bool {
	if k.process == nil || k.asked.Add(1) != k.nth {
		return false
	}
	if k.after == 0 {
		_ = k.process.Kill()
		return true
	}
	time.AfterFunc(k.after, func() { _ = k.process.Kill() })
	return false
}
