package auth

import (
	"net/http"

	"sett/internal/sett"
)

// zoneCookie is set by the script of the pages: the time zone of the browser, such as Europe/Berlin.
const zoneCookie = "sett_zone"

// BrowserZone returns the time zone of the browser that sent r, or "" if it sent none that exists.
func BrowserZone(r *http.Request) string {
	c, err := r.Cookie(zoneCookie)
	if err != nil {
		return ""
	}
	var p sett.Problems
	if sett.CheckTimeZone(&p, "zone", c.Value); len(p) > 0 {
		return ""
	}
	return c.Value
}
