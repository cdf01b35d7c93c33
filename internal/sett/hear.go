package sett

// Hearing is an alert, an integration that might be told of it, and what else decides whether it is.
type Hearing struct {
	Alert         Alert
	Integration   Integration
	ProjectActive bool
	Muted         []string          // environments of the project that nobody wants to hear of
	Fault         FaultState        // of an alert about one fault
	FaultNotices  int64             // that were counted of it
	Matches       func(string) bool // whether any fault of the alert is found by a query; true for what is no query
}

// Unheard is why an integration is not told of an alert; Heard, the zero value, when it is.
type Unheard string

// The reasons, in the order in which they are looked for.
const (
	Heard           Unheard = ""
	ForAnother      Unheard = "for another integration"
	OwnDoing        Unheard = "the user did it themselves"
	NotActive       Unheard = "the integration or its project is not active"
	NotWanted       Unheard = "the event is not wanted"
	EnvironmentMute Unheard = "the environment is excluded or muted"
	NoFilterMatches Unheard = "no filter of the event matches"
	NotSelected     Unheard = "the site or check-in is not selected"
	FaultSilent     Unheard = "the fault is paused or ignored"
)

// Hear says whether the integration is told of the alert, or why not. What sett itself says to one integration, and what
// somebody tries it out with, is told in any case.
func (h Hearing) Hear() Unheard {
	switch {
	case !h.addressed():
		return ForAnother
	case h.Alert.Direct():
		return Heard
	case !h.ProjectActive || !h.Integration.Active:
		return NotActive
	case !h.Integration.Wants(h.Alert.Event):
		return NotWanted
	case !h.audible():
		return EnvironmentMute
	case !h.passesFilters():
		return NoFilterMatches
	case !h.selected():
		return NotSelected
	case h.silent():
		return FaultSilent
	}
	return Heard
}
