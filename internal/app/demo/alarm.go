package demo

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"sett/internal/monitor/watch"
	"sett/internal/sett/alarm"
)

// planAlarms plans three alarms of the last day: one that is raised, one that was for a while, and one that never was.
func (w *world) planAlarms(who *person, p *project) {
	now := time.Time{}
	clock := watch.NewAlarms(watch.AlarmOptions{
		Alarms: w.store.Alarms, Insights: w.store.Insights, Sees: func(time.Time) bool { return true }, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler),
	})
	target := map[string]string{"project_id": strconv.FormatInt(p.id, 10)}
	for _, a := range []struct{ name, about, query, operator, value, period string }{
		{"Failing requests", "Look at the newest deploy first.", "filter event_type::str == \"process_action.action_controller\" and status::int >= 400", "gt", "2", "2h"},
		{"Jobs that are retried", "", "filter event_type::str == \"perform.sidekiq\" and status::str == \"retried\"", "gt", "3", "30m"},
		{"No paid orders", "Customers cannot pay, or there are none.", "filter event_type::str == \"order.paid\"", "eq", "0", "6h"},
	} {
		c := change[alarm.AlarmChange](`{"name":%s,"description":%s,"query":%s,"evaluation_period":%s,"lookback_lag":"1m","trigger_config":{"type":"alert_result_count","config":{"operator":%s,"value":%s}}}`,
			quoted(a.name), quoted(a.about), quoted(a.query), quoted(a.period), quoted(a.operator), a.value)
		w.history.at(w.ago(24*time.Hour), "create an alarm", func(ctx context.Context, now time.Time) error {
			_, err := w.store.Alarms.Create(w.by(ctx, now, who, "createAlarm", p.name, target, c), now, p.id, c)
			return err
		})
	}
	for age := 24 * time.Hour; age >= 0; age -= 10 * time.Minute {
		w.history.at(w.ago(age), "evaluate alarms", func(ctx context.Context, at time.Time) error {
			now = at
			_, err := clock.Evaluate(ctx)
			return err
		})
	}
}
