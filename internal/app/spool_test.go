package app_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/store/spool"
)

// TestDoctorLooksAtTheSpool checks that doctor finds reports in the spool while PostgreSQL is away: only then do they stay there.
func TestDoctorLooksAtTheSpool(t *testing.T) {
	t.Parallel()
	cfg := app.Config{Data: t.TempDir(), Database: "postgres://sett@127.0.0.1:1/sett", SpoolBytes: 1 << 20, Listen: "127.0.0.1:0"}
	wantSpool := func(verdict operate.Verdict, text string) {
		t.Helper()
		for _, f := range must[[]operate.Finding](t)(operate.Doctor(t.Context(), cfg.Installation())) {
			if f.Check == "spool" && f.Verdict == verdict && strings.Contains(f.Text, text) {
				return
			}
		}
		t.Errorf("doctor does not find that the spool %s", text)
	}
	wantSpool(operate.Fine, "has no spool yet")
	s := must[*spool.Spool](t)(spool.Open(t.Context(), cfg.Data, cfg.SpoolBytes))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantSpool(operate.Fine, "is empty")
	s = must[*spool.Spool](t)(spool.Open(t.Context(), cfg.Data, cfg.SpoolBytes))
	if err := s.Add(t.Context(), []spool.Entry{{Kind: spool.Notice, At: time.Now(), Body: bytes.Repeat([]byte("x"), 200<<10)}}); err != nil {
		t.Fatal(err)
	}
	wantSpool(operate.Warn, "keeps reports") // also while a server has it, whose log is not in the file yet
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantSpool(operate.Warn, "keeps reports")
	cfg.SpoolBytes = 0
	wantSpool(operate.Warn, "there is none")
}
