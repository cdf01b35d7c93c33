package operate_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sett/internal/app"
	"sett/internal/app/backup"
	"sett/internal/app/operate"
	"sett/internal/sett"
	"sett/internal/setttest"
	"sett/internal/setttest/pgcluster"
)

// A backup of a server that takes reports moves to the other engine: what was acknowledged before is there, and is counted.
func TestBackupMovesBetweenEngines(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		var wanted []sett.UUID
		for range 20 {
			wanted = append(wanted, postNotice(t, s))
		}
		file, key := filepath.Join(t.TempDir(), "a.sett"), s.App.Store().SecretKeyFile()
		must[operate.MadeBackup](t)(operate.Backup(t.Context(), s.Config.Installation(), file, nil))
		verified := must[operate.VerifiedBackup](t)(operate.VerifyBackup(t.Context(), file, nil))
		if !verified.Compared || verified.Rows < 20 {
			t.Errorf("verified %+v", verified)
		}
		to := app.Config{Data: filepath.Join(t.TempDir(), "new"), KeyFile: key, Location: "none"}
		if s.App.Store().SQLite() {
			to.Database = pgcluster.Postgres(t)
		}
		must[operate.Restored](t)(operate.Restore(t.Context(), to.Installation(), file, nil))
		checkRestored(t, s.App.Store().Engine(), to, s.Setup.ProjectID, wanted)
	})
}

// A backup whose rows differ from its sums is not whole, even if its checksums are right.
func TestVerifyComparesRows(t *testing.T) {
	t.Parallel()
	cfg, file := newBackup(t)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b, err := backup.Open(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	var database, changed bytes.Buffer
	if err := b.Database(&database); err != nil {
		t.Fatal(err)
	}
	b.Header.Tables[3].Rows++
	if err := backup.Write(&changed, b.Header, &database); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"other rows":  {changed.String(), "The rows of these tables differ from those that were backed up: " + b.Header.Tables[3].Table},
		"cut":         {string(whole[:len(whole)-40]), "damaged or incomplete"},
		"another bit": {strings.Replace(string(whole), string(whole[len(whole)/2:len(whole)/2+8]), "\x00\x01\x02\x03\x04\x05\x06\x07", 1), "damaged or incomplete"},
		"text":        {"no backup", "is not a sett backup"},
	} {
		if _, err := operate.VerifyBackup(t.Context(), "-", strings.NewReader(c.text)); sett.CodeOf(err) != sett.Invalid || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := operate.VerifyBackup(t.Context(), filepath.Join(cfg.Data, "none"), nil); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("no file: %v", err)
	}
}
