package sett

import "time"

// facts are those of an alert about the check-in as it is now. due is when the ping was expected that stayed away.
func (c CheckIn) facts(due time.Time) *CheckInFacts {
	exact := func(t time.Time) time.Time { return t.Truncate(time.Microsecond) } // as it is stored
	return &CheckInFacts{
		ID: c.ID, Name: c.Name, State: c.State, ReportedAt: exact(c.ReportedAt), ExpectedAt: exact(c.ExpectedAt), DueAt: exact(due),
		MissedCount: c.MissedCount,
	}
}

// Alerts returns what is raised by events that a rule has just returned: only those that carry facts are told of.
func (c CheckIn) Alerts(events []CheckInEvent) (alerts []Alert) {
	for _, e := range events {
		if e.Facts == nil {
			continue
		}
		a := Alert{ProjectID: c.ProjectID, Subject: CheckInSubject(c.ID), At: e.At, CreatedAt: e.At, Facts: AlertFacts{CheckIn: e.Facts}}
		if a.Event = AlertCheckInMissing; e.Kind == CheckInRecovered {
			a.Event = AlertCheckInReporting
		}
		alerts = append(alerts, a)
	}
	return alerts
}
