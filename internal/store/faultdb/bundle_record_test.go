package faultdb_test

import (
	"testing"

	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

func TestRecordKeepsThePayload(t *testing.T) {
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		sent := d.Report("A")
		d.Record(storetest.Noon, accounts.Limits{}, sent)
		var slot int
		var bundle, backtrace []byte
		err := s.Read.QueryRowContext(t.Context(), `SELECT n.slot, u.body, b.body FROM notices n JOIN bundles u ON u.id = n.bundle_id
			JOIN backtraces b ON b.id = n.backtrace_id`).Scan(&slot, &bundle, &backtrace)
		if err != nil {
			t.Fatal(err)
		}
		payload, err := block.PayloadAt(bundle, slot)
		if err != nil {
			t.Fatal(err)
		}
		body, err := faultdb.Unpack(payload, backtrace)
		if err != nil || string(body.JSON) != string(sent.Body) || body.Format != sent.Format {
			t.Errorf("body is %q in format %q, %v; want %q", body.JSON, body.Format, err, sent.Body)
		}
	})
}
