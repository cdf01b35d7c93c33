package intakedb_test

import (
	"encoding/binary"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/intakedb"
	"sett/internal/store/storetest"
)

func numbered(n int) (k intakedb.TokenKey) {
	k.Project = int64(n % 3)
	binary.BigEndian.PutUint64(k.Token[8:], uint64(n))
	return k
}

func TestTokenFilterForgetsNothing(t *testing.T) {
	t.Parallel()
	f := intakedb.TokenFilter{Whole: true}
	const n = intakedb.FirstBits / intakedb.BitsPerToken * 5 / 2 // which takes a second part
	for i := range n {
		f.Add(numbered(i))
	}
	if len(f.Parts) != 2 {
		t.Fatalf("%d parts, want 2", len(f.Parts))
	}
	wrong := 0
	for i := range n {
		if f.Unknown([]intakedb.TokenKey{numbered(i)})[numbered(i)] {
			t.Fatalf("token %d was added, and is not known", i)
		}
		if other := numbered(n + i); !f.Unknown([]intakedb.TokenKey{other})[other] {
			wrong++
		}
	}
	if wrong > n*3/100 {
		t.Errorf("%d of %d tokens that were never added seem to be known", wrong, n)
	}
}

func TestTokenFilterThatIsFullOrNotYetFilledKnowsNothing(t *testing.T) {
	t.Parallel()
	f := intakedb.TokenFilter{Whole: true, Parts: []intakedb.FilterPart{{Bits: make([]uint64, intakedb.MostBits/64)}}}
	f.Add(numbered(1))
	if unknown := f.Unknown([]intakedb.TokenKey{numbered(1), numbered(2)}); !f.Full || len(unknown) != 0 {
		t.Errorf("a full filter says that %v were never stored", unknown)
	}
	f = intakedb.TokenFilter{}
	f.Add(numbered(1))
	if unknown := f.Unknown([]intakedb.TokenKey{numbered(2)}); len(unknown) != 0 {
		t.Errorf("a filter that is not filled says that %v were never stored", unknown)
	}
}

// What an earlier process has stored is known to the next one, whether its filter is filled already or not.
func TestTokensOutliveTheirProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open := func() *store.Store {
		s, err := store.Open(t.Context(), db.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	shut := func(s *store.Store) {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	first := open()
	if _, _, err := first.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	made := newDesk(t, first)
	made.Record(storetest.Noon, accounts.Limits{}, made.Report("A", storetest.WithToken(1)))
	shut(first)
	for _, filled := range []bool{false, true} {
		s := open()
		d := &desk{storetest.DeskOf(s, made.SetupResult, t)}
		if filled {
			if _, err := s.Intake.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.Intake.TokenFilter().Filled.Wait()
		}
		got := d.Record(storetest.Noon, accounts.Limits{}, d.Report("A", storetest.WithToken(1)), d.Report("A"))
		if !got[0].Duplicate || got[1].Duplicate {
			t.Errorf("with the filter filled %v: %+v", filled, got)
		}
		known, other := intakedb.TokenKey{Project: d.ProjectID, Token: d.Report("A", storetest.WithToken(1)).Token}, intakedb.TokenKey{Project: d.ProjectID, Token: sett.UUID{9}}
		if unknown := s.Intake.TokenFilter().Unknown([]intakedb.TokenKey{known, other}); unknown[known] || unknown[other] != filled {
			t.Errorf("with the filter filled %v, unknown are %v", filled, unknown)
		}
		shut(s)
	}
}

// A token that comes again at once is known, although what its batch did is noted while the next one is on its way.
func TestTokensAreKnownWhileTheirBatchSettles(t *testing.T) {
	t.Parallel()
	s := storetest.OpenSQLite(t)
	d := newDesk(t, s)
	if _, err := s.Intake.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Intake.TokenFilter().Filled.Wait()
	for round := range 100 {
		fresh := func(r *faults.Report) { r.Token = sett.UUID{0: 9, 1: byte(round)} }
		d.RecordBusy(storetest.Noon, accounts.Limits{}, append(d.Many(), d.Report("A", fresh))...)
		if again := d.RecordBusy(storetest.Noon, accounts.Limits{}, d.Report("A", fresh)); !again[0].Duplicate {
			t.Fatalf("round %d: the token was stored twice", round)
		}
	}
}
