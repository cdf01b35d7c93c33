package operate_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/base/progress"
	"sett/internal/setttest/pgcluster"
)

// What may take long says what it does, and counts to the end of what there is to do.
func TestProgressOfBackupAndRestore(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	cfg := app.Config{Data: t.TempDir()}
	in, file := cfg.Installation(), filepath.Join(t.TempDir(), "sett.backup")
	ctx, ended := progress.Record(t.Context())
	must[operate.SetupResult](t)(operate.Setup(ctx, in, operate.SetupOptions{Email: "olga@example.test", Name: "Olga", Account: "Acme", Project: "Shop"}))
	must[operate.MadeBackup](t)(operate.Backup(ctx, in, file, nil))
	must[operate.VerifiedBackup](t)(operate.VerifyBackup(ctx, file, nil))
	empty := app.Config{Database: pgcluster.Postgres(t), KeyFile: filepath.Join(cfg.Data, "secret.key")}
	must[operate.Restored](t)(operate.Restore(ctx, empty.Installation(), file, nil))
	var got []string
	for _, s := range ended() {
		almost := s.Total - s.Total/10 // a copied database may be a little smaller
		if s.Done < almost || s.Done > s.Total && s.Total > 0 || s.Unit == progress.Rows && s.Done == 0 {
			t.Errorf("%s ended at %d of %d %s", s.What, s.Done, s.Total, s.Unit)
		}
		got = append(got, fmt.Sprintf("%s, %s", s.What, s.Unit))
	}
	checked, rows := "checking the database, bytes", "checking the rows of the tables, rows"
	want := []string{
		"copying the database, bytes", rows, "writing the backup, bytes",
		"reading the backup, bytes", rows, checked,
		"reading the backup, bytes", checked, rows, "copying the rows of the tables, rows",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}
