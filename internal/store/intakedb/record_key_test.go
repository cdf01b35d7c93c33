package intakedb_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// failing is a report of an error at a line of a function in a revision.
func (d *desk) failing(line, revision string, change ...func(*faults.Grouping)) *faultdb.Packed {
	r := d.Report("A")
	r.Revision = revision
	r.Grouping = faults.Grouping{Rule: 2, Basis: "location", Environment: r.Environment, Class: "A", File: "cart.py", Method: "pay", Line: line, Revision: revision}
	for _, c := range change {
		c(&r.Grouping)
	}
	r.Grouping.Seal(d.ProjectID)
	r.Former = faults.Grouping{Rule: 1, Basis: "location", Environment: r.Environment, Class: "A", File: "cart.py", Method: "pay", Line: line}
	r.Former.Seal(d.ProjectID)
	return r
}

func message(text string) func(*faults.Grouping) {
	return func(g *faults.Grouping) { g.Message, g.Alike = text, 34 }
}

// Each case lists events by batch, and after each batch how many notices each error has, the oldest error first.
func TestEventsGoOnWithTheErrorOfTheirPlace(t *testing.T) {
	t.Parallel()
	former := func(d *desk) *faultdb.Packed {
		r := d.failing("10", "1")
		r.Grouping, r.Former = r.Former, faults.Grouping{}
		return r
	}
	for name, c := range map[string]struct {
		batches func(*desk) [][]*faultdb.Packed
		want    [][]int64
	}{
		"the line moved": {
			func(d *desk) [][]*faultdb.Packed {
				return [][]*faultdb.Packed{{d.failing("10", "1")}, {d.failing("14", "2")}, {d.failing("14", "2"), d.failing("10", "1")}}
			},
			[][]int64{{1}, {2}, {4}},
		},
		"two lines fail in one revision": {
			func(d *desk) [][]*faultdb.Packed {
				return [][]*faultdb.Packed{{d.failing("10", "1")}, {d.failing("12", "1")}, {d.failing("10", "2")}, {d.failing("12", "2")}}
			},
			[][]int64{{1}, {1, 1}, {2, 1}, {2, 2}},
		},
		"a line that goes on to fail is no moved one": {
			func(d *desk) [][]*faultdb.Packed {
				return [][]*faultdb.Packed{{d.failing("10", "1")}, {d.failing("10", "2")}, {d.failing("12", "2")}}
			},
			[][]int64{{1}, {2}, {2, 1}},
		},
		"in one batch": {
			func(d *desk) [][]*faultdb.Packed {
				return [][]*faultdb.Packed{{d.failing("10", "1"), d.failing("14", "2"), d.failing("20", "2")}, {d.failing("14", "2"), d.failing("20", "2")}}
			},
			[][]int64{{2, 1}, {3, 2}},
		},
		"an earlier rule knows it": {
			func(d *desk) [][]*faultdb.Packed {
				return [][]*faultdb.Packed{{former(d)}, {d.failing("10", "1")}, {d.failing("14", "2")}}
			},
			[][]int64{{1}, {2}, {3}},
		},
		"messages that vary in a word": {
			func(d *desk) [][]*faultdb.Packed {
				return [][]*faultdb.Packed{{d.failing("10", "1", message("no price for pears"))}, {d.failing("10", "1", message("no price for plums"))}, {d.failing("10", "1", message("disk is full"))}}
			},
			[][]int64{{1}, {2}, {2, 1}},
		},
		"no revision is known": {
			func(d *desk) [][]*faultdb.Packed {
				return [][]*faultdb.Packed{{d.failing("10", "")}, {d.failing("12", "")}}
			},
			[][]int64{{1}, {1, 1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Engines(t, func(t *testing.T, s *store.Store) {
				d := newDesk(t, s)
				for i, batch := range c.batches(d) {
					d.Record(storetest.Noon.Add(time.Duration(2*i)*time.Minute), accounts.Limits{}, batch...)
					if diff := cmp.Diff(c.want[i], d.eventsOfFaults(t)); diff != "" {
						t.Fatalf("after batch %d (-want +got):\n%s", i+1, diff)
					}
				}
			})
		})
	}
}

// eventsOfFaults returns how many notices each error has, the oldest error first.
func (d *desk) eventsOfFaults(t *testing.T) (counts []int64) {
	t.Helper()
	rows, err := d.Read.QueryContext(t.Context(), `SELECT notices_count FROM fault_counts ORDER BY fault_id`)
	if err := db.ScanAll(rows, err, db.ScanID(func(n int64) { counts = append(counts, n) })); err != nil {
		t.Fatal(err)
	}
	return counts
}

// An error whose line moves with each of many releases, or whose messages vary without end, goes on, and has a bounded number of keys.
func TestPlacesKeepFewKeys(t *testing.T) {
	t.Parallel()
	for name, report := range map[string]func(*desk, int) *faultdb.Packed{
		"lines": func(d *desk, i int) *faultdb.Packed { return d.failing(strconv.Itoa(10+i), strconv.Itoa(i)) },
		"messages": func(d *desk, i int) *faultdb.Packed {
			return d.failing("10", "1", message(fmt.Sprintf("no price for %c%c", 'a'+i%26, 'a'+i/26)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Engines(t, func(t *testing.T, s *store.Store) {
				const events = 120
				d := newDesk(t, s)
				for i := range events {
					d.Record(storetest.Noon.Add(time.Duration(2*i)*time.Minute), accounts.Limits{}, report(d, i))
				}
				if diff := cmp.Diff([]int64{events}, d.eventsOfFaults(t)); diff != "" {
					t.Errorf("events of each error (-want +got):\n%s", diff)
				}
				keys := int64(0)
				if err := d.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM fault_keys`).Scan(&keys); err != nil || keys > 51 {
					t.Errorf("%d keys are kept, %v", keys, err)
				}
			})
		})
	}
}
