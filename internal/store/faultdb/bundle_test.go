package faultdb_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

func TestBundledPayloadsComeBack(t *testing.T) {
	t.Parallel()
	var reports []*faults.Report
	for i, trace := range []string{"", "[]", "[" + strings.Repeat(`{"file":"a"},`, 40) + `{}]`, ""} {
		body := `{"error":{"backtrace":` + trace + `}}`
		r := &faults.Report{Body: []byte(body), Class: "A", User: "ann", Format: []payload.Format{payload.Honeybadger, "other"}[i%2]}
		if trace != "" {
			r.BacktraceStart, r.BacktraceEnd = len(`{"error":{"backtrace":`), len(`{"error":{"backtrace":`)+len(trace)
		}
		reports = append(reports, r)
	}
	for n := 1; n <= len(reports); n++ {
		for slot, p := range new(faultdb.Packer).Pack(reports[:n]) {
			var trace []byte
			if p.Backtrace != nil {
				trace = faultdb.PackBacktrace(p.Backtrace)
			}
			stored, err := block.PayloadAt(p.Bundle.Body, p.Slot)
			if err != nil || p.Slot != slot {
				t.Fatalf("slot %d of %d: %v", p.Slot, n, err)
			}
			want := payload.Body{Format: reports[slot].Format, JSON: reports[slot].Body}
			if got, err := faultdb.Unpack(stored, trace); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%d of %d: got %q, %v; want %q", slot, n, got, err, want)
			}
			if o, err := faultdb.OpenPayload(stored); err != nil || o.Facts != p.Facts {
				t.Errorf("%d of %d: facts %q, %v; want %q", slot, n, o.Facts, err, p.Facts)
			}
		}
	}
}

func TestDamagedBundlesAreErrors(t *testing.T) {
	t.Parallel()
	good := block.AppendLengths([]byte("ab"), []int{1, 1})
	for name, data := range map[string][]byte{
		"nothing":          {},
		"too many lengths": {9},
		"a long length":    block.AppendLengths([]byte("ab"), []int{1, 2}),
	} {
		if _, err := block.OpenBundle(block.AppendCompressed(nil, data, block.CompressedTogether)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, body := range map[string][]byte{
		"an unknown version": append([]byte{9}, block.AppendCompressed(nil, good, block.CompressedTogether)[1:]...),
		"no version":         {},
		"no S2 block":        {block.CompressedTogether, 255, 255},
	} {
		if _, err := block.OpenBundle(body); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := block.PayloadAt(block.AppendCompressed(nil, good, block.CompressedTogether), 2); err == nil {
		t.Error("a slot that is not there: no error")
	}
}

// What was deleted is in no bundle any more, and the neighbours of it still are.
func TestDeletedNoticesLeaveTheirBundle(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		secret := body(`{"error":{"message":"secret"}}`)
		var reports []*faults.Report
		for _, p := range []*faultdb.Packed{d.Report("A", secret), d.Report("B"), d.Report("A", secret), d.Report("B")} {
			reports = append(reports, p.Report)
		}
		d.Record(storetest.Noon, accounts.Limits{}, new(faultdb.Packer).Pack(reports)...)
		if got := d.Numbers(`SELECT count(*), CAST(sum(slots) AS bigint) FROM bundles`, 2); !cmp.Equal(got, []int64{1, 15}) {
			t.Fatalf("bundles and slots %v, want 1 and 15", got)
		}
		if err := s.Faults.DeleteFault(t.Context(), d.ProjectID, d.FaultID("A")); err != nil {
			t.Fatal(err)
		}
		if got := d.Numbers(`SELECT count(*), CAST(sum(slots) AS bigint) FROM bundles`, 2); !cmp.Equal(got, []int64{1, 10}) {
			t.Errorf("bundles and slots %v, want 1 and 10", got)
		}
		var left []byte
		if err := s.Read.QueryRowContext(t.Context(), `SELECT body FROM bundles`).Scan(&left); err != nil {
			t.Fatal(err)
		}
		if data, err := block.Decompress(left); err != nil || strings.Contains(string(data), "secret") {
			t.Errorf("the bundle holds %q, %v", data, err)
		}
		notices, _ := d.ListedNotices("B", faultdb.NoticePage{Page: sett.Page{Size: 25}})
		if len(notices) != 2 || !notices[0].Readable || len(notices[0].Backtrace) == 0 {
			t.Errorf("the other fault has %+v", notices)
		}
		if err := s.Faults.DeleteFault(t.Context(), d.ProjectID, d.FaultID("B")); err != nil {
			t.Fatal(err)
		}
		if got := d.Numbers(`SELECT count(*) FROM bundles`, 1); got[0] != 0 {
			t.Errorf("%d bundles are left", got[0])
		}
	})
}

// A report that is not stored has no place among the slots.
func TestBundlesKnowWhatIsStored(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		reports := []*faults.Report{d.Report("A", storetest.WithToken(1)).Report, d.Report("A", storetest.WithToken(1)).Report, d.Report("A").Report}
		d.Record(storetest.Noon, accounts.Limits{}, new(faultdb.Packer).Pack(reports)...)
		if got := d.Numbers(`SELECT slots FROM bundles`, 1); got[0] != 0b101 {
			t.Errorf("slots %b, want 101", got[0])
		}
	})
}
