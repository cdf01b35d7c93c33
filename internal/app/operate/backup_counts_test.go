package operate_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app/operate"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
	"sett/internal/setttest/pgcluster"
	"sett/internal/setttest/visitor"
)

// shops are projects whose errors have all that is counted: classes, places, users, environments and releases.
type shops struct {
	s    *setttest.Server
	keys []string // of the projects
}

// classesOfShop is more than the faults that one part of the counts has; see rollup.go of store/rollupdb.
const classesOfShop = 40

func openShops(t *testing.T, s *setttest.Server) shops {
	t.Helper()
	open := shops{s: s, keys: []string{s.Setup.APIKey}}
	for i := range 3 {
		var made struct {
			Token string `json:"token"`
		}
		s.Post(fmt.Sprintf("/v2/projects?account_id=%s", s.Setup.AccountID), map[string]any{"project": map[string]any{"name": fmt.Sprintf("Shop %d", i)}}).Want(http.StatusCreated).Into(&made)
		open.keys = append(open.keys, made.Token)
	}
	return open
}

// send reports one error of a class to each shop. Its place, user and release are named after the class.
func (o shops) send(s *setttest.Server, class int) {
	for _, key := range o.keys {
		name := fmt.Sprintf("Error%d", class)
		s.Do("POST", "/v1/notices", map[string]any{
			"error":   map[string]any{"class": name, "message": "no price", "token": sett.NewUUID(rand.Reader)},
			"request": map[string]any{"component": name, "action": "show", "context": map[string]any{"user_id": name}},
			"server":  map[string]any{"environment_name": []string{"production", "staging"}[class%2], "revision": name},
		}, "X-API-Key", key).Want(http.StatusCreated)
	}
}

// crowd sends from several clients at once, until each has sent a number of rounds or the context ends.
func (o shops) crowd(ctx context.Context, rounds int) *sync.WaitGroup {
	var clients sync.WaitGroup
	for client := range 8 {
		clients.Go(func() {
			for i := client; i < rounds*classesOfShop && ctx.Err() == nil; i += 8 {
				o.send(o.s, i%classesOfShop)
			}
		})
	}
	return &clients
}

// countedNotices are statements with a name and how often it was counted, and what each must be: by the notices that are stored.
var countedNotices = map[string]string{
	"faults":          `SELECT f.class, sum(c.notices_count) FROM faults f JOIN fault_counts c ON c.fault_id = f.id GROUP BY f.class`,
	"lists":           `SELECT f.class, count(*) FROM faults f JOIN fault_notices n ON n.fault_id = f.id GROUP BY f.class`,
	"users of faults": `SELECT u.name, sum(u.count) FROM fault_users u GROUP BY u.name`,
	"releases":        `SELECT version, sum(events) FROM releases GROUP BY version`,
	"tokens":          `SELECT f.class, count(*) FROM notice_tokens k JOIN notices n ON n.id = k.notice_id JOIN faults f ON f.id = n.fault_id GROUP BY f.class`,
}

func init() {
	for _, width := range []int{60, 3600, 86400} {
		countedNotices[fmt.Sprintf("faults each %d s", width)] = fmt.Sprintf(`SELECT f.class, sum(b.count) FROM faults f JOIN fault_buckets b ON b.fault_id = f.id AND b.width = %d GROUP BY f.class`, width)
	}
	for _, kind := range []string{"class", "user"} {
		countedNotices["by "+kind] = fmt.Sprintf(`SELECT name, sum(count) FROM named_buckets WHERE kind = '%s' GROUP BY name`, kind)
	}
	countedNotices["by location"] = `SELECT replace(name, '#show', ''), sum(count) FROM named_buckets WHERE kind = 'location' GROUP BY name`
}

