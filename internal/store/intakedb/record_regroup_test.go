package intakedb_test

import (
	"testing"

	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// regrouped is a report whose project has changed its rules at the time of the desk: it was known by the place of before.
func (h *byHand) regrouped(before *faultdb.Packed, file string) *faultdb.Packed {
	r := h.failing(before.Grouping.Line, before.Revision, func(g *faults.Grouping) { g.File, g.Message = file, before.Grouping.Message })
	r.Former, r.Regrouped = before.Grouping, h.now
	return r
}

func TestRulesOfAProjectJoinAndPartLaterEvents(t *testing.T) {
	t.Parallel()
	for name, story := range map[string]func(*byHand){
		"one error goes on": func(h *byHand) {
			old := h.failing("10", "1")
			h.record(old)
			changed := h.regrouped(old, "lib.py")
			h.record(changed)
			h.has(2)
			moved := h.regrouped(h.failing("12", "2"), "lib.py")
			moved.Regrouped = changed.Regrouped
			h.record(moved)
			h.has(3)
		},
		"one error parts": func(h *byHand) {
			old := h.failing("10", "1")
			h.record(old)
			one, two := h.regrouped(old, "one.py"), h.regrouped(old, "two.py")
			h.record(one)
			h.has(2)
			h.record(two, one)
			h.has(3, 1)
			h.record(two)
			h.has(3, 2)
		},
		"one error parts in one batch": func(h *byHand) {
			old := h.failing("10", "1")
			h.record(old)
			h.record(h.regrouped(old, "one.py"), h.regrouped(old, "two.py"), h.regrouped(old, "three.py"))
			h.has(2, 1, 1)
		},
		"two errors join": func(h *byHand) {
			one, two := h.failing("10", "1"), h.failing("12", "1")
			h.record(one, two)
			joined := h.regrouped(one, "lib.py")
			h.record(joined)
			h.has(2, 1)
			again := h.regrouped(one, "lib.py")
			again.Former = two.Grouping
			h.record(again)
			h.has(3, 1)
		},
		"changed twice": func(h *byHand) {
			old := h.failing("10", "1")
			h.record(old)
			one := h.regrouped(old, "one.py")
			h.record(one)
			h.next()
			h.record(h.regrouped(one, "other.py"))
			h.has(3)
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
