package faults

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
)

// Alert returns an alert about the fault.
func (f Fault) Alert(event alerts.AlertEvent, at time.Time, facts alerts.AlertFacts) alerts.Alert {
	return alerts.Alert{
		ProjectID: f.ProjectID, Event: event, Subject: alerts.FaultSubject(f.ID), FaultID: f.ID, Environment: f.Environment, At: at, Facts: facts,
	}
}

// mostAlertFaults is how many faults one alert names at most.
const mostAlertFaults = 1000

// BulkAlerts returns the alerts of a bulk change of faults in one project: one for every 1,000 faults of an environment, so
// that the rules about muted environments apply. A single fault gets a normal alert.
func BulkAlerts(event alerts.AlertEvent, at time.Time, faults []Fault, facts alerts.AlertFacts) (raised []alerts.Alert) {
	faults = slices.SortedFunc(slices.Values(faults), func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Environment, b.Environment), cmp.Compare(a.ID, b.ID))
	})
	for some := range inOneEnvironment(faults) {
		if len(some) == 1 {
			raised = append(raised, some[0].Alert(event, at, facts))
			continue
		}
		a := some[0].Alert(event, at, facts)
		a.Subject, a.FaultID = alerts.ProjectSubject(a.ProjectID), 0
		for _, f := range some {
			a.Facts.FaultIDs = append(a.Facts.FaultIDs, f.ID)
		}
		raised = append(raised, a)
	}
	return raised
}

// AssignedAlert returns the alert of faults of one project that were assigned at once, at least one: one alert for all of
// them, so that the assignee receives one notification. It names the first 1,000. A single fault gets a normal alert.
func AssignedAlert(at time.Time, faults []Fault, to *sett.Person) alerts.Alert {
	facts := alerts.AlertFacts{Assignee: to}
	if len(faults) == 1 {
		return faults[0].Alert(alerts.AlertAssigned, at, facts)
	}
	environments := map[string]bool{}
	for i, f := range faults {
		environments[f.Environment] = true
		if i < mostAlertFaults {
			facts.FaultIDs = append(facts.FaultIDs, f.ID)
		}
	}
	facts.FaultsCount = int64(len(faults))
	a := faults[0].Alert(alerts.AlertAssigned, at, facts)
	a.Subject, a.FaultID = alerts.ProjectSubject(a.ProjectID), 0
	if len(environments) > 1 {
		a.Environment, a.Facts.Environments = "", slices.Sorted(maps.Keys(environments))
	}
	return a
}

// inOneEnvironment yields faults, which are in the order of their environments, in parts that one alert can name.
func inOneEnvironment(faults []Fault) iter.Seq[[]Fault] {
	return func(yield func([]Fault) bool) {
		for len(faults) > 0 {
			n := slices.IndexFunc(faults, func(f Fault) bool { return f.Environment != faults[0].Environment })
			if n < 0 {
				n = len(faults)
			}
			n = min(n, mostAlertFaults)
			if !yield(faults[:n]) {
				return
			}
			faults = faults[n:]
		}
	}
}

// Raises returns the event of an alert when a user changes a fault from s to next. Ignoring a fault raises none.
func (s FaultState) Raises(next FaultState) []alerts.AlertEvent {
	switch {
	case !s.Resolved && next.Resolved:
		return []alerts.AlertEvent{alerts.AlertResolved}
	case s.Resolved && !next.Resolved:
		return []alerts.AlertEvent{alerts.AlertUnresolved}
	}
	return nil
}

// Silences reports whether an alert is an occurrence of the fault while it was paused, or is ignored; notices were counted of it
// by now. The counts may be behind the alert, which counts its own notice too.
func (s FaultState) Silences(a alerts.Alert, notices int64) bool {
	before := max(notices, a.Facts.NoticesCount-1)
	return a.Event.Recurs() && (s.Ignored || s.Paused(a.At, before))
}
