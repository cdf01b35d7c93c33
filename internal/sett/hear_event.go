package sett

import "slices"

// Wants reports whether the integration is to be told of an event at all.
func (i Integration) Wants(e AlertEvent) bool { return slices.Contains(i.Events, e) }

// Direct reports whether the alert is for one receiver whatever that wants: sett itself speaks, or somebody tries an
// integration out.
func (a Alert) Direct() bool {
	switch a.Event {
	case AlertFlooded, AlertIssueCreate, AlertIssueClose, AlertIssueReopen:
		return true
	}
	return a.Facts.Test
}
