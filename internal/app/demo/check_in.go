package demo

import (
	"context"
	"fmt"
	"time"

	"sett/internal/base/cron"
	"sett/internal/sett/checks"
	"sett/internal/store/uptimedb"
)

// checkIn watches a job.
type checkIn struct {
	checks.CheckIn
	plan checkInPlan
}

// checkInPlan says what a job is like.
type checkInPlan struct {
	project    int
	name, slug string
	cron, zone string
	every      time.Duration // of a job without cron
	grace      string
	takes      time.Duration // 0: it does not say
	output     string
	since      int       // days ago when it was made
	silent     []trouble // when it did not report; only the times
	fails      float64   // how often it ends badly
	broken     time.Time // since when it always does; zero: never
	never      bool
	paused     bool
}

func (w *world) checkInPlans() []checkInPlan {
	return []checkInPlan{
		{project: 0, name: "Nightly backup", slug: "nightly-backup", cron: "0 2 * * *", zone: "Europe/London", grace: "30 minutes", takes: 14 * time.Minute, output: "snapshot %s\nprocessed 48213 files, 12.4 GiB\nsaved", since: days, fails: 0.03, silent: []trouble{{from: w.daysAgo(33, "00:00"), to: w.daysAgo(32, "00:00")}}},
		{project: 0, name: "Invoice run", slug: "invoices", every: 24 * time.Hour, grace: "1 hour", takes: 220 * time.Second, output: "invoices for %s: 1204 sent, 3 held", since: days, fails: 0.02, broken: w.ago(25 * time.Hour)},
		{project: 0, name: "Queue heartbeat", slug: "queue", every: 5 * time.Minute, grace: "2 minutes", since: 6, silent: []trouble{{from: w.daysAgo(1, "08:10"), to: w.daysAgo(1, "08:32")}}},
		{project: 0, name: "Stock sync", slug: "stock-sync", every: time.Hour, grace: "10 minutes", takes: 48 * time.Second, output: "%s pulled 8 warehouses", since: 60, fails: 0.01, silent: []trouble{{from: w.ago(190 * time.Minute), to: w.to.AddDate(0, 0, 1)}, {from: w.daysAgo(12, "04:00"), to: w.daysAgo(12, "06:30")}}},
		{project: 0, name: "Search reindex", slug: "reindex", cron: "30 * * * *", zone: "UTC", since: 2, never: true},
		{project: 1, name: "Sitemap", slug: "sitemap", cron: "15 5 * * 1-5", zone: "Europe/Berlin", grace: "1 hour", takes: 95 * time.Second, output: "%s 18233 urls", since: 80},
		{project: 2, name: "Warehouse import", slug: "warehouse-import", every: 6 * time.Hour, grace: "20 minutes", takes: 9 * time.Minute, output: "%s imported", since: 70, fails: 0.05, paused: true},
		{project: 3, name: "Month close", slug: "month-close", cron: "0 3 1 * *", zone: "Europe/Berlin", grace: "2 hours", takes: 41 * time.Minute, output: "closed %s", since: days},
		{project: 3, name: "FX rates", slug: "fx-rates", cron: "5 16 * * 1-5", zone: "Europe/Berlin", grace: "15 minutes", takes: 4 * time.Second, output: "%s 31 rates", since: days},
	}
}

// makeCheckIns plans that check-ins are made; those that a status page shows are made at once.
func (w *world) makeCheckIns(ctx context.Context) error {
	for _, plan := range w.checkInPlans() {
		p := w.projects[plan.project]
		schedule := fmt.Sprintf(`"schedule_type":"cron","cron_schedule":%q,"cron_timezone":%q`, plan.cron, plan.zone)
		if plan.cron == "" {
			schedule = fmt.Sprintf(`"schedule_type":"simple","report_period":"%d minutes"`, int(plan.every/time.Minute))
		}
		change := change[checks.CheckInChange](`{"name":%q,"slug":%q,"grace_period":%q,%s}`, plan.name, plan.slug, plan.grace, schedule)
		c := &checkIn{plan: plan}
		w.checkIns = append(w.checkIns, c)
		made, err := w.store.Uptime.CreateCheckIn(ctx, w.from.Add(-10*time.Hour), p.id, change)
		if err != nil {
			return err
		}
		if c.CheckIn = made; w.CheckInID == "" {
			w.CheckInID = made.ID
		}
	}
	return nil
}

