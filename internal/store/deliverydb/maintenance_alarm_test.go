package deliverydb_test

import (
	"testing"

	"sett/internal/sett/alarm"
	"sett/internal/sett/alerts"
	"sett/internal/sett/maintenance"
	"sett/internal/store"
	"sett/internal/store/alarmdb"
	"sett/internal/store/storetest"
)

// An alarm that is raised in a window is sent at its end if it still is.
func TestMaintenanceHoldsAlarms(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, _, _ := maintained(t, s)
		d.Alarm(d.ProjectID)
		lasts := string(alerts.AlarmSubject(d.Alarm(d.ProjectID).ID))
		evaluated := func(at int, counts ...int64) {
			t.Helper()
			due, err := s.Alarms.Claim(t.Context(), minute(at), minute(at+1), 9, 9)
			if err != nil || len(due) != len(counts) {
				t.Fatal(due, err)
			}
			var found []alarmdb.Found
			for i, count := range counts {
				found = append(found, alarmdb.Found{Due: due[i], Evaluation: alarm.Evaluation{Window: due[i].Due(minute(at)), At: minute(at), Count: count}})
			}
			if err := s.Alarms.Record(t.Context(), minute(at), found); err != nil {
				t.Fatal(err)
			}
		}
		w := d.window(minute(1), 2, 10)
		evaluated(3, 5, 5)
		evaluated(5, 0, 5)
		d.wantSent("in the window", minute(6))
		d.wantWindow("in the window", w, minute(9), maintenance.Active, 3, 0)
		d.wantSent("at the end", minute(10), lasts+" alarm_alert")
		evaluated(12, 0, 0)
		d.wantSent("afterwards", minute(13), lasts+" alarm_ok")
	})
}
