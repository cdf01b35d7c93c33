package operate_test

import (
	"context"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/base/objects"
	"sett/internal/monitor/agent"
	"sett/internal/setttest/pgcluster"
)

// storage is object storage with the same part of every object.
type storage struct{ objects.Storage }

func (storage) Get(context.Context, string, int64, int64) ([]byte, error) { return []byte("part"), nil }

// changing are the parts of names that differ each time.
var changing = regexp.MustCompile(`[0-9a-f]{16,}|\d{8}T\d{6}Z|[0-9]{6,}`)

// modes returns the mode of everything below a directory, by name, without the directory itself if it was there before.
func modes(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := e.Info()
		if err == nil {
			name, _ := filepath.Rel(dir, path)
			all[changing.ReplaceAllString(filepath.ToSlash(name), "*")] = info.Mode().String()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Whatever sett writes is there for the user alone that runs it, whatever the umask.
func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out PostgreSQL")
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	o := operate.SetupOptions{Email: "olga@example.test", Name: "Olga", Account: "Acme", Project: "Shop"}
	for name, database := range map[string]string{"data": "", "node": pgcluster.Postgres(t)} {
		cfg := app.Config{Data: in(name), Database: database, Listen: "127.0.0.1:0", Location: "none", SpoolBytes: 1 << 20}
		if database != "" {
			cfg.KeyFile = in("secret.key")
		}
		made := must[operate.SetupResult](t)(operate.Setup(t.Context(), cfg.Installation(), o))
		a := must[*app.App](t)(app.New(t.Context(), cfg, slog.New(slog.DiscardHandler)))
		if err := a.Start(); err != nil {
			t.Fatal(err)
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.BaseURL()+"/v1/notices", strings.NewReader(`{"error":{"class":"A"}}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-API-Key", made.APIKey)
		answer, err := http.DefaultClient.Do(request)
		if err != nil || answer.StatusCode != http.StatusCreated {
			t.Fatal(answer, err)
		}
		answer.Body.Close()
		must[operate.MadeBackup](t)(operate.Backup(t.Context(), cfg.Installation(), in(name+".sett"), nil))
		defer a.Stop(context.Background()) //nolint:errcheck // files are looked at while it runs
	}
	cfg := app.Config{Data: in("data")}
	repeatDaily(t, cfg, in("backups"), io.Discard, 1, func(int) {})
	restored := app.Config{Data: in("restored")}
	must[operate.Restored](t)(operate.Restore(t.Context(), restored.Installation(), in("node.sett"), nil))

	d := must[*app.Demo](t)(app.NewDemo(t.Context(), app.Config{Listen: "127.0.0.1:0"}, app.DemoOptions{Seed: 1, Data: in("demo"), Short: true}, slog.New(slog.DiscardHandler)))
	defer d.Stop(context.Background()) //nolint:errcheck // likewise
	must[*agent.Agent](t)(agent.New(agent.Options{Server: "https://sett.test", Location: "Paris", Dir: in("agent"), Log: slog.New(slog.DiscardHandler)}))
	if _, err := objects.NewCache(storage{}, in("cache"), 1<<20).Get(t.Context(), "a", 0, 4); err != nil {
		t.Fatal(err)
	}

	want := map[string]string{}
	for _, name := range []string{"agent", "backups", "cache", "data", "demo", "node", "restored"} {
		want[name] = (os.ModeDir | 0o700).String()
	}
	for _, name := range []string{
		"agent/agent.lock", "backups/sett-*.sett", "cache/*.part", "data.sett",
		"data/schema.lock", "data/secret.key", "data/sett.db", "data/sett.db-shm", "data/sett.db-wal", "data/sett.lock", "data/sett.room",
		"demo/demo.json", "demo/schema.lock", "demo/secret.key", "demo/sett.db", "demo/sett.db-shm", "demo/sett.db-wal", "demo/sett.lock",
		"node.sett", "node/spool.db", "node/spool.db-wal",
		"restored/schema.lock", "restored/sett.db", "restored/sett.lock", "secret.key",
	} {
		want[name] = os.FileMode(0o600).String()
	}
	if diff := cmp.Diff(want, modes(t, dir)); diff != "" {
		t.Errorf("files and directories (-want +got):\n%s", diff)
	}
}
