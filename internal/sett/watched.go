package sett

// Watched is how many sites and check-ins of a project are in which state. Those that are paused are in none.
type Watched struct {
	Sites, SitesUp, SitesDown                          int64
	CheckIns, CheckInsReporting, CheckInsLate, Missing int64 // those that are late report so far
	CheckInsPaused, SitesPaused                        int64
}

// Health is how the worst of what is watched in a project does.
type Health string

// The healths of a project, the best first.
const (
	HealthNone    Health = ""        // nothing is watched
	HealthPending Health = "pending" // nothing was seen yet
	HealthPaused  Health = "paused"  // all of it
	HealthUp      Health = "up"
	HealthLate    Health = "late"    // a check-in should have reported, and may still be in time
	HealthMissing Health = "missing" // a check-in
	HealthDown    Health = "down"    // a site
)

// Health returns the worst state of what is watched.
func (w Watched) Health() Health {
	switch {
	case w.SitesDown > 0:
		return HealthDown
	case w.Missing > 0:
		return HealthMissing
	case w.CheckInsLate > 0:
		return HealthLate
	case w.SitesUp+w.CheckInsReporting > 0:
		return HealthUp
	case w.Sites+w.CheckIns == 0:
		return HealthNone
	case w.SitesPaused+w.CheckInsPaused == w.Sites+w.CheckIns:
		return HealthPaused
	}
	return HealthPending
}

// Word returns the health as people read it.
func (h Health) Word() string {
	return map[Health]string{
		HealthNone: "Nothing watched", HealthPending: "Pending", HealthPaused: "Paused", HealthUp: "Up", HealthLate: "Check-in late",
		HealthMissing: "Check-in missing", HealthDown: "Down",
	}[h]
}

// AddSites counts so many sites of a state.
func (w *Watched) AddSites(active bool, state SiteState, n int64) {
	w.Sites += n
	switch {
	case !active:
		w.SitesPaused += n
	case state == SiteUp:
		w.SitesUp += n
	case state == SiteDown:
		w.SitesDown += n
	}
}

// AddCheckIns counts so many check-ins of a state; late says that their next ping should have come.
func (w *Watched) AddCheckIns(state CheckInState, late bool, n int64) {
	w.CheckIns += n
	switch state {
	case CheckInReporting:
		w.CheckInsReporting += n
		if late {
			w.CheckInsLate += n
		}
	case CheckInMissing:
		w.Missing += n
	case CheckInPaused:
		w.CheckInsPaused += n
	}
}
