package ingest

import (
	"sync"
	"sync/atomic"
	"time"

	"sett/internal/ingest/sentry"
	"sett/internal/sett"
	"sett/internal/stats"
)

// Discards counts what is not stored, as clients report or because it is dropped, until Save is called. The zero value is ready. It is safe for
// concurrent use.
type Discards struct {
	counts  tally[stats.Discard] // by discards without day and count
	dropped sync.Map             // from reasons of this server to *atomic.Int64; never saved
}

// Dropped returns how many things this server has dropped for a reason since it started.
func (d *Discards) Dropped(reason string) int64 {
	if n, ok := d.dropped.Load(reason); ok {
		return n.(*atomic.Int64).Load()
	}
	return 0
}

// add counts discards of a project.
func (d *Discards) add(project int64, now time.Time, all ...stats.Discard) {
	for _, c := range all {
		n := c.Count
		if c.Source == stats.ByServer {
			total, _ := d.dropped.LoadOrStore(c.Reason, new(atomic.Int64))
			total.(*atomic.Int64).Add(n)
		}
		c.ProjectID, c.Day, c.Count = project, sett.Day(now), 0
		d.counts.add(c, n)
	}
}

// Save calls store with what was counted since it was last called, if there is any. What store fails to keep is counted with the next call.
func (d *Discards) Save(store func([]stats.Discard) error) error {
	return d.counts.save(func(counts map[stats.Discard]int64) error {
		var all []stats.Discard
		for c, n := range counts {
			c.Count = n
			all = append(all, c)
		}
		return store(all)
	})
}

// drop counts what this server drops of a project.
func (in *Ingest) drop(p sett.KeyedProject, category, reason string, n int) {
	in.discards.add(p.ProjectID, in.now(), stats.Discard{Source: stats.ByServer, Category: category, Reason: reason, Count: int64(n)})
}

// countDiscards counts what an envelope reports of its client, and its items that sett has no use for.
func (in *Ingest) countDiscards(p sett.KeyedProject, items []sentry.Item) {
	for _, item := range items {
		if item.Type == "client_report" {
			in.discards.add(p.ProjectID, in.now(), sentry.ReadClientReport(item.Payload)...)
		}
	}
	for category, n := range in.unsupported().Count(items) {
		in.drop(p, category, stats.DroppedUnsupported, n)
	}
}