// tally returns numbers by name.
func tally(t *testing.T, s *setttest.Server, statement string) map[string]int64 {
	t.Helper()
	rows, err := s.App.Store().Read.QueryContext(t.Context(), statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer rows.Close()
	all := map[string]int64{}
	for rows.Next() {
		var name string
		var n int64
		if err := rows.Scan(&name, &n); err != nil {
			t.Fatal(err)
		}
		all[name] = n
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// wantCounted says that each notice that is stored is counted once everywhere.
func wantCounted(t *testing.T, when string, s *setttest.Server) {
	t.Helper()
	if err := s.App.Store().Intake.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := tally(t, s, `SELECT f.class, count(*) FROM notices n JOIN faults f ON f.id = n.fault_id GROUP BY f.class`)
	var all int64
	for _, n := range want {
		all += n
	}
	for what, statement := range countedNotices {
		if diff := cmp.Diff(want, tally(t, s, statement)); diff != "" {
			t.Errorf("%s, %s (-stored +counted):\n%s", when, what, diff)
		}
	}
	projects := map[string]int64{"60": all, "3600": all, "86400": all}
	if diff := cmp.Diff(projects, tally(t, s, `SELECT CAST(width AS text), sum(count) FROM project_buckets GROUP BY width`)); diff != "" {
		t.Errorf("%s, series of projects (-stored +counted):\n%s", when, diff)
	}
	if got := tally(t, s, `SELECT 'all', sum(stored) FROM ledger`)["all"]; got != all {
		t.Errorf("%s, the account has used %d notices, and %d are stored", when, got, all)
	}
}

// answers are those of all pages of the API that need no id but those of a project and a fault, by path.
func answers(t *testing.T, s *setttest.Server) map[string]string {
	var document struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal([]byte(visitor.New(t, s).Get("/openapi.json").Want(http.StatusOK).Body), &document); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for path, methods := range document.Paths {
		if methods["get"] == nil || !strings.HasPrefix(path, "/v2/") {
			continue
		}
		for project := range int64(4) {
			for fault := range int64(2) {
				of := strings.NewReplacer("{account_id}", s.Setup.AccountID, "{project_id}", strconv.FormatInt(s.Setup.ProjectID+project, 10),
					"{fault_id}", strconv.FormatInt(1+project+4*fault, 10)).Replace(path)
				if !strings.Contains(of, "{") && all[of] == "" {
					answer := s.Do("GET", of, nil)
					all[of] = strconv.Itoa(answer.Status) + " " + strings.ReplaceAll(string(answer.Body), s.Base, "https://sett.example")
				}
			}
		}
	}
	return all
}

// restoredTo makes a backup of a server and starts another on it, on an engine.
func restoredTo(t *testing.T, s *setttest.Server, engine string) *setttest.Server {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.sett")
	must[operate.MadeBackup](t)(operate.Backup(t.Context(), s.Config.Installation(), file, nil))
	to := s.Config
	to.Data, to.KeyFile, to.Database = filepath.Join(t.TempDir(), "new"), s.App.Store().SecretKeyFile(), ""
	if engine == "postgres" {
		to.Database = pgcluster.Postgres(t)
	}
	must[operate.Restored](t)(operate.Restore(t.Context(), to.Installation(), file, nil))
	return s.Moved(t, to)
}

// ownTables say what a server did, not what it holds. A key says when it was last used, some time after that.
var ownTables = []string{"backups", "beats", "blind_windows", "leases", "project_keys", "projects", "uptime_progress"}

func sumsOf(t *testing.T, s *setttest.Server) (sums []accounts.TableSum) {
	t.Helper()
	return slices.DeleteFunc(must[[]accounts.TableSum](t)(s.App.Store().Sums(t.Context())), func(sum accounts.TableSum) bool { return slices.Contains(ownTables, sum.Table) })
}

// Every report, count and series is the same after a move, from either engine to either, and after another one. What comes then is counted once.
func TestMovesKeepEveryCount(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out PostgreSQL")
	}
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		open := openShops(t, s)
		for range 3 {
			open.crowd(t.Context(), 1).Wait()
			s.Clock.Push(26 * time.Hour)
		}
		wantCounted(t, "before", s)
		want := answers(t, s)
		if report := want[fmt.Sprintf("/v2/projects/%d/reports/notices_by_user", s.Setup.ProjectID)]; !strings.Contains(report, `["Error7",3]`) {
			t.Errorf("the report of users is %s", report)
		}
		for _, engine := range []string{"sqlite", "postgres"} {
			there := restoredTo(t, s, engine)
			if diff := cmp.Diff(sumsOf(t, s), sumsOf(t, there)); diff != "" {
				t.Errorf("tables in %s (-before +after):\n%s", engine, diff)
			}
			if diff := cmp.Diff(want, answers(t, there)); diff != "" {
				t.Errorf("answers from %s (-before +after):\n%s", engine, diff)
			}
			open.send(there, 1)
			wantCounted(t, "after another notice in "+engine, there)
			again := restoredTo(t, there, "sqlite")
			if diff := cmp.Diff(sumsOf(t, there), sumsOf(t, again)); diff != "" {
				t.Errorf("tables after another move (-before +after):\n%s", diff)
			}
			wantCounted(t, "after another move", again)
		}
	})
}

// A backup that is made while notices arrive has some that are not counted yet. They are counted once, wherever it is restored.
func TestMovesUnderLoadKeepEveryCount(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out PostgreSQL")
	}
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		open := openShops(t, s)
		open.crowd(t.Context(), 1).Wait()
		ctx, stop := context.WithCancel(t.Context())
		clients := open.crowd(ctx, 1_000)
		for _, engine := range []string{"sqlite", "postgres"} {
			there := restoredTo(t, s, engine)
			wantCounted(t, "in "+engine, there)
			open.send(there, 1)
			wantCounted(t, "after another notice in "+engine, there)
		}
		stop()
		clients.Wait()
		wantCounted(t, "where it was backed up", s)
	})
}
