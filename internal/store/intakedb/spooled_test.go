package intakedb_test

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/faultdb"
	"sett/internal/store/intakedb"
	"sett/internal/store/storetest"
)

// TestSpooled records reports from a spool beside a node that records all the time, twice. They keep the times at which they were received, are
// counted, and are stored once, also by a process that comes later.
func TestSpooled(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	d := newDesk(t, c.Node(t))
	d.Record(storetest.Noon.Add(time.Hour), accounts.Limits{}, d.Report("Now"))
	var reports []*faultdb.Packed
	for i := range 5 {
		r := d.Report("Spooled")
		r.Token, r.ReceivedAt = sett.UUID{1, byte(i)}, storetest.Noon.Add(time.Duration(i)*time.Second)
		reports = append(reports, r)
	}
	for _, some := range [][]*faultdb.Packed{reports[:3], reports[2:]} {
		s := d.Intake.OfSpool()
		if _, err := s.RecordNotices(t.Context(), storetest.Noon.Add(10*time.Second), accounts.Limits{}, intakedb.Intake{Reports: some}); err != nil {
			t.Fatal(err)
		}
		if err := s.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	notices, _ := d.ListedNotices("Spooled", faultdb.NoticePage{Page: sett.Page{Size: 25}})
	for i, n := range notices {
		if want := storetest.Noon.Add(time.Duration(4-i) * time.Second); !n.CreatedAt().Equal(want) {
			t.Errorf("notice %d is of %s, want %s", i, n.CreatedAt(), want)
		}
	}
	if f := d.Fault("Spooled"); len(notices) != 5 || f.NoticesCount != 5 {
		t.Errorf("%d notices, counted as %d; want 5", len(notices), f.NoticesCount)
	}
	d.WantNumbers("nodes after all is recorded", `SELECT count(*) FROM nodes`, nil, 1)
}
