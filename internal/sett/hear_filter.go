package sett

import "slices"

// EveryEvent is what a filter names as its event to be a filter of all.
const EveryEvent = "all"

// Queries returns the queries of the integration's filters of an event. One of them must find the fault; without any,
// every fault will do.
func (i Integration) Queries(e AlertEvent) (queries []string) {
	for _, f := range i.Filters {
		if f.Event == string(e) || f.Event == EveryEvent {
			queries = append(queries, f.Query)
		}
	}
	return queries
}

// AboutFaults returns the ids of the faults that the alert is about, if any.
func (a Alert) AboutFaults() []int64 {
	if a.FaultID > 0 {
		return []int64{a.FaultID}
	}
	return a.Facts.FaultIDs
}

// passesFilters reports whether any filter of the event matches any fault of the alert. Searches are about faults: they
// say nothing of what is about none.
func (h Hearing) passesFilters() bool {
	queries := h.Integration.Queries(h.Alert.Event)
	return len(queries) == 0 || len(h.Alert.AboutFaults()) == 0 || slices.ContainsFunc(queries, h.Matches)
}
