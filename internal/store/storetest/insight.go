package storetest

import (
	"context"
	"math"
	"time"

	"sett/internal/sett/insight"
	"sett/internal/store"
	"sett/internal/store/insightdb"
)

// Send stores structured events of a project as they are received at a time.
func (d *Desk) Send(now time.Time, project int64, events ...insight.Event) {
	d.T.Helper()
	var body []byte
	first, last := int64(math.MaxInt64), int64(0)
	for _, e := range events {
		body, first, last = e.Append(body), min(first, e.At), max(last, e.At)
	}
	b := insightdb.NewBatch(project, int64(len(events)), int64(len(body)), first, last, body)
	if full, err := d.Insights.Record(d.T.Context(), now, math.MaxInt64, []*insightdb.Batch{b}); err != nil || full[0] {
		d.T.Fatalf("store events: %v, full %v", err, full)
	}
}

// Pack packs structured events that are due at a time, and returns in how many steps.
func (d *Desk) Pack(now time.Time) int64 {
	d.T.Helper()
	n, err := d.PackInsights(d.T.Context(), store.Purge{
		Now: func() time.Time { return now }, Holder: "test", Rest: func(context.Context, time.Duration) error { return nil },
	})
	if err != nil {
		d.T.Fatal(err)
	}
	return n
}
