package user_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/setttest"
	"sett/internal/web"
	"sett/internal/web/user"
)

// unaudited are the routes that may change something and leave no entry, with the reason.
var unaudited = map[string]string{
	"login":          "signing in changes nothing; of an owner without the required single sign-on, it is logged",
	"loginCode":      "signing in changes nothing",
	"passkeyLogin":   "signing in changes nothing",
	"askForPasskey":  "a question to the device",
	"beginOIDC":      "a question to the issuer",
	"findSAML":       "a question where to sign in",
	"samlResponse":   "signing in changes nothing; a first time in an account is logged",
	"proposePasskey": "a question to the device",
	"proposeFactor":  "counts for nothing before it is confirmed",
	"forgot":         "a mail; the use of its link is logged",
	"answerProgram":  "the program connects with its code, which is logged",
	"answerDevice":   "the command line fetches its token, which is logged",
	"logout":         "signing out changes nothing",
}

// personal is Ann with all that she uses to change what is her own.
type personal struct {
	*browser
	s      *setttest.Server
	issuer *issuer
	codes  []string
	secret string
	ann    int64
}

// lifeOfAnn uses every route that leaves an entry, in an order in which each succeeds; entry is the text of its entry in the audit log.
var lifeOfAnn = []struct {
	name, entry string
	do          func(*personal)
}{
	{"acceptInvitation", `{"role":"Member","team_ids":[]}`, func(p *personal) {
		path := invite(p.t, p.s, "joining@example.test") // is recorded as well
		p.s.Clock.Push(time.Minute)
		p.fresh().post(path, "name", "Ann Other", "new_password", annsPassword).leads("/?done=joined")
	}},
	{"changeAlerts", `{"digest":"daily","events":["up"],"follows":false,"mentions":false,"project":"Shop"}`, func(p *personal) {
		page := fmt.Sprint("/me/alerts/", p.s.Setup.ProjectID)
		p.post(page, "events", "up", "digest", "daily").leads(page + "?done=alerts")
	}},
	{"unsubscribe", `{"digest":"off","events":[],"follows":false,"mentions":false,"project":"Shop"}`, func(p *personal) {
		p.fresh().post(unsubscribeLink(p.t, p.s, p.ann)).want(200)
	}},
	{"renameUser", `{"name":"Ann Again"}`, func(p *personal) {
		p.post("/me/profile", "name", " ").want(422)
		p.post("/me/profile", "name", " Ann Again ").leads("/me/profile?done=saved")
	}},
	{"chooseZone", `{"zone":"Europe/Berlin"}`, func(p *personal) {
		p.post("/me/appearance", "zone", "Mars/Base").want(422)
		p.post("/me/appearance", "zone", "Europe/Berlin").leads("/me/appearance?done=saved")
	}},
	{"changePassword", `{}`, func(p *personal) {
		p.post("/me/security/password", "password", annsPassword, "new_password", annsPassword+"!").leads("/me/security?done=password")
	}},
	{"reset", `{"all_ways_in_ended":true}`, func(p *personal) {
		p.post(asked(p.t, p.s, annsEmail), "new_password", annsPassword).leads("/login?done=reset")
		p.signIn()
	}},
	{"makeToken", `{"expires_at":"2026-12-18T`, func(p *personal) {
		p.post("/me/tokens", "name", "deploy", "scope", "read", "days", "30").want(200)
	}},
	{"revokeToken", `{"name":"deploy"}`, func(p *personal) {
		p.post(pathOf["revoke"].FindString(p.get("/me/tokens").Body)).leads("/me/tokens?done=revoked")
	}},
	{"confirmFactor", `{}`, func(p *personal) { p.secret, p.codes = p.turnOn(p.s) }},
	{"renewCodes", `{}`, func(p *personal) {
		p.codes = p.post("/me/security/recovery_codes", "password", annsPassword, "code", p.codes[0]).want(200).recoveryCodes()
	}},
	{"dropFactor", `{}`, func(p *personal) {
		p.post("/me/security/totp/off", "password", annsPassword, "code", p.codes[0]).leads("/me/security?done=factor_off")
	}},
	{"addPasskey", `{"name":"Phone"}`, func(p *personal) { p.addPasskey("Phone") }},
	{"removePasskey", `{"name":"Phone"}`, func(p *personal) {
		p.post(removal.FindString(p.get("/me/security").Body)).leads("/me/security?done=passkey_removed")
	}},
	{"endSession", `{"device":"Firefox on Linux"}`, func(p *personal) {
		p.fresh().signIn()
		p.post(pathOf["end"].FindString(p.get("/me/sessions").Body)).leads("/me/sessions?done=ended")
	}},
	{"endOtherSessions", `{"sessions":1}`, func(p *personal) {
		p.fresh().signIn()
		p.post("/me/sessions/others/end").leads("/me/sessions?done=others")
	}},
	{"connectOIDC", `{"email":"` + annsEmail + `"`, func(p *personal) {
		p.through(p.issuer, "/").leads("/auth/oidc/connect")
		p.post("/auth/oidc/connect", "password", annsPassword).leads("/me/security?done=connected")
	}},
}

