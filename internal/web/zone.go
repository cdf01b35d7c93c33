package web

import (
	"net/http"
	"time"

	"sett/internal/serve/auth"
	"sett/internal/sett"
)

// NowFor returns the current time in the time zone of the viewer: the one that they chose, or else that of their browser.
func (p *Pages) NowFor(r *http.Request) time.Time {
	user := Who(r).User
	return p.Now().In(sett.TimeZoneOf(user.Zone, auth.BrowserZone(r), user.BrowserZone))
}
