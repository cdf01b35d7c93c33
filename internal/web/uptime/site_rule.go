package uptime

import (
	"fmt"

	"sett/internal/probe"
	"sett/internal/sett"
)

// rule describes when a site is down.
func rule(s sett.SiteSettings) string {
	if s.OutageThreshold > 0 {
		n := "1 check has failed"
		if s.OutageThreshold > 1 {
			n = fmt.Sprintf("%d checks in a row have failed, over all locations", s.OutageThreshold)
		}
		return "Down when " + n + "; up again when no location fails."
	}
	n := len(s.Locations)
	if n == 0 {
		n = len(sett.Locations())
	}
	if n == 1 {
		return fmt.Sprintf("Down when a check from %s fails.", s.Locations[0])
	}
	return fmt.Sprintf("Down when %d of %d locations fail. Locations without a running server or agent are not counted.", (n+1)/2, n)
}

// wants describes what a check does and expects.
func wants(s sett.SiteSettings) string {
	often := "every minute"
	if s.Frequency > 1 {
		often = fmt.Sprintf("every %d minutes", s.Frequency)
	}
	if kind, ok := probe.Find(s.URL); ok {
		return often + " · " + kind.Wants(s)
	}
	return often
}