// fresh is another browser of the same server.
func (p *personal) fresh() *browser {
	b := newBrowser(p.t, p.s)
	b.Base = p.Base
	return b
}

// Every form that changes anything leaves one entry when it succeeds, in the account of the user, and no secret in it.
func TestEveryChangeIsInTheAuditLog(t *testing.T) {
	t.Parallel()
	known := []string{}
	for _, c := range lifeOfAnn {
		known = append(known, c.name)
	}
	for _, route := range user.Area(new(web.Pages)).Routes {
		if route.Method != http.MethodGet && unaudited[route.Name] == "" && !slices.Contains(known, route.Name) {
			t.Errorf("%s may change something: add it to lifeOfAnn, or to unaudited with the reason why not", route.Name)
		}
	}
	eachWithIssuer(t, func(t *testing.T, s *setttest.Server, i *issuer) {
		s.Base = "http://" + s.App.Addr()
		ann := addAnn(t, s)
		seeProject(t, s, ann)
		p := &personal{browser: newLocalBrowser(t, s).signIn(), s: s, issuer: i, ann: ann}
		for _, c := range lifeOfAnn {
			s.Clock.Push(time.Minute)
			c.do(p)
			p.wantEntry(c.name, c.entry)
		}
	}, local)
}

// wantEntry wants one entry since the clock was pushed: of this route, by who has used it, with these changes.
func (p *personal) wantEntry(name, changes string) {
	p.t.Helper()
	var list struct {
		Results []struct {
			Action, Address string
			Token           *string
			UserAgent       string `json:"user_agent"`
			User            sett.Person
			Changes, Target json.RawMessage
		}
	}
	answer := p.s.Get(fmt.Sprintf("/v2/accounts/%s/audit_log?created_after=%d", p.s.Setup.AccountID, p.s.Clock.Now().Unix()))
	if answer.Into(&list); len(list.Results) != 1 {
		p.t.Fatalf("%s: entries %s", name, answer.Body)
	}
	e, by := list.Results[0], annsEmail
	if name == "acceptInvitation" {
		by = "joining@example.test"
	}
	if e.Action != name || e.User.Email != by || e.Token != nil || e.Address != "127.0.0.1" || e.UserAgent != p.Agent {
		p.t.Errorf("%s: %+v", name, e)
	}
	if !strings.HasPrefix(string(e.Changes), changes) {
		p.t.Errorf("the entry of %s is %s, want %s", name, e.Changes, changes)
	}
	for _, secret := range append(p.codes, annsPassword, p.secret, "/reset/") {
		if secret != "" && strings.Contains(string(answer.Body), secret) {
			p.t.Errorf("the entry of %s contains a secret: %s", name, answer.Body)
		}
	}
}
