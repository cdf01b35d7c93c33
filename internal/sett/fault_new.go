package sett

import "time"

// NewAtMostFor is for how long faults count as new, however long ago the last deploy was.
const NewAtMostFor = 7 * 24 * time.Hour

// NewFaults is since when faults of a project count as new: one rule for the tab above their list, the badge of a fault, the
// search is:new and the figure of a project.
type NewFaults struct {
	Since time.Time            // where nothing was deployed lately to the environment of a fault
	In    map[string]time.Time // by environment, to which something was
}

// NewFaultsSince returns since when faults count as new at now, by when the last deploy to each environment was; that of the
// whole project is under "".
func NewFaultsSince(deployed map[string]time.Time, now time.Time) NewFaults {
	whole := lately(deployed[""], now)
	n := NewFaults{Since: whole, In: map[string]time.Time{}}
	if whole.IsZero() {
		n.Since = now.Add(-24 * time.Hour)
	}
	for environment, at := range deployed {
		if at = lately(at, now); environment != "" && at.After(whole) {
			n.In[environment] = at
		}
	}
	return n
}

// lately returns a time, or zero when it is longer ago than faults count as new.
func lately(at, now time.Time) time.Time {
	if now.Sub(at) >= NewAtMostFor {
		return time.Time{}
	}
	return at
}

// Of returns since when faults of an environment count as new: since the last deploy to it, or for a day.
func (n NewFaults) Of(environment string) time.Time {
	if at, ok := n.In[environment]; ok {
		return at
	}
	return n.Since
}

// Earliest returns since when faults of any environment may count as new.
func (n NewFaults) Earliest() time.Time {
	earliest := n.Since
	for _, at := range n.In {
		if at.Before(earliest) {
			earliest = at
		}
	}
	return earliest
}

// Latest returns since when faults of every environment count as new.
func (n NewFaults) Latest() time.Time {
	latest := n.Since
	for _, at := range n.In {
		if at.After(latest) {
			latest = at
		}
	}
	return latest
}

// Deployed returns when the last deploy was that makes faults of an environment new, or of any for ""; zero for none.
func (n NewFaults) Deployed(environment string, now time.Time) (last time.Time) {
	if n.Since != now.Add(-24*time.Hour) {
		last = n.Since
	}
	for in, at := range n.In {
		if (environment == "" || in == environment) && at.After(last) {
			last = at
		}
	}
	return last
}
