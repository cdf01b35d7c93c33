package operate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/setttest"
	"sett/internal/store/db"
)

// postNotice reports an error and returns its id once it is acknowledged.
func postNotice(t *testing.T, s *setttest.Server) sett.UUID {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.App.BaseURL()+"/v1/notices", strings.NewReader(`{"error":{"class":"Timeout"}}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", s.Setup.APIKey)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return sett.UUID{}
	}
	defer response.Body.Close()
	var made struct {
		ID string `json:"id"`
	}
	if err := json.NewDecoder(response.Body).Decode(&made); err != nil || response.StatusCode != http.StatusCreated {
		t.Errorf("status %d, %v", response.StatusCode, err)
	}
	id, err := sett.ParseUUID(made.ID)
	if err != nil {
		t.Error(err)
	}
	return id
}

// What was acknowledged before a backup was begun is in it, however much comes meanwhile, and is counted after it was
// brought back.
func TestBackupHoldsAllThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	var before []sett.UUID
	for range 30 {
		before = append(before, postNotice(t, s))
	}
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for range 3 {
		clients.Go(func() {
			for ctx.Err() == nil {
				postNotice(t, s)
			}
		})
	}
	var whole bytes.Buffer
	file := filepath.Join(t.TempDir(), "a.sett")
	for range 3 {
		before = append(before, postNotice(t, s))
		must[operate.MadeBackup](t)(operate.Backup(t.Context(), s.Config.Installation(), file, nil))
	}
	made := must[operate.MadeBackup](t)(operate.Backup(t.Context(), s.Config.Installation(), "-", &whole))
	stop()
	clients.Wait()
	if made.Bytes != int64(whole.Len()) || made.Schema != db.NewestSchema() || made.File != "-" {
		t.Errorf("made %+v, of %d bytes", made, whole.Len())
	}
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, backup := range map[string][]byte{"file": packed, "stdout": whole.Bytes()} {
		cfg := s.Config
		cfg.Data, cfg.KeyFile = filepath.Join(t.TempDir(), "new", "data"), filepath.Join(s.Config.Data, "secret.key")
		must[operate.Restored](t)(operate.Restore(t.Context(), cfg.Installation(), "-", bytes.NewReader(backup)))
		checkRestored(t, name, cfg, s.Setup.ProjectID, before)
	}
	if backups, err := s.App.Store().ListBackups(t.Context(), 10); err != nil || len(backups) != 4 || backups[0].By != "sett backup" || backups[0].Bytes != made.Bytes {
		t.Errorf("the server knows of %+v, %v", backups, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
}

// checkRestored starts a server on what was brought back, and looks for notices there.
func checkRestored(t *testing.T, name string, cfg app.Config, project int64, wanted []sett.UUID) {
	t.Helper()
	a, err := app.New(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	defer a.Stop(context.Background()) //nolint:errcheck // it is only read
	fault, err := a.Store().Faults.FaultByID(t.Context(), project, 1)
	if err != nil || fault.NoticesCount < int64(len(wanted)) {
		t.Errorf("%s: %d notices are counted, %v; want at least %d", name, fault.NoticesCount, err, len(wanted))
	}
	for _, id := range wanted {
		if _, err := a.Store().Faults.NoticeByUUID(t.Context(), project, id); err != nil {
			t.Fatalf("%s: the notice %v that was acknowledged is missing: %v", name, id, err)
		}
	}
}

// files is what a directory holds, by name; nil when there is none.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// newBackup returns a backup of a new server, in a file.
func newBackup(t *testing.T) (cfg app.Config, file string) {
	t.Helper()
	cfg = app.Config{Data: t.TempDir()}
	if _, err := operate.Setup(t.Context(), cfg.Installation(), operate.SetupOptions{Email: "olga@example.test", Name: "Olga", Account: "Acme", Project: "Shop"}); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "a.sett")
	must[operate.MadeBackup](t)(operate.Backup(t.Context(), cfg.Installation(), file, nil))
	return cfg, file
}

// Nothing is touched by what cannot be restored.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	used, file := newBackup(t)
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "data")
	refuse := func(what string, cfg app.Config, file string, stdin io.Reader, want string) {
		t.Helper()
		before := files(t, cfg.Data)
		_, err := operate.Restore(t.Context(), cfg.Installation(), file, stdin)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
		if diff := cmp.Diff(before, files(t, cfg.Data)); diff != "" {
			t.Errorf("%s changed the directory (-before +after):\n%s", what, diff)
		}
	}
	refuse("a directory in use", used, file, nil, "sett.db already exists; stop its server and move it away")
	refuse("no file", app.Config{Data: missing}, file+"x", nil, "the backup cannot be read: open "+file+"x: no such file")
	refuse("half a backup", app.Config{Data: missing}, "-", bytes.NewReader(packed[:len(packed)/2]), "standard input: The backup is damaged or incomplete.")
	flipped := bytes.Clone(packed)
	flipped[len(flipped)/2] ^= 1
	refuse("a flipped bit", app.Config{Data: missing}, "-", bytes.NewReader(flipped), "The backup is damaged or incomplete. Nothing was restored.")
	refuse("something else", app.Config{Data: missing}, "-", strings.NewReader("hello"), "The file is not a sett backup")
	if _, err := os.Stat(missing); !os.IsNotExist(err) {
		t.Errorf("the directory was made: %v", err)
	}
}

// A server that is about to make its database has the directory.
func TestRestoreYieldsToAServer(t *testing.T) {
	t.Parallel()
	_, file := newBackup(t)
	cfg := app.Config{Data: t.TempDir()}
	server := flock.New(filepath.Join(cfg.Data, "sett.lock"))
	if locked, err := server.TryLock(); err != nil || !locked {
		t.Fatal(locked, err)
	}
	if _, err := operate.Restore(t.Context(), cfg.Installation(), file, nil); sett.CodeOf(err) != sett.Conflict || !strings.Contains(err.Error(), "another sett serves") {
		t.Errorf("beside a server: %v", err)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := operate.Restore(t.Context(), cfg.Installation(), file, nil); err != nil {
		t.Errorf("without it: %v", err)
	}
}

func TestBackupRefuses(t *testing.T) {
	t.Parallel()
	cfg, file := newBackup(t)
	database := filepath.Join(cfg.Data, "sett.db")
	before, err := os.ReadFile(database)
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for name, tt := range map[string]struct {
		ctx  context.Context
		cfg  app.Config
		file string
		want string
	}{
		"over the database": {t.Context(), cfg, database, "already exists and is not a sett backup; choose another name"},
		"nowhere":           {t.Context(), cfg, filepath.Join(cfg.Data, "none", "a"), "no such file or directory; no earlier backup was changed"},
		"a directory":       {t.Context(), cfg, cfg.Data, "already exists and is not a sett backup"},
		"no database":       {t.Context(), app.Config{Data: t.TempDir()}, file + "x", "this database has no account yet"},
		"stopped":           {ended, cfg, file, "stopped before the backup was complete"},
	} {
		if _, err := operate.Backup(tt.ctx, tt.cfg.Installation(), tt.file, nil); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	if after, err := os.ReadFile(database); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database is another one: %v", err)
	}
	if diff := cmp.Diff([]string{"a.sett"}, files(t, filepath.Dir(file))); diff != "" {
		t.Errorf("beside the backup (-want +got):\n%s", diff)
	}
	must[operate.MadeBackup](t)(operate.Backup(t.Context(), cfg.Installation(), file, nil)) // an earlier backup is replaced
	must[operate.Restored](t)(operate.Restore(t.Context(), app.Config{Data: t.TempDir()}.Installation(), file, nil))
}

func TestDoctorFinds(t *testing.T) {
	t.Parallel()
	cfg, _ := newBackup(t)
	cfg.Listen, cfg.BaseURL = "127.0.0.1:0", "http://127.0.0.1:1"
	look := func(cfg app.Config) map[string]operate.Verdict {
		t.Helper()
		verdicts := map[string]operate.Verdict{}
		for _, f := range must[[]operate.Finding](t)(operate.Doctor(t.Context(), cfg.Installation())) {
			if verdicts[f.Check] != "" {
				t.Errorf("two findings of %s", f.Check)
			}
			verdicts[f.Check] = f.Verdict
		}
		return verdicts
	}
	want := map[string]operate.Verdict{
		"data directory": "ok", "database": "ok", "schema": "ok", "accounts": "ok", "clock": "ok", "server": "warn", "backups": "ok",
		"port": "ok", "secrets": "ok", "base URL": "warn", "names": "ok", "egress": "ok", "mail": "warn",
	}
	if diff := cmp.Diff(want, look(cfg)); diff != "" {
		t.Errorf("beside no server (-want +got):\n%s", diff)
	}
	nothing := look(app.Config{Data: filepath.Join(t.TempDir(), "none")})
	if diff := cmp.Diff(map[string]operate.Verdict{"data directory": "warn", "database": "warn", "names": "ok", "egress": "ok", "mail": "warn"}, nothing); diff != "" {
		t.Errorf("where nothing is (-want +got):\n%s", diff)
	}
	cfg.SMTPURL, cfg.Canaries = "smtp://127.0.0.1:1", []string{"http://127.0.0.1:1/"}
	if got := look(cfg); got["mail"] != "fail" || got["checks"] != "warn" {
		t.Errorf("with what does not answer: %v", got)
	}
	if err := os.Truncate(filepath.Join(cfg.Data, "sett.db"), 20_000); err != nil {
		t.Fatal(err)
	}
	if got := look(cfg); got["database"] != "fail" {
		t.Errorf("with a damaged database: %v", got)
	}
}

func TestDoctorBesideAServer(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		cfg := s.Config
		cfg.BaseURL = s.App.BaseURL()
		if err := s.App.Store().NoteBackup(t.Context(), accounts.Backup{At: time.Now().Add(-72 * time.Hour)}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.App.Store().Uptime.Beat(t.Context(), time.Now(), checks.Beginning{}); err != nil {
			t.Fatal(err)
		}
		for _, f := range must[[]operate.Finding](t)(operate.Doctor(t.Context(), cfg.Installation())) {
			switch {
			case f.Check == "mail" || f.Check == "names": // not set up, and that of tests never answers
			case f.Check == "server" && cfg.Database != "": // its beats are by the clock of the test
			case f.Check == "backups" && cfg.Database == "":
				if f.Verdict != operate.Warn || f.Text != "the last backup is 3 days old; run sett backup FILE every day" {
					t.Errorf("%+v", f)
				}
			case f.Check == "durability": // servers of tests lose what they like
				if f.Verdict != operate.Fails {
					t.Errorf("%+v", f)
				}
			case f.Verdict != operate.Fine:
				t.Errorf("%+v", f)
			}
		}
	})
}
