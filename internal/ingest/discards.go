package ingest

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sett/internal/ingest/event"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
)

// Discards counts what is not stored, as clients report or because it is dropped, until Save is called. The zero value is ready. It is safe for
// concurrent use.
type Discards struct {
	counts  tally[stats.Discard] // by discards without count and detail
	dropped sync.Map             // from reasons of this server to *atomic.Int64; never saved

	mu       sync.Mutex
	details  map[stats.Discard]string // the newest, by what is in counts
	checkIns map[slugOfProject]stats.RefusedCheckIn
}

type slugOfProject struct {
	project int64
	slug    string
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
		detail := c.Detail
		c.ProjectID, c.Day, c.Count, c.Detail = project, accounts.Day(now), 0, ""
		d.counts.add(c, n)
		if detail != "" {
			d.addDetail(c, detail)
		}
	}
}

func (d *Discards) addDetail(c stats.Discard, detail string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.details == nil {
		d.details = map[stats.Discard]string{}
	}
	d.details[c] = detail
}

// addCheckIn keeps what was refused of the reports about a job.
func (d *Discards) addCheckIn(r stats.RefusedCheckIn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := slugOfProject{r.ProjectID, r.Slug}
	if before, ok := d.checkIns[key]; ok {
		r.Count, r.FirstAt = r.Count+before.Count, before.FirstAt
	} else if len(d.checkIns) >= mostUnsavedCheckIns {
		return
	}
	if d.checkIns == nil {
		d.checkIns = map[slugOfProject]stats.RefusedCheckIn{}
	}
	d.checkIns[key] = r
}

// forgetCheckIn drops what was not saved yet about a job, of which a report was taken.
func (d *Discards) forgetCheckIn(project int64, slug string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.checkIns, slugOfProject{project, slug})
}

// mostUnsavedCheckIns is how many slugs with refused reports wait to be saved.
const mostUnsavedCheckIns = 1_000

// SaveCheckIns calls store with the reports about jobs that were refused since it was last called, if there are any. What store fails to keep is
// in the next call.
func (d *Discards) SaveCheckIns(store func([]stats.RefusedCheckIn) error) error {
	d.mu.Lock()
	all := slices.Collect(maps.Values(d.checkIns))
	d.checkIns = nil
	d.mu.Unlock()
	if len(all) == 0 {
		return nil
	}
	err := store(all)
	if err != nil {
		for _, r := range all {
			d.addCheckIn(r)
		}
	}
	return err
}

// Save calls store with what was counted since it was last called, if there is any. What store fails to keep is counted with the next call.
func (d *Discards) Save(store func([]stats.Discard) error) error {
	return d.counts.save(func(counts map[stats.Discard]int64) error {
		var all []stats.Discard
		details := d.takeDetails()
		for c, n := range counts {
			detail := details[c]
			c.Count, c.Detail = n, detail
			all = append(all, c)
		}
		err := store(all)
		if err != nil {
			for c, detail := range details {
				d.addDetail(c, detail)
			}
		}
		return err
	})
}

func (d *Discards) takeDetails() (details map[stats.Discard]string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	details, d.details = d.details, nil
	return details
}

// drop counts what this server drops of a project.
func (in *Ingest) drop(p accounts.KeyedProject, category, reason string, n int) {
	if n == 0 {
		return
	}
	in.discards.add(p.ProjectID, in.now(), stats.Discard{Source: stats.ByServer, Category: category, Reason: reason, Count: int64(n)})
}

// longestDetail is how many bytes are kept of the sentence with which something was refused.
const longestDetail = 300

// dropFor counts what is not stored of a project because of an error, under its reason. An error after which clients send again does not count.
func (in *Ingest) dropFor(p accounts.KeyedProject, category string, err error, n int) {
	if reason := stats.DroppedFor(err); reason != "" && p.ProjectID != 0 && n > 0 {
		in.discards.add(p.ProjectID, in.now(), stats.Discard{Source: stats.ByServer, Category: category, Reason: reason, Count: int64(n), Detail: in.sentenceOf(p, err)})
	}
}

// sentenceOf returns what an error says, without secrets: it may repeat what was sent.
func (in *Ingest) sentenceOf(p accounts.KeyedProject, err error) string {
	e, ok := errors.AsType[*sett.Error](err)
	if !ok {
		return ""
	}
	return event.Line(in.cleanText(p, e.Message), longestDetail)
}
