package uptime

import (
	"fmt"
	"slices"
	"strings"

	"sett/internal/monitor/probe"
	"sett/internal/sett/checks"
)

// rule describes when a site is down, and slow; of its locations, only those from which a server or agent checks count.
func rule(s checks.SiteSettings, live []checks.LiveLocation, labels checks.LocationLabels) string {
	return strings.TrimSpace(downRule(s, live, labels) + " " + slowRule(s, len(countedLocations(s, live))))
}

// slowRule describes when a site is slow that so many locations check; "" if it never is.
func slowRule(s checks.SiteSettings, locations int) string {
	if s.SlowAfter == 0 {
		return ""
	}
	what := "a check takes"
	if s.SlowChecks > 1 {
		what = fmt.Sprintf("%d checks in a row take", s.SlowChecks)
	}
	text := fmt.Sprintf("Slow when %s over %d ms", what, s.SlowAfter.Milliseconds())
	if locations > 1 {
		text += fmt.Sprintf(" from %d of %d locations", (locations+1)/2, locations)
	}
	return text + "."
}

func downRule(s checks.SiteSettings, live []checks.LiveLocation, labels checks.LocationLabels) string {
	if s.OutageThreshold > 0 {
		n := "1 check has failed"
		if s.OutageThreshold > 1 {
			n = fmt.Sprintf("%d checks in a row have failed, over all locations", s.OutageThreshold)
		}
		return "Down when " + n + "; up again when no location fails."
	}
	counted := countedLocations(s, live)
	if n := len(counted); n > 1 {
		return fmt.Sprintf("Down when %d of %d locations fail.", (n+1)/2, n)
	}
	return fmt.Sprintf("Down when a check from %s fails.", labels.Within(counted[0]))
}

// countedLocations returns the selected locations that check at the moment; if none does, all selected ones.
func countedLocations(s checks.SiteSettings, live []checks.LiveLocation) []checks.Location {
	var selected, counted []checks.Location
	for _, l := range checks.Locations() {
		if len(s.Locations) > 0 && !slices.Contains(s.Locations, l) {
			continue
		}
		selected = append(selected, l)
		if isLive(l, live) {
			counted = append(counted, l)
		}
	}
	if len(counted) == 0 {
		return selected
	}
	return counted
}

// wants describes what a check does and expects.
func wants(s checks.SiteSettings) string {
	often := "every minute"
	if s.Frequency > 1 {
		often = fmt.Sprintf("every %d minutes", s.Frequency)
	}
	if kind, ok := probe.Find(s.URL); ok {
		return often + " · " + kind.Wants(s)
	}
	return often
}
