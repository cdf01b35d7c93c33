package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"sett/internal/serve/auth"
	"sett/internal/sett/accounts"
)

// Times are in the zone that the user chose, else in that of the browser, else in that which the browser had last, else in UTC.
func TestNowFor(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	p := &Pages{Options: Options{Now: func() time.Time { return at }}}
	for _, c := range []struct {
		user   accounts.User
		cookie string
		want   string
	}{
		{accounts.User{}, "", "1 Jul 2026, 12:00 UTC"},
		{accounts.User{}, "Europe/Berlin", "1 Jul 2026, 14:00 CEST"},
		{accounts.User{BrowserZone: "Asia/Kolkata"}, "", "1 Jul 2026, 17:30 IST"},
		{accounts.User{BrowserZone: "Asia/Kolkata"}, "Europe/Berlin", "1 Jul 2026, 14:00 CEST"},
		{accounts.User{Zone: "America/Sao_Paulo", BrowserZone: "Asia/Kolkata"}, "Europe/Berlin", "1 Jul 2026, 09:00 UTC-3"},
		{accounts.User{BrowserZone: "Asia/Kolkata"}, "../etc/passwd", "1 Jul 2026, 17:30 IST"},
		{accounts.User{}, "Mars/Base", "1 Jul 2026, 12:00 UTC"},
	} {
		r := httptest.NewRequestWithContext(auth.WithPrincipal(context.Background(), auth.Principal{User: c.user}), http.MethodGet, "/", nil)
		r.AddCookie(&http.Cookie{Name: "sett_zone", Value: c.cookie})
		if got := (Moment{p.NowFor(r), at}).text(); got != c.want {
			t.Errorf("%+v with the cookie %q: %s, want %s", c.user, c.cookie, got, c.want)
		}
	}
}
