package intakedb

import (
	"context"
	"slices"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

const noteRates = `-- intakedb.noteRates
INSERT INTO rate_alerts (fault_id, integration_id, at) SELECT k.fault_id, i.id, k.at
FROM {{rows k(fault_id bigint, integration_id bigint, at bigint)}} JOIN integrations i ON i.id = k.integration_id WHERE i.active
ON CONFLICT (fault_id, integration_id) DO UPDATE SET at = excluded.at RETURNING fault_id`

// raiseRates raises alerts for the rates that were found exceeded, if they are still due, and returns the number of alerts.
func (s *Store) raiseRates(ctx context.Context, now time.Time, found []exceededRate) (raised int, err error) {
	slices.SortStableFunc(found, func(a, b exceededRate) int { return int(a.rateWatcher.id - b.rateWatcher.id) })
	for len(found) > 0 {
		n := slices.IndexFunc(found, func(e exceededRate) bool { return e.rateWatcher != found[0].rateWatcher })
		if n < 0 {
			n = len(found)
		}
		for some := range slices.Chunk(found[:n], raisedAtOnce) {
			alerts, err := s.raiseRatesOf(ctx, now, some)
			if raised += alerts; err != nil {
				return raised, err
			}
		}
		found = found[n:]
	}
	return raised, nil
}

// raiseRatesOf raises the alerts of one watcher, in one transaction.
func (s *Store) raiseRatesOf(ctx context.Context, now time.Time, found []exceededRate) (raised int, err error) {
	w := found[0].rateWatcher
	counts := map[int64]int64{}
	var faults []faultdb.ActiveFault
	for _, e := range found {
		counts[e.ActiveFault.ID] = e.count
		faults = append(faults, e.ActiveFault)
	}
	err = s.inTx(ctx, "raise exceeded rates", func(t Tx) error {
		t.KeepsCaches = true
		held, err := t.fault().HoldActive(ctx, now, alerts.AlertRateExceeded, faults)
		if err == nil {
			err = s.fault.ReadNotifiedAt(ctx, t, held, ratesAlerted, w.id)
		}
		if err != nil {
			return err
		}
		alerts, err := t.noteRates(ctx, w, w.due(held), counts)
		if err != nil {
			return err
		}
		raised = len(alerts)
		return t.outbox().Raise(ctx, now, alerts...)
	})
	return raised, err
}

// noteRates records the alerts that the watcher gets, and returns them; none if the integration was deleted or switched off.
func (t Tx) noteRates(ctx context.Context, w rateWatcher, faults []faultdb.ActiveFault, counts map[int64]int64) (list []alerts.Alert, err error) {
	var watchers, newest []int64
	for _, f := range faults {
		watchers, newest = append(watchers, w.id), append(newest, db.Micros(f.Newest))
	}
	noted := map[int64]bool{}
	err = t.EachRow(ctx, noteRates, db.ScanID(func(id int64) { noted[id] = true }), faultdb.FaultIDs(faults), watchers, newest)
	for _, f := range faults {
		if noted[f.ID] {
			a := f.Alert(alerts.AlertRateExceeded, f.Newest, alerts.AlertFacts{Rate: &alerts.RateFacts{Count: counts[f.ID], Threshold: w.threshold, Rate: w.rate}})
			a.IntegrationID = w.id
			list = append(list, a)
		}
	}
	return list, err
}
