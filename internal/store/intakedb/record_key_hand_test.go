package intakedb_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// byHand is a desk at which people merge and split what intake has grouped, a minute after another.
type byHand struct {
	*desk
	now time.Time
}

func (h *byHand) next() time.Time {
	h.now = h.now.Add(2 * time.Minute)
	return h.now
}

func (h *byHand) record(reports ...*faultdb.Packed) {
	h.T.Helper()
	h.Record(h.next(), accounts.Limits{}, reports...)
}

func (h *byHand) merge(fault, into int64) {
	h.T.Helper()
	if err := h.Faults.MergeFault(h.T.Context(), h.next(), h.UserID, h.ProjectID, fault, triage.FaultMerge{IntoID: sett.Some(into)}); err != nil {
		h.T.Fatal(err)
	}
}

func (h *byHand) split(fault int64) {
	h.T.Helper()
	if err := h.Faults.SplitFault(h.T.Context(), h.next(), h.UserID, h.ProjectID, fault); err != nil {
		h.T.Fatal(err)
	}
}

// has says how many notices each fault has, the oldest first.
func (h *byHand) has(want ...int64) {
	h.T.Helper()
	var got []int64
	rows, err := h.Read.QueryContext(h.T.Context(), `SELECT notices_count FROM fault_counts ORDER BY fault_id`)
	if err := db.ScanAll(rows, err, db.ScanID(func(n int64) { got = append(got, n) })); err != nil {
		h.T.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		h.T.Fatalf("notices (-want +got):\n%s", diff)
	}
	h.keysAreOfTheirParts()
}

// keysAreOfTheirParts fails if a key is not of the fault that its part is in: counts follow the part, but states and alerts the fault.
func (h *byHand) keysAreOfTheirParts() {
	h.T.Helper()
	var stray int64
	const count = `SELECT count(*) FROM fault_keys y LEFT JOIN merged_faults m ON m.id = y.part_id WHERE y.fault_id <> coalesce(m.into_id, y.part_id)`
	if err := h.Read.QueryRowContext(h.T.Context(), count).Scan(&stray); err != nil || stray > 0 {
		h.T.Fatalf("%d keys are of another fault than their part, %v", stray, err)
	}
}

// faults returns the ids of the faults, the oldest first.
func (h *byHand) faults() (ids []int64) {
	h.T.Helper()
	rows, err := h.Read.QueryContext(h.T.Context(), `SELECT id FROM faults ORDER BY id`)
	if err := db.ScanAll(rows, err, db.ScanID(func(n int64) { ids = append(ids, n) })); err != nil {
		h.T.Fatal(err)
	}
	return ids
}

func byRuleOne(r *faultdb.Packed) *faultdb.Packed {
	r.Grouping, r.Former = r.Former, faults.Grouping{}
	return r
}

