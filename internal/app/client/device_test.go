package client

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// Who waits for a code to be typed asks as often as the server wants, goes on after silence, and learns what the person answered.
func TestCodesAreWaitedFor(t *testing.T) {
	t.Parallel()
	const begun = `{"device_code": "d", "user_code": "WDJB-MJHT", "verification_uri": "https://s/oauth/device", "expires_in": 60, "interval": 5}`
	const pending, slow, denied = `{"error": "authorization_pending", "errors": 1}`, `{"error": "slow_down", "errors": 1}`, `{"error": "access_denied", "error_description": "the person did not allow it", "errors": 1}`
	for name, tt := range map[string]struct {
		answers []string
		want    string // the token, or the error
		took    time.Duration
	}{
		"allowed":      {[]string{begun, pending, slow, "", `{"access_token": "sett_u_x"}`}, "sett_u_x", 25 * time.Second},
		"denied":       {[]string{begun, denied}, "the person did not allow it", 0},
		"not answered": {[]string{begun, pending}, "the code has expired; run sett login again", time.Minute},
		"older server": {[]string{`{"errors": "Not found"}`}, ErrNoCodes.Error(), 0},
		"no sett":      {[]string{`{}`}, "https://sett.example.org did not answer as sett does, with status 200; check the address in --server (SETT_SERVER)", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a, at, shown := &answers{all: tt.answers}, time.Now(), Code{}
				token, err := a.server().SignIn(t.Context(), "laptop", func(c Code) { shown = c })
				if err == nil {
					err = errors.New(token)
				}
				if err.Error() != tt.want || time.Since(at) != tt.took || len(tt.answers) > 1 && shown.Text != "WDJB-MJHT" {
					t.Errorf("%v after %v, shown %+v", err, time.Since(at), shown)
				}
			})
		})
	}
}
