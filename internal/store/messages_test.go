package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// saying makes a report say something.
func saying(message string, causes ...faults.Said) func(*faults.Report) {
	return func(r *faults.Report) { r.Message, r.Causes = message, causes }
}

// A message is found as long as an event that has it is stored, and stays counted.
func TestMessagesGoWithTheirEvents(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.keeps(d.ProjectID, 30)
		day := func(n int, reports ...*faultdb.Packed) {
			d.Record(storetest.Noon.AddDate(0, 0, n), accounts.Limits{}, reports...)
		}
		root := faults.Said{Class: "Root", Message: "walrus"}
		day(0, d.Report("A", saying("badger")), d.Report("A", saying("otter", root)), d.Report("A", saying("lynx")))
		day(20, d.Report("A", saying("lynx")), d.Report("A", saying("heron")))
		d.purged(storetest.Noon.AddDate(0, 0, 31))
		for q, want := range map[string][]string{"otter": {}, "walrus": {}, "cause:": {"A"}, "lynx": {"A"}, "heron": {"A"}, "badger": {"A"}} {
			if diff := cmp.Diff(want, d.Find(q)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", q, diff)
			}
		}
		sheet, err := s.Faults.ReadSheet(t.Context(), s.Read, storetest.Noon, faultdb.SheetAsk{ProjectID: d.ProjectID, FaultID: d.FaultID("A")})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		var events int64
		for _, m := range sheet.Said {
			events += m.Count
			said = append(said, m.Message)
		}
		if got := strings.Join(said, ","); got != "heron,lynx,badger," && got != "lynx,heron,badger," || events != 5 {
			t.Errorf("of %d events are listed: %q", events, got)
		}
		if n := d.purged(storetest.Noon.AddDate(0, 0, 32)); n != 0 {
			t.Errorf("%d more were purged", n)
		}
	})
}

// An erasure forgets what events of the user say, and what led to them.
func TestErasureForgetsMessages(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		at := func(minutes int, reports ...*faultdb.Packed) {
			d.Record(storetest.Noon.Add(time.Duration(minutes-60)*time.Minute), accounts.Limits{}, reports...)
		}
		of := func(user, message string) *faultdb.Packed {
			return d.Report("A", from(user), saying(message, faults.Said{Class: "Root", Message: "caused " + message}))
		}
		at(0, of("1", "badger"))
		at(1, of("7", "otter of Ines"))
		at(2, of("2", "lynx"))
		d.Compact(storetest.Noon, block.Sizes{Most: 8, Least: 1})
		at(3, of("7", "heron of Ines"))
		at(4, of("2", "lynx"))
		if found := d.stored("of Ines"); len(found) == 0 {
			t.Fatal("nothing is stored before")
		}
		d.erase(d.ProjectID, "7")
		if found := d.stored("of Ines"); len(found) > 0 {
			t.Errorf("still stored in %q", found)
		}
		at(5, of("2", "lynx"))
		at(6, of("2", "lynx"))
		for q, want := range map[string][]string{"otter": {}, "heron": {}, "badger": {"A"}, "lynx": {"A"}, `cause:"caused badger"`: {"A"}} {
			if diff := cmp.Diff(want, d.Find(q)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", q, diff)
			}
		}
	})
}

// An error that is deleted leaves no messages behind, nor do its parts.
func TestDeletedErrorsLeaveNoMessages(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A", saying("badger")), d.Report("A", saying("otter")), d.Report("B", saying("lynx", faults.Said{Class: "Root"})))
		if n := d.rowsOf("fault_messages")["fault_messages"]; n != 2 {
			t.Fatalf("%d messages are stored", n)
		}
		for _, class := range []string{"A", "B"} {
			if err := s.Faults.DeleteFault(t.Context(), d.ProjectID, d.FaultID(class)); err != nil {
				t.Fatal(err)
			}
		}
		if n := d.rowsOf("fault_messages")["fault_messages"]; n != 0 {
			t.Errorf("%d messages are left", n)
		}
	})
}
