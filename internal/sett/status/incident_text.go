package status

import (
	"time"

	"sett/internal/sett"
	"sett/internal/sett/status/locale"
)

// What automatic incidents say is for everybody: it names components as the page does and never says why a check failed,
// because reasons can contain private addresses.

// mostLines is the most lines in a message about many components.
const mostLines = 20

// nameOfOutage is what an automatic incident is called while these are down.
func nameOfOutage(down []ComponentWatch) fact {
	return factAbout(down, 200, "is_down", "is_missing", "is_failing", "are_down")
}

// persist says what an incident is still about once it is no longer about something else.
func persist(down []ComponentWatch) fact {
	return factAbout(down, 150, "is_still_down", "is_still_missing", "is_still_failing", "are_still_down")
}

// factAbout returns a sentence about components, by the key for one site, one check-in that is missing or failing, or several of them.
func factAbout(components []ComponentWatch, longest int, site, missing, failing, several string) fact {
	const longestOfSeveral = 110
	first := components[0]
	switch n := len(components); {
	case n > 2:
		return fact{Key: several, Names: []string{sett.CutText(first.Name, longestOfSeveral)}, More: n - 1}
	case n == 2:
		return fact{Key: several, Names: []string{sett.CutText(first.Name, longestOfSeveral), sett.CutText(components[1].Name, longestOfSeveral)}}
	case first.IsSite():
		return fact{Key: site, Names: []string{sett.CutText(first.Name, longest)}}
	}
	if first.Failing {
		missing = failing
	}
	return fact{Key: missing, Names: []string{sett.CutText(first.Name, longest)}}
}

// factOf returns a sentence about one component.
func factOf(key, name string) fact { return fact{Key: key, Names: []string{sett.CutText(name, 150)}} }

// outage is the first update of an automatic incident.
func outage(down []ComponentWatch, now time.Time) []fact {
	if len(down) > 1 {
		return brief(arrivals(down, now))
	}
	f := fact{Key: "checks_fail"}
	switch {
	case down[0].Failing:
		f.Key = "job_fails"
	case !down[0].IsSite():
		f.Key = "no_report"
	}
	return []fact{f.since(down[0].DownAt, now)}
}

func arrivals(components []ComponentWatch, now time.Time) (lines []fact) {
	for _, c := range components {
		key := "went_down"
		switch {
		case c.Failing:
			key = "went_failing"
		case !c.IsSite():
			key = "went_missing"
		}
		lines = append(lines, factOf(key, c.Name).since(c.DownAt, now))
	}
	return lines
}

// farewells say of components why an automatic incident is no longer about them.
func farewells(components []ComponentWatch, incidents []StatusIncident) (lines []fact) {
	for _, c := range components {
		key := "is_unwatched"
		switch {
		case maintained(c.ID, incidents):
			key = "is_maintained"
		case c.State == ComponentUp && c.IsSite():
			key = "works_again"
		case c.State == ComponentUp:
			key = "reported_again"
		case c.State == ComponentDown:
			key = "is_covered"
		}
		lines = append(lines, factOf(key, c.Name))
	}
	return lines
}

// departures say that what an automatic incident was about is no longer shown.
func departures(gone []string) (lines []fact) {
	for _, name := range gone {
		lines = append(lines, factOf("is_not_shown", name))
	}
	return lines
}

// brief leaves out lines of a message that has too many.
func brief(lines []fact) []fact {
	if more := len(lines) - mostLines; more > 1 {
		last := lines[len(lines)-1]
		lines = append(lines[:mostLines:mostLines], fact{Key: "more_lines", More: more - 1}, last)
	}
	return lines
}

// since adds since when it is true: a time of today as 14:02 UTC, and others with their day.
func (f fact) since(at, now time.Time) fact {
	f.At, now = at.UTC(), now.UTC()
	if at.IsZero() || at.After(now) {
		f.At = now
	}
	f.Today = f.At.Truncate(24 * time.Hour).Equal(now.Truncate(24 * time.Hour))
	return f
}

// lastedKey is the key of how long an incident lasted.
const lastedKey = "it_lasted"

// lasted writes a length of time in words, such as "2 hours and 5 minutes".
func lasted(l locale.Language, d time.Duration) string {
	minutes := int64(d / time.Minute)
	hours := minutes / 60
	switch {
	case minutes < 1:
		return l.Text("under_a_minute")
	case hours >= 24:
		return countOfBoth(l, hours/24, "days", hours%24, "hours")
	case hours > 0:
		return countOfBoth(l, hours, "hours", minutes%60, "minutes")
	}
	return l.Count("minutes", minutes)
}

func countOfBoth(l locale.Language, n int64, thing string, rest int64, smaller string) string {
	if rest == 0 {
		return l.Count(thing, n)
	}
	return l.Text("both_spans", l.Count(thing, n), l.Count(smaller, rest))
}
