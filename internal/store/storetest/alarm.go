package storetest

import (
	"sett/internal/sett"
	"sett/internal/sett/alarm"
)

// Alarm creates an alarm in a project, changed as the caller likes.
func (d *Desk) Alarm(project int64, change ...func(*alarm.AlarmChange)) alarm.Alarm {
	d.T.Helper()
	c := alarm.AlarmChange{
		Name: sett.Some("Errors"), Query: sett.Some("filter status::int >= 500"), Period: sett.Some[alarm.Span]("1m"),
		Trigger: sett.Some(alarm.Trigger{Type: "alert_result_count", Config: alarm.TriggerConfig{Operator: "gt", Value: 2}}),
	}
	for _, f := range change {
		f(&c)
	}
	made, err := d.Alarms.Create(d.T.Context(), Noon, project, c)
	if err != nil {
		d.T.Fatal(err)
	}
	return made
}
