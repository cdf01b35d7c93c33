package demo

import (
	"context"
	"math"
	"strconv"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/dashboard"
	"sett/internal/sett/faults"
	"sett/internal/sett/insight"
	"sett/internal/sett/scrub"
	"sett/internal/store"
	"sett/internal/store/insightdb"
)

// eventsOfScale is how many requests, jobs and log lines report a structured event in the time for which these are kept, at scale 1 and but for
// chance. Those of errors are in addition.
const eventsOfScale = 24_000

// eventSlot is how much time the events of one transaction stand for.
const eventSlot = 30 * time.Minute

// eventPace is how many structured events there are in a second, on average.
func (w *world) eventPace() float64 {
	return float64(eventsOfScale*w.scale/w.thin) / insight.Keep.Seconds()
}

// planEvents has programs report structured events in the last days, as many as a server keeps.
func (w *world) planEvents() {
	d := w.dice("events")
	for age := insight.Keep; age > 0; age -= eventSlot {
		w.history.at(w.ago(age-eventSlot), "structured events", func(ctx context.Context, now time.Time) error {
			return w.recordEvents(ctx, d, now.Add(-eventSlot), now, w.eventPace())
		})
	}
}

// recordEvents records what programs did in a time, and what was noted of errors meanwhile.
func (w *world) recordEvents(ctx context.Context, d dice, from, now time.Time, pace float64) error {
	var batches []*insightdb.Batch
	for _, p := range w.projects {
		for range d.count(pace * now.Sub(from).Seconds() * p.plan.notices * p.pace(now)) {
			p.events = append(p.events, w.activity(p, d, from.Add(d.between(0, now.Sub(from))))...)
		}
		batches = append(batches, batchesOf(p.id, p.events)...)
		p.events = nil
	}
	if len(batches) == 0 {
		return nil
	}
	_, err := w.store.Insights.Record(ctx, now, math.MaxInt64, batches)
	return err
}

// batchesOf puts events of a project together as intake does.
func batchesOf(project int64, events []insight.Event) (batches []*insightdb.Batch) {
	var body []byte
	var count, bytes, first, last int64
	for i, e := range events {
		if first = min(first, e.At); count == 0 {
			first, last = e.At, e.At
		}
		last = max(last, e.At)
		for _, f := range e.Fields {
			bytes += int64(len(f.Key) + len(f.Value) + len(`"":,`))
		}
		body, count = e.Append(body), count+1
		if i == len(events)-1 || len(body) > insightdb.MostInBatch/2 {
			batches = append(batches, insightdb.NewBatch(project, count, bytes, first, last, body))
			body, count, bytes = nil, 0, 0
		}
	}
	return batches
}

// packEvents packs the events that wait, as a server does in the background.
func (w *world) packEvents(ctx context.Context, now time.Time) error {
	_, err := w.store.PackInsights(ctx, store.Purge{
		Now: func() time.Time { return now }, Holder: "demo", Rest: func(context.Context, time.Duration) error { return nil },
	})
	return err
}

// scrubbed counts what a server has removed from the reports of a day, beside what the programs leave out themselves.
func (w *world) scrubbed(ctx context.Context, now time.Time) error {
	d := w.dice("scrubbed " + now.Format(time.DateOnly))
	var all []scrub.Removed
	for _, p := range w.projects {
		for kind, mean := range []float64{scrub.ByName: 30, scrub.ByCard: 2, scrub.ByCredential: 1} {
			if n := d.count(mean * p.plan.notices); n > 0 {
				all = append(all, scrub.Removed{ProjectID: p.id, Day: accounts.Day(now), Kind: scrub.Kind(kind).String(), Count: int64(n)})
			}
		}
	}
	return w.store.Intake.AddScrubbed(ctx, all)
}

// planQueries plans the queries of structured events that users have saved.
func (w *world) planQueries(who *person, p *project) {
	for i, q := range []faults.SavedSearchSettings{
		{Name: "Response time by method", Q: "filter isNotNull(method)\n| stats avg(duration) as ms by bin(3h), method", Period: "7d"},
		{Name: "Slowest actions", Q: "stats count() as requests, percentile(95, duration) as p95 by controller, action\n| sort p95 desc\n| limit 10", Period: "24h"},
		{Name: "Paid orders by plan", Q: "event_type:order.paid\n| stats sum(amount) as total, count() as orders by plan\n| sort total desc", Period: "7d"},
	} {
		w.history.at(w.ago(2*time.Hour), "save a query", func(ctx context.Context, now time.Time) error {
			target := map[string]string{"project_id": strconv.FormatInt(p.id, 10)}
			_, err := w.store.Search.SaveQuery(w.by(ctx, now, who, "saveQuery", p.name, target, q), now, who.id, p.id, q, i < 2)
			return err
		})
	}
}

// planDashboards plans the dashboards that a user makes of the first templates.
func (w *world) planDashboards(who *person, p *project) {
	source := w.dice("dashboards").source
	for i, t := range dashboard.Templates()[:2] {
		w.history.at(w.ago(time.Duration(3-i)*time.Hour), "make a dashboard", func(ctx context.Context, now time.Time) error {
			settings, err := dashboard.ChangeOf(t.Settings).Check(now, func() string { return sett.RandomStringFrom(source, 8) })
			if err != nil {
				return err
			}
			target := map[string]string{"project_id": strconv.FormatInt(p.id, 10)}
			_, err = w.store.Dashboards.Create(w.by(ctx, now, who, "createDashboard", p.name, target, settings), now, p.id, settings)
			return err
		})
	}
}