func TestWhatPeopleMergeAndSplitHoldsForLaterEvents(t *testing.T) {
	t.Parallel()
	for name, story := range map[string]func(*byHand){
		"after a merge, an unknown key of the place goes to the one that stays": func(h *byHand) {
			h.record(h.failing("10", "1"), h.failing("12", "1"))
			h.has(1, 1)
			ids := h.faults()
			h.merge(ids[1], ids[0])
			h.record(h.failing("14", "2"))
			h.has(3)
			h.record(h.failing("30", "3"), h.failing("14", "3"))
			h.has(5)
		},
		"in the other direction": func(h *byHand) {
			h.record(h.failing("10", "1"), h.failing("12", "1"))
			ids := h.faults()
			h.merge(ids[0], ids[1])
			h.record(h.failing("8", "2"), h.failing("12", "2"))
			h.has(4)
		},
		"after a split, a line that moved meanwhile stays with its part": func(h *byHand) {
			h.record(h.failing("10", "1"), h.failing("12", "1"))
			ids := h.faults()
			h.merge(ids[1], ids[0])
			h.record(h.failing("14", "2"), h.failing("9", "2"))
			h.split(ids[1])
			h.has(2, 2)
			h.record(h.failing("14", "2"), h.failing("12", "2"), h.failing("9", "2"))
			h.has(3, 4)
			h.record(h.failing("15", "3"), h.failing("8", "3"))
			h.has(4, 5)
		},
		"what was split off does not join again by the key of rule 1": func(h *byHand) {
			h.record(byRuleOne(h.failing("10", "1")), byRuleOne(h.failing("12", "1")))
			ids := h.faults()
			h.merge(ids[1], ids[0])
			h.record(h.failing("10", "1"), h.failing("12", "1"))
			h.has(4)
			h.split(ids[1])
			h.has(2, 2)
			h.record(h.failing("12", "1"), h.failing("12", "2"), h.failing("10", "2"))
			h.has(3, 4)
		},
		"merged again into the other, and split again": func(h *byHand) {
			h.record(h.failing("10", "1"), h.failing("12", "1"))
			ids := h.faults()
			h.merge(ids[1], ids[0])
			h.split(ids[1])
			h.has(1, 1)
			h.merge(ids[0], ids[1])
			h.record(h.failing("14", "2"), h.failing("9", "2"))
			h.has(4)
			h.split(ids[0])
			h.has(2, 2)
			h.record(h.failing("14", "2"), h.failing("9", "2"))
			h.has(3, 3)
		},
		"a part of a part": func(h *byHand) {
			h.record(h.failing("10", "1"), h.failing("12", "1"), h.failing("20", "1"))
			ids := h.faults()
			h.merge(ids[2], ids[1])
			h.merge(ids[1], ids[0])
			h.record(h.failing("21", "2"))
			h.has(4)
			h.split(ids[2])
			h.has(2, 2)
			h.record(h.failing("21", "2"), h.failing("12", "2"))
			h.has(3, 3)
		},
		"one event made an error of its own": func(h *byHand) {
			h.record(h.failing("10", "1"))
			h.record(h.failing("14", "2"))
			h.has(2)
			ids := h.faults()
			moved := h.failing("14", "2")
			id, err := h.Faults.SeparateKey(h.T.Context(), h.next(), h.UserID, h.ProjectID, ids[0], moved.Grouping.Key[:])
			if err != nil {
				h.T.Fatal(err)
			}
			h.has(2, 0)
			h.record(h.failing("14", "2"), h.failing("10", "2"))
			h.has(3, 1)
			h.record(h.failing("15", "3"), h.failing("9", "3"))
			h.has(4, 2)
			if _, err := h.Faults.SeparateKey(h.T.Context(), h.next(), h.UserID, h.ProjectID, ids[0], moved.Grouping.Key[:]); sett.CodeOf(err) != sett.Conflict {
				h.T.Errorf("separated again: %v", err)
			}
			own := h.failing("10", "1")
			if _, err := h.Faults.SeparateKey(h.T.Context(), h.next(), h.UserID, h.ProjectID, ids[0], own.Grouping.Key[:]); sett.CodeOf(err) != sett.Conflict {
				h.T.Errorf("separated the key of the error itself: %v", err)
			}
			h.merge(id, ids[0])
			h.record(h.failing("14", "2"))
			h.has(7)
			h.split(id)
			h.has(4, 3)
		},
		"in one batch after a merge": func(h *byHand) {
			h.record(h.failing("10", "1"), h.failing("12", "1"))
			ids := h.faults()
			h.merge(ids[1], ids[0])
			h.record(h.failing("13", "2"), h.failing("13", "2"), h.failing("9", "2"))
			h.has(5)
			h.split(ids[1])
			h.has(2, 3)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Engines(t, func(t *testing.T, s *store.Store) {
				story(&byHand{desk: newDesk(t, s), now: storetest.Noon})
			})
		})
	}
}

func TestPartsSayHowTheyWentOn(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		h := &byHand{desk: newDesk(t, s), now: storetest.Noon}
		h.record(byRuleOne(h.failing("10", "1")))
		h.record(h.failing("10", "1"))
		h.record(h.failing("14", "2"))
		parts, err := h.Faults.ListParts(t.Context(), h.ProjectID, h.faults()[0])
		if err != nil {
			t.Fatal(err)
		}
		var got []faults.Why
		for _, k := range parts[0].GoneOn {
			got = append(got, k.Why)
		}
		if want := []faults.Why{faults.RuleChanged, faults.LineMoved}; !slices.Equal(got, want) {
			t.Errorf("went on by %q, want %q", got, want)
		}
	})
}
