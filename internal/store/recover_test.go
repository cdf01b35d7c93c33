package store

import (
	"testing"
	"time"

	"sett/internal/sett"
)

func TestOneProcessRecordsIntoAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, second := openTest(t, Options{Dir: dir}), openTest(t, Options{Dir: dir})
	if _, _, err := first.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Recover(t.Context()); sett.CodeOf(err) != sett.Conflict {
		t.Errorf("a second process got %v, want a Conflict", err)
	}
}

// A process that dies leaves little to be looked at again, however long it ran.
func TestLittleIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		var reports []*Packed
		for range 250 {
			reports = append(reports, d.report("A"))
		}
		for i := range 12 {
			d.record(noon.Add(time.Duration(i)*time.Second), sett.Limits{}, reports...)
		}
		last := d.numbers(`SELECT max(id) FROM notices`, 1)[0]
		far := `SELECT count(*) FROM notices WHERE id > (SELECT min(upto) FROM digests WHERE node = (SELECT max(node) FROM digests))`
		if s.dialect != sqliteDialect { // tokens are stored with the notices
			far = `SELECT count(*) FROM notices WHERE id > (SELECT min(upto) FROM digests WHERE id < 700)`
		}
		if n := d.numbers(far, 1)[0]; n > mostAhead+250 {
			t.Errorf("%d of the notices up to %d would be looked at again", n, last)
		}
	})
}
