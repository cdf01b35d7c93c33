package sett

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"time"
)

// Alert returns an alert about the fault.
func (f Fault) Alert(event AlertEvent, at time.Time, facts AlertFacts) Alert {
	return Alert{
		ProjectID: f.ProjectID, Event: event, Subject: FaultSubject(f.ID), FaultID: f.ID, Environment: f.Environment, At: at, Facts: facts,
	}
}

// mostAlertFaults is how many faults one alert names at most.
const mostAlertFaults = 1000

// BulkAlerts returns what is raised when the same was done to faults of one project at once: one alert for every 1,000 of
// them in one environment, so that nobody hears of those of an environment that is muted for them. A single one is told of
// like any other.
func BulkAlerts(event AlertEvent, at time.Time, faults []Fault, facts AlertFacts) (alerts []Alert) {
	faults = slices.SortedFunc(slices.Values(faults), func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Environment, b.Environment), cmp.Compare(a.ID, b.ID))
	})
	for some := range inOneEnvironment(faults) {
		if len(some) == 1 {
			alerts = append(alerts, some[0].Alert(event, at, facts))
			continue
		}
		a := some[0].Alert(event, at, facts)
		a.Subject, a.FaultID = ProjectSubject(a.ProjectID), 0
		for _, f := range some {
			a.Facts.FaultIDs = append(a.Facts.FaultIDs, f.ID)
		}
		alerts = append(alerts, a)
	}
	return alerts
}

// AssignedAlert returns what is raised when faults of one project, of which there are some, became somebody's matter at
// once: one alert for all of them, so that whoever is to mend them hears of it once. It names the first 1,000. A single
// one is told of like any other.
func AssignedAlert(at time.Time, faults []Fault, to *Person) Alert {
	facts := AlertFacts{Assignee: to}
	if len(faults) == 1 {
		return faults[0].Alert(AlertAssigned, at, facts)
	}
	environments := map[string]bool{}
	for i, f := range faults {
		environments[f.Environment] = true
		if i < mostAlertFaults {
			facts.FaultIDs = append(facts.FaultIDs, f.ID)
		}
	}
	facts.FaultsCount = int64(len(faults))
	a := faults[0].Alert(AlertAssigned, at, facts)
	a.Subject, a.FaultID = ProjectSubject(a.ProjectID), 0
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

// Raises returns what people are told of when a person changes a fault from s to next. What ignores a fault is no alert.
func (s FaultState) Raises(next FaultState) []AlertEvent {
	switch {
	case !s.Resolved && next.Resolved:
		return []AlertEvent{AlertResolved}
	case s.Resolved && !next.Resolved:
		return []AlertEvent{AlertUnresolved}
	}
	return nil
}