// runs are the times from one until before another at which the job is to run.
func (c *checkIn) runs(w *world, from, to time.Time) (all []time.Time) {
	if since := w.daysAgo(c.plan.since, "00:00"); from.Before(since) {
		from = since
	}
	if c.plan.cron == "" {
		return ticks(from, to, c.plan.every, c.plan.every/3)
	}
	schedule, err := cron.Parse(c.plan.cron)
	if err != nil {
		panic(err) // it is written in this package
	}
	zone, err := cron.TimeZone(c.CronTimezone)
	if err != nil {
		panic(err) // likewise
	}
	for at := schedule.Next(from.Add(-time.Second), zone); at.Before(to); at = schedule.Next(at, zone) {
		all = append(all, at)
	}
	return all
}

// planPings has jobs report, and deadlines passed that they miss.
func (w *world) planPings() {
	for _, c := range w.checkIns {
		if c.plan.never {
			continue
		}
		d := w.dice("pings of " + c.plan.slug)
		for _, at := range c.runs(w, w.from, w.to) {
			ping := c.ping(d, at)
			if c.isSilent(ping.At) {
				w.history.at(at.Add(c.plan.every+time.Minute), "sweep", w.sweep)
				continue
			}
			w.history.at(ping.At, "ping", func(ctx context.Context, now time.Time) error { return w.report(ctx, c, ping) })
		}
		if c.plan.paused {
			w.history.at(w.daysAgo(2, "11:00"), "pause a check-in", func(ctx context.Context, now time.Time) error {
				ctx = w.by(ctx, now, w.people["jonas"], "pauseCheckIn", w.projects[c.plan.project].name, map[string]string{"check_in_id": c.ID}, nil)
				return w.store.Uptime.PauseCheckIn(ctx, now, w.projects[c.plan.project].id, c.ID, w.to.AddDate(0, 0, 3))
			})
		}
	}
}

func (c *checkIn) isSilent(at time.Time) bool {
	for _, t := range c.plan.silent {
		if !at.Before(t.from) && at.Before(t.to) {
			return true
		}
	}
	return false
}

// ping is what a job says of a run that began at a time, once it has ended.
func (c *checkIn) ping(d dice, began time.Time) checks.Ping {
	if c.plan.takes == 0 {
		return checks.Ping{At: began.Add(d.between(0, 4*time.Second))}
	}
	took := time.Duration(float64(c.plan.takes) * (0.8 + 0.5*d.Float64()))
	ms, code := took.Milliseconds(), 0
	p := &checks.PingPayload{Status: "success", Duration: &ms, ExitCode: &code, Stdout: fmt.Sprintf(c.plan.output, began.Format(time.DateOnly)) + "\n"}
	if d.chance(c.plan.fails) || !c.plan.broken.IsZero() && began.After(c.plan.broken) {
		code = 1
		p.Status, p.Stdout, p.Stderr = "error", "", "error: connection to 10.0.4.12 timed out\n"
	}
	return checks.Ping{At: began.Add(took), Payload: p}
}

func (w *world) report(ctx context.Context, c *checkIn, p checks.Ping) error {
	_, err := w.store.Uptime.RecordPings(ctx, []uptimedb.PingReport{{ID: c.ID, Ping: p}})
	return err
}

// sweep finds jobs that have not reported in time.
func (w *world) sweep(ctx context.Context, now time.Time) error {
	for {
		more, _, err := w.store.Uptime.SweepCheckIns(ctx, now, 200)
		if err != nil || !more {
			return err
		}
	}
}
