package status

import (
	"fmt"
	"strings"
	"time"

	"sett/internal/phrase"
	"sett/internal/sett"
)

// What automatic incidents say is for everybody: it names components as the page does and never says why a check failed,
// because reasons can contain private addresses.

// mostLines is the most lines in a message about many components.
const mostLines = 20

// nameOfOutage is what an automatic incident is called while these are down.
func nameOfOutage(down []ComponentWatch) string {
	switch name := sett.CutText(down[0].Name, 200); {
	case len(down) > 1:
		return subjects(down) + " are down"
	case down[0].IsSite():
		return name + " is down"
	default:
		return name + " has not reported"
	}
}

// subjects names some components, of which there are several.
func subjects(components []ComponentWatch) string {
	first := sett.CutText(components[0].Name, 110)
	if more := len(components) - 1; more > 1 {
		return fmt.Sprintf("%s and %d more", first, more)
	}
	return first + " and " + sett.CutText(components[1].Name, 110)
}

// persist says what an incident is still about once it is no longer about something else.
func persist(down []ComponentWatch) string {
	switch name := sett.CutText(down[0].Name, 150); {
	case len(down) > 1:
		return subjects(down) + " are still down."
	case down[0].IsSite():
		return name + " is still down."
	default:
		return name + " has still not reported."
	}
}

// outageText is the text of the first update of an automatic incident.
func outageText(down []ComponentWatch, now time.Time) string {
	if len(down) > 1 {
		return brief(arrivals(down, now))
	}
	if at := sayTime(down[0].DownAt, now); !down[0].IsSite() {
		return "It was to report by " + at + " and has not."
	} else {
		return "Our checks have failed since " + at + "."
	}
}

func arrivals(components []ComponentWatch, now time.Time) (lines []string) {
	for _, c := range components {
		text := "%s is down: our checks have failed since %s."
		if !c.IsSite() {
			text = "%s was to report by %s and has not."
		}
		lines = append(lines, fmt.Sprintf(text, sett.CutText(c.Name, 150), sayTime(c.DownAt, now)))
	}
	return lines
}

// farewells say of components why an automatic incident is no longer about them.
func farewells(components []ComponentWatch, incidents []StatusIncident) (lines []string) {
	for _, c := range components {
		text := "%s is no longer watched."
		switch {
		case maintained(c.ID, incidents):
			text = "%s is being worked on, as announced."
		case c.State == ComponentUp && c.IsSite():
			text = "%s works again."
		case c.State == ComponentUp:
			text = "%s has reported again."
		case c.State == ComponentDown:
			text = "Another incident covers %s."
		}
		lines = append(lines, fmt.Sprintf(text, sett.CutText(c.Name, 150)))
	}
	return lines
}

// departures say that what an automatic incident was about is no longer shown.
func departures(gone []string) (lines []string) {
	for _, name := range gone {
		lines = append(lines, fmt.Sprintf("%s is no longer on this page.", sett.CutText(name, 150)))
	}
	return lines
}

// brief makes a message of lines.
func brief(lines []string) string {
	if more := len(lines) - mostLines; more > 1 {
		last := lines[len(lines)-1]
		lines = append(lines[:mostLines:mostLines], fmt.Sprintf("There are %d more.", more-1), last)
	}
	return strings.Join(lines, "\n")
}

// sayTime writes a time of today as 14:02 UTC, and others with their day.
func sayTime(at, now time.Time) string {
	at, now = at.UTC(), now.UTC()
	switch {
	case at.IsZero() || at.After(now):
		return now.Format("15:04 UTC")
	case at.Truncate(24 * time.Hour).Equal(now.Truncate(24 * time.Hour)):
		return at.Format("15:04 UTC")
	}
	return at.Format("2 January 2006, 15:04 UTC")
}

// lasted writes a length of time in words, such as "2 hours and 5 minutes".
func lasted(d time.Duration) string {
	minutes := int64(d / time.Minute)
	hours := minutes / 60
	switch {
	case minutes < 1:
		return "less than a minute"
	case hours >= 24:
		return countOfBoth(hours/24, "day", hours%24, "hour")
	case hours > 0:
		return countOfBoth(hours, "hour", minutes%60, "minute")
	}
	return phrase.Count(minutes, "minute")
}

func countOfBoth(n int64, thing string, rest int64, smaller string) string {
	if rest == 0 {
		return phrase.Count(n, thing)
	}
	return phrase.Count(n, thing) + " and " + phrase.Count(rest, smaller)
}
