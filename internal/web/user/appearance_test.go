package user_test

import (
	"net/url"
	"testing"

	"sett/internal/setttest"
)

// Pages are in the time zone of the browser, which is remembered for browsers without scripts, or in the one that the user chose.
func TestTimeZone(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	addAnn(t, s)
	b := newBrowser(t, s)
	b.do("POST", "/login", url.Values{"email": {annsEmail}, "password": {annsPassword}}, "Cookie", "sett_zone=Asia/Kolkata").leads("/")
	b.get("/me/sessions").want(200, " IST</time>")
	b.do("GET", "/me/sessions", nil, "Cookie", "sett_zone=Europe/Berlin").want(200, " CET</time>")
	b.do("GET", "/me/appearance", nil, "Cookie", "sett_zone=Europe/Berlin").want(200, "Time zone of the browser (Europe/Berlin)").CheckPage()
	b.post("/me/appearance", "zone", "Mars/Base").want(422, "is no time zone")
	b.post("/me/appearance", "zone", "America/Sao_Paulo").leads("/me/appearance?done=saved")
	b.do("GET", "/me/sessions", nil, "Cookie", "sett_zone=Europe/Berlin").want(200, " UTC-3</time>")
	b.get("/me/appearance").want(200, `<option value="America/Sao_Paulo" selected>`)
	b.post("/me/appearance", "zone", "").leads("/me/appearance?done=saved")
	b.get("/me/sessions").want(200, " IST</time>")
}
