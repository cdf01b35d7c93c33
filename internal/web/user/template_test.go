package user

import (
	"testing"
	"time"

	"sett/internal/serve/oauth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/directory"
	"sett/internal/sett/signin"
	"sett/internal/setttest/markup"
	"sett/internal/store/accountdb"
	"sett/internal/store/deliverydb"
	"sett/internal/web"
)

// everyPage are structs of each template, full and empty.
func everyPage() map[string][]web.Page {
	at := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	full := web.Shell{Title: "Title", User: accounts.User{ID: 1, Email: "a@b.test", Name: "Ann"}, Here: "/", Done: "Done.", Problem: "Wrong."}
	field := web.Field{Name: "n", ID: "i", Label: "Label", Kind: "text", Value: "v", Complete: "off", Hint: "Hint.", Problem: "Problem."}
	choice := web.Field{Name: "c", Label: "Choice", Value: "b", Choices: web.Choices("a", "A", "b", "B")}
	fields := web.Fields{field, choice}
	renew, off := web.Fields{{Name: "n", ID: "renew", Kind: "text"}}, web.Fields{{Name: "n", ID: "off", Kind: "text"}}
	session := sessionRow{signin.Session{ID: 1, How: signin.ByPassword, CreatedAt: at, LastSeenAt: at, Address: "::1"}, "Firefox", false}
	token := signin.PersonalToken{ID: 1, Name: "t", CreatedAt: at, ExpiresAt: at, UsedAt: at, UsedFrom: "::1"}
	program := signin.PersonalToken{ExpiresAt: at, Renewed: at, Grant: signin.Grant{Scopes: []string{"faults:read"}}}
	asked := oauth.Request{Client: oauth.Client{Name: "Agent", Host: "agent.example.org"}}
	invited := accounts.OpenInvitation{Account: "Acme", Team: "Web", Inviter: "Olga", Email: "x@y.test", Role: accounts.Admin, Message: "Hi", Known: true}
	keys := []signin.Passkey{{ID: 1, Name: "Phone", CreatedAt: at, UsedAt: at}, {ID: 2, Copied: true}}
	identity := accounts.Identity{Subject: "1", Email: "a@b.test"}
	ending := alerts.Unsubscribing{User: sett.Person{Email: "a@b.test"}, Project: "Shop", ProjectID: 1, Alerts: alerts.NewPersonalAlerts()}
	scripted := full
	scripted.Scripts = []string{"passkey.js"}
	return map[string][]web.Page{
		"passkey":       {passkeyForm{}, passkeyForm{scripted, fields}},
		"passkey_login": {passkeyLoginForm{}, passkeyLoginForm{scripted, "/x", "?next=%2Fx"}},
		"oidc_leave":    {oidcLeavePage{}, oidcLeavePage{full, "Acme", "https://id.example.test/auth?a=b"}},
		"oidc_connect":  {oidcConnectForm{}, oidcConnectForm{full, "Acme", identity, fields}},

		"login":      {loginForm{}, loginForm{full, fields, "/x", "?next=%2Fx", true, true, "Acme", true}},
		"saml_find":  {samlFind{}, samlFind{full, fields}},
		"sign_on":    {signOnPage{Issuer: "Acme"}, signOnPage{full, directory.Required{Account: "Acme", Domain: "b.test"}, "/auth/saml/a", "", "/x"}},
		"login_code": {loginCodeForm{}, loginCodeForm{full, "a@b.test", field, "/x"}},
		"forgot":     {forgotForm{}, forgotForm{full, field}},
		"reset":      {resetForm{Path: "/reset/x"}, resetForm{full, "a@b.test", field, "/reset/x"}},
		"invitation": {
			invitationForm{Path: "/x"},
			invitationForm{full, invited, "/invitations/x", "?next=x", fields},
			invitationForm{Invitation: invited, Path: "/x"},
			invitationForm{Fields: fields, Path: "/x"},
		},
		"security": {
			securityForms{},
			securityForms{full, fields, signin.SecondFactor{Confirmed: true, RecoveryCodes: 1}, renew, off, keys, true, "Acme", identity},
			securityForms{Issuer: "Acme", MayAdd: true},
		},
		"factor":          {factorForm{}, factorForm{full, "ABCD", square{29, "M0 0h1v1h-1z"}, field, nil}},
		"recovery_codes":  {codesPage{}, codesPage{full, []string{"abcd"}}},
		"sessions":        {sessionList{}, sessionList{full, []sessionRow{session, {This: true}}}},
		"tokens":          {tokenList{}, tokenList{full, []signin.PersonalToken{token, {}, program}, fields, web.NewGrants(nil, true), "sett_u_x"}},
		"consent":         {consent{}, consent{full, asked, "a=b", "agent.example.org", fields}},
		"program_leave":   {leave{}, leave{full, "Agent", "https://agent.example.org/"}},
		"program_refused": {refusedProgram{}, refusedProgram{full, "Why.", false, "agent.example.org", "https://agent.example.org/"}, refusedProgram{Shell: full, Why: "Why", Unreachable: true}},
		"device":          {deviceForm{}, deviceForm{full, "BCDF", &oauth.Device{Name: "laptop", Address: "::1", At: at}, fields}},
		"unsubscribe":     {unsubscribeForm{Path: "/x"}, unsubscribeForm{full, ending, false, "/unsubscribe/x"}, unsubscribeForm{full, ending, true, "/x"}},
		"appearance":      {appearancePage{}, appearancePage{full, fields}},
		"profile":         {&profilePage{}, &profilePage{full, web.Fields{{Name: "name", Label: "Name", Kind: "text"}}, []accounts.NamedAccount{{ID: "a", Name: "A", Role: accounts.Owner}}, []accountdb.OwnTeam{{TeamName: accounts.TeamName{ID: 1, Name: "Crew"}, Admin: true}}}},
		"alerts":          {alertList{}, alertList{full, []deliverydb.ProjectAlerts{{Project: "Shop", ProjectID: 1}, {PersonalAlerts: alerts.NewPersonalAlerts()}}, 1}},
		"alert_form":      {alertForm{}, alertForm{full, 1, []tick{{"events", "up", "Up", true}, {}}, tick{On: true}, tick{}, choice}},
	}
}

func TestEveryTemplateIsDrawn(t *testing.T) {
	t.Parallel()
	markup.RenderAll(t, Area, everyPage())
}
