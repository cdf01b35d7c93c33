package sett

import "slices"

// IntegrationKind is what the rules of integrations have to know of a kind of channel. Package channel has the kinds.
type IntegrationKind struct {
	Type    string
	Tracker bool // an issue tracker
	// LinkOnly says of a tracker that nothing is sent to it.
	LinkOnly bool

	// Options returns the options after people sent some to an integration that had those in old, and notes what is wrong
	// with them in p. For a new integration old is nil.
	Options func(p *Problems, old, sent map[string]any) map[string]any
}

// FindIntegrationKind returns the kind of that type.
func FindIntegrationKind(kinds []IntegrationKind, kind string) (IntegrationKind, bool) {
	i := slices.IndexFunc(kinds, func(k IntegrationKind) bool { return k.Type == kind })
	if i < 0 {
		return IntegrationKind{}, false
	}
	return kinds[i], true
}

// TrackerEvents lists what an issue tracker can do something about by itself: it makes, closes and reopens issues.
func TrackerEvents() []AlertEvent { return []AlertEvent{AlertOccurred, AlertResolved, AlertUnresolved} }

// Events lists what integrations of the kind can want to be told of.
func (k IntegrationKind) Events() []AlertEvent {
	switch {
	case k.LinkOnly:
		return nil
	case k.Tracker:
		return TrackerEvents()
	}
	return AlertEvents()
}

// DefaultEvents lists what a new integration of the kind wants when nothing is said. A tracker makes issues by itself only
// where people want it to.
func (k IntegrationKind) DefaultEvents() []AlertEvent {
	if k.Tracker {
		return nil
	}
	return DefaultAlertEvents()
}

// checkIntegrationType returns the kind of that type, or notes that there is none and which was probably meant.
func checkIntegrationType(p *Problems, kinds []IntegrationKind, kind string) IntegrationKind {
	k, ok := FindIntegrationKind(kinds, kind)
	switch {
	case kind == "":
		p.Add("type", "can't be blank")
	case !ok:
		var names []string
		for _, k := range kinds {
			names = append(names, k.Type)
		}
		p.Add("type", "must be one of %s", noneOf(names, kind))
	}
	return k
}
