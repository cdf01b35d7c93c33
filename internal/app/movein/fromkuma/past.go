package fromkuma

import (
	"context"
	"slices"
	"time"

	"sett/internal/sett/move"
	"sett/internal/store/otherdb"
)

// The states of heartbeats.
const (
	down = 0
	up   = 1
)

// past adds the time before the move to what is watched: when it was down, and the sums of each day.
func (r *reader) past(ctx context.Context) error {
	pasts, err := r.spans(ctx)
	if err != nil {
		return err
	}
	if err := r.outages(ctx, pasts); err != nil {
		return err
	}
	if err := r.days(ctx, pasts); err != nil {
		return err
	}
	for i, s := range r.Sites {
		if p := pasts[s.ID]; p != nil {
			r.Sites[i].Past = *p
		}
	}
	for i, c := range r.CheckIns {
		if p := pasts[c.ID]; p != nil {
			p.Days = nil
			r.CheckIns[i].Past = *p
		}
	}
	return nil
}

// spans returns for each monitor from when until when it was watched.
func (r *reader) spans(ctx context.Context) (map[string]*move.Past, error) {
	pasts := map[string]*move.Past{}
	return pasts, r.Each(ctx, `SELECT monitor_id, min(time) AS first, max(time) AS last FROM heartbeat GROUP BY monitor_id LIMIT ?`, func(row otherdb.Row) error {
		p := &move.Past{Since: row.Time("first"), Last: row.Time("last")}
		if !p.Since.IsZero() && p.Since.Year() > 2000 {
			pasts[row.Text("monitor_id")] = p
		}
		return nil
	}, most)
}

// outages pairs the beats at which a state changed. An outage that lasts is for sett to see.
func (r *reader) outages(ctx context.Context, pasts map[string]*move.Past) error {
	open := map[string]*move.Outage{}
	return r.Each(ctx, `SELECT monitor_id, status, msg, time FROM heartbeat WHERE important = 1 ORDER BY time, id`, func(row otherdb.Row) error {
		id, at := row.Text("monitor_id"), row.Time("time")
		p, o := pasts[id], open[id]
		switch status := row.Number("status"); {
		case p == nil || at.IsZero():
		case status == down && o == nil:
			open[id] = &move.Outage{Down: at, Reason: move.Line(row.Text("msg"), move.MostName)}
		case status != down && o != nil && (status == up || status == 3):
			o.Up = at
			p.Outages = append(p.Outages, *o)
			if len(p.Outages) > 2*move.MostOutages {
				p.Outages = slices.Clone(p.Outages[len(p.Outages)-move.MostOutages:])
			}
			delete(open, id)
		}
		return nil
	})
}

// days adds the sums of days: those that version 2 keeps, otherwise of the beats. A migration that was cut off leaves sums that are wrong.
func (r *reader) days(ctx context.Context, pasts map[string]*move.Past) error {
	sums := map[string]map[time.Time]move.Day{}
	add := func(id string, at time.Time, row otherdb.Row) {
		d := move.Day{
			At: at.UTC().Truncate(24 * time.Hour), Up: row.Number("up"), Failed: row.Number("down"), Average: time.Duration(min(max(row.Number("ping"), 0), 600_000)) * time.Millisecond,
		}
		if pasts[id] == nil || d.Up < 0 || d.Failed < 0 || d.Up+d.Failed == 0 || d.Up+d.Failed > 200_000 {
			return
		}
		if sums[id] == nil {
			sums[id] = map[time.Time]move.Day{}
		}
		sums[id][d.At] = d
	}
	err := r.Each(ctx, `SELECT monitor_id, substr(time, 1, 10) || ' 00:00:00' AS day, sum(status = 1) AS up, sum(status = 0) AS down, avg(CASE WHEN status = 1 THEN ping END) AS ping
		FROM heartbeat GROUP BY monitor_id, substr(time, 1, 10)`, func(row otherdb.Row) error {
		add(row.Text("monitor_id"), row.Time("day"), row)
		return nil
	})
	if err == nil && r.Has("stat_daily") && r.settings["migrateAggregateTableState"] != "migrating" {
		err = r.Each(ctx, `SELECT monitor_id, timestamp, up, down, ping FROM stat_daily`, func(row otherdb.Row) error {
			add(row.Text("monitor_id"), time.Unix(row.Number("timestamp"), 0), row)
			return nil
		})
	}
	for id, days := range sums {
		p := pasts[id]
		for _, d := range days {
			p.Days = append(p.Days, d)
		}
		slices.SortFunc(p.Days, func(a, b move.Day) int { return a.At.Compare(b.At) })
		p.Days = p.Days[max(0, len(p.Days)-move.MostDays):]
		if len(p.Days) > 0 && p.Since.Sub(p.Days[0].At) >= 24*time.Hour {
			p.Since = p.Days[0].At // its beats are gone
		}
	}
	return err
}
