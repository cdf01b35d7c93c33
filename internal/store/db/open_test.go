package db

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"sett/internal/sett"
)

func TestOpenRefusesAnUnknownDatabase(t *testing.T) {
	t.Parallel()
	if s, err := Open(t.Context(), Options{Database: "mysql://localhost/sett"}); err == nil {
		s.Close()
		t.Error("an address that is not a postgres:// address was taken")
	}
}

func TestMigrateTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *DB) {
		from, to, err := s.Migrate(t.Context())
		if err != nil || from != to {
			t.Errorf("a second migration went from %d to %d: %v", from, to, err)
		}
		if current, err := s.Current(t.Context()); err != nil || !current {
			t.Errorf("Current() = %v, %v", current, err)
		}
	})
}

func TestMigrateRefusesTheSchemaOfANewerProgram(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *DB) {
		if _, err := s.Write.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, TRUE)`); err != nil {
			t.Fatal(err)
		}
		from, to, err := s.Migrate(t.Context())
		if sett.CodeOf(err) != sett.Conflict || from != 999 || to != 999 {
			t.Errorf("Migrate() = %d, %d, %v; want 999, 999 and a Conflict", from, to, err)
		}
	})
}

// A database without a migration below its newest has other tables than this program needs, even if its version looks right.
func TestMigrateRefusesAGap(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, s *DB) {
		for _, newest := range []int64{NewestSchema(), NewestSchema() - 1} { // also one that would be upgraded
			if _, err := s.Write.ExecContext(t.Context(), fmt.Sprintf(`DELETE FROM goose_db_version WHERE version_id IN (57, 47) OR version_id > %d`, newest)); err != nil {
				t.Fatal(err)
			}
			_, _, err := s.Migrate(t.Context())
			if sett.CodeOf(err) != sett.Conflict || !strings.Contains(err.Error(), "these numbers: 47, 57.") || !strings.Contains(err.Error(), "restore a backup") {
				t.Errorf("Migrate() of a database without 47 and 57: %v", err)
			}
			if s.CopyBefore() != "" {
				t.Errorf("the database was copied to %s", s.CopyBefore())
			}
		}
	})
}

func TestExplain(t *testing.T) {
	t.Parallel()
	lost := fmt.Errorf("list faults: %w", &net.OpError{Op: "dial", Err: errors.New("connection refused")})
	for d, want := range map[*dialect]sett.Code{postgresDialect: sett.Unavailable, sqliteDialect: ""} {
		s := &DB{dialect: d}
		if got := sett.CodeOf(s.Explain(lost)); got != want {
			t.Errorf("%s: a lost connection is %q, want %q", d.name, got, want)
		}
		if got := sett.CodeOf(s.Explain(fmt.Errorf("list faults: %w", context.DeadlineExceeded))); got != sett.Unavailable {
			t.Errorf("%s: a deadline is %q, want %q", d.name, got, sett.Unavailable)
		}
		for _, err := range []error{nil, context.Canceled, sett.Errorf(sett.NotFound, "no"), errors.New("bug")} {
			if got := s.Explain(err); got != err {
				t.Errorf("%s: %v became %v", d.name, err, got)
			}
		}
	}
}
