package group

import (
	"encoding/json"
	"slices"

	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
)

// Step is how a part of a fault went on under another key.
type Step struct {
	triage.KeyOfPart
	Reason string // a sentence
}

// ExplainSteps says of each key by which a part of a fault with a grouping went on, why it did: in comparison with the newest of the earlier keys that it could go on with.
func ExplainSteps(own faults.Grouping, keys []triage.KeyOfPart) (steps []Step) {
	earlier := []faults.Grouping{own}
	for _, k := range keys {
		var g faults.Grouping
		if json.Unmarshal([]byte(k.Grouping), &g) != nil {
			continue // one that is unreadable explains nothing
		}
		if reason := ExplainWhy(k.Why, nearest(earlier, g), g); reason != "" && k.Why != faults.Separated {
			steps = append(steps, Step{k, reason})
		}
		earlier = append(earlier, g)
	}
	return steps
}

// nearest returns the newest of some groupings with which an event goes on.
func nearest(earlier []faults.Grouping, g faults.Grouping) faults.Grouping {
	for _, e := range slices.Backward(earlier) {
		known := faults.KnownGrouping{Grouping: e, Here: e.Revision == g.Revision && e.Method != g.Method}
		known.Near = g.Near // they were compared once: their keys are not in what is stored
		if _, why := faults.Continues([]faults.KnownGrouping{known}, g); why != "" {
			return e
		}
	}
	return earlier[0]
}
