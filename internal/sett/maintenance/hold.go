package maintenance

import (
	"cmp"
	"slices"
	"strings"

	"sett/internal/sett/alerts"
)

// Holding is what a window holds of one subject.
type Holding int

// What a window may hold of a subject.
const (
	Nothing      Holding = iota
	Problem              // a problem that began in the window
	KnownProblem         // a problem that receivers were notified of before the window; it came up again in the window
)

// Holds reports whether a window that has not been settled holds an alert of its project, given what it holds of the alert's subject.
// It holds problems, and the ends of problems that it holds. It never holds the end of a problem that receivers know, what users do, what
// goes to one receiver, or that a certificate expires.
func (w Window) Holds(a alerts.Alert, have Holding) bool {
	switch {
	case a.Direct() || a.CreatedAt.Before(w.StartsAt) || !w.covers(a):
		return false
	case slices.Contains(alerts.ClosingEvents(), a.Event):
		return have == Problem
	}
	return have != Nothing || !w.Closed && a.CreatedAt.Before(w.EndsAt)
}

// covers reports whether an alert is of a kind and about a subject that the window is for.
func (w Window) covers(a alerts.Alert) bool {
	switch a.Event {
	case alerts.AlertDown, alerts.AlertUp, alerts.AlertSlow, alerts.AlertFast, alerts.AlertCheckInMissing, alerts.AlertCheckInFailed, alerts.AlertCheckInReporting,
		alerts.AlertAlarm, alerts.AlertAlarmOK,
		alerts.AlertOccurred, alerts.AlertRateExceeded, alerts.AlertVolumeSpike, alerts.AlertResolved:
		return w.Of(a.Subject)
	}
	return false
}

// Next returns what a window holds of a subject once it also holds an alert about it. A problem that only comes up again was known before
// the window, unless the window holds its beginning.
func (h Holding) Next(a alerts.Alert) Holding {
	again := false
	switch a.Event {
	case alerts.AlertCheckInMissing, alerts.AlertCheckInFailed:
		f := a.Facts.CheckIn
		again = f != nil && (f.Again || f.MissedCount > 1) // earlier versions stored only the count
	case alerts.AlertDown:
		again = a.Facts.Site != nil && a.Facts.Site.Again
	case alerts.AlertRateExceeded, alerts.AlertVolumeSpike:
		again = true
	case alerts.AlertOccurred:
		again = !a.Facts.Reopened && a.Facts.NoticesCount > 1 // the end of a pause
	case alerts.AlertUp, alerts.AlertFast, alerts.AlertCheckInReporting, alerts.AlertAlarmOK, alerts.AlertResolved:
		return h
	}
	switch {
	case !again:
		return Problem
	case h == Nothing:
		return KnownProblem
	}
	return h
}

// Held is the newest alert of an event about a subject that a window holds, for one integration or for all.
type Held struct {
	AlertID       int64
	Subject       alerts.AlertSubject
	Event         alerts.AlertEvent
	IntegrationID int64
}

// Sent returns the alerts of one subject that are sent when the window ends. If the last one is the end of the problem, or the problem
// does not exist any more, none is. Otherwise the newest of a site or check-in is sent, and of an error the newest of each event.
func Sent(held []Held, open bool) (ids []int64) {
	if !open || len(held) == 0 {
		return nil
	}
	newest := slices.MaxFunc(held, func(a, b Held) int { return cmp.Compare(a.AlertID, b.AlertID) })
	if closes(newest) {
		return nil
	}
	if !strings.HasPrefix(string(newest.Subject), "fault ") {
		return []int64{newest.AlertID}
	}
	var closed int64
	for _, h := range held {
		if closes(h) {
			closed = max(closed, h.AlertID)
		}
	}
	for _, h := range held {
		if h.AlertID > closed {
			ids = append(ids, h.AlertID)
		}
	}
	return ids
}

func closes(h Held) bool { return slices.Contains(alerts.ClosingEvents(), h.Event) }
