package user

import (
	"bytes"
	"compress/gzip"
	"regexp"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/setttest/colour"
	"sett/internal/store"
)

// everyPage is a struct of each template, full and empty.
func everyPage() map[string][]any {
	at := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	full := Shell{Title: "Title", User: sett.User{ID: 1, Email: "a@b.test", Name: "Ann"}, Here: "/", Done: "Done.", Problem: "Wrong."}
	field := Field{Name: "n", ID: "i", Label: "Label", Kind: "text", Value: "v", Complete: "off", Hint: "Hint.", Problem: "Problem."}
	choice := Field{Name: "c", Label: "Choice", Value: "b", Choices: []Choice{{"a", "A"}, {"b", "B"}}}
	fields := Fields{field, choice}
	session := sessionRow{sett.Session{ID: 1, How: sett.ByPassword, CreatedAt: at, LastSeenAt: at, Address: "::1"}, "Firefox", false}
	token := tokenRow{sett.PersonalToken{ID: 1, Name: "t", CreatedAt: at, ExpiresAt: at, UsedAt: at, UsedFrom: "::1"}, true}
	invited := sett.OpenInvitation{Account: "Acme", Team: "Web", Inviter: "Olga", Email: "x@y.test", Role: sett.Admin, Message: "Hi", Known: true}
	keys := []sett.Passkey{{ID: 1, Name: "Phone", CreatedAt: at, UsedAt: at}, {ID: 2, Copied: true}}
	identity := sett.Identity{Subject: "1", Email: "a@b.test"}
	ending := sett.Unsubscribing{User: sett.Person{Email: "a@b.test"}, Project: "Shop", ProjectID: 1, Alerts: sett.NewPersonalAlerts()}
	scripted := full
	scripted.Script = true
	return map[string][]any{
		"passkey":       {passkeyForm{}, passkeyForm{scripted, fields}},
		"passkey_login": {passkeyLoginForm{}, passkeyLoginForm{scripted, "/x", "?next=%2Fx"}},
		"oidc_leave":    {oidcLeavePage{}, oidcLeavePage{full, "Acme", "https://id.example.test/auth?a=b"}},
		"oidc_connect":  {oidcConnectForm{}, oidcConnectForm{full, "Acme", identity, fields}},

		"home":       {homePage{}, homePage{full, []sett.Account{{ID: "a", Name: "A"}}}},
		"login":      {loginForm{}, loginForm{full, fields, "/x", "?next=%2Fx", true, "Acme"}},
		"login_code": {loginCodeForm{}, loginCodeForm{full, "a@b.test", field, "/x"}},
		"forgot":     {forgotForm{}, forgotForm{full, field}},
		"reset":      {resetForm{}, resetForm{full, "a@b.test", field, "/reset/x"}},
		"invitation": {
			invitationForm{},
			invitationForm{full, invited, "/invitations/x", "?next=x", fields},
			invitationForm{Invitation: invited},
			invitationForm{Fields: fields},
		},
		"security": {
			securityForms{},
			securityForms{full, fields, sett.SecondFactor{Confirmed: true, RecoveryCodes: 1}, fields, fields, keys, true, "Acme", identity},
			securityForms{Issuer: "Acme", MayAdd: true},
		},
		"factor":         {factorForm{}, factorForm{full, "ABCD", square{29, "M0 0h1v1h-1z"}, field}},
		"recovery_codes": {codesPage{}, codesPage{full, []string{"abcd"}}},
		"sessions":       {sessionList{}, sessionList{full, []sessionRow{session, {This: true}}}},
		"tokens":         {tokenList{}, tokenList{full, []tokenRow{token, {}}, fields, "sett_u_x"}},
		"unsubscribe":    {unsubscribeForm{}, unsubscribeForm{full, ending, false, "/unsubscribe/x"}, unsubscribeForm{full, ending, true, "/x"}},
		"alerts":         {alertList{}, alertList{full, []store.ProjectAlerts{{Project: "Shop", ProjectID: 1}, {PersonalAlerts: sett.NewPersonalAlerts()}}, 1}},
		"alert_form":     {alertForm{}, alertForm{full, 1, []tick{{"events", "up", "Up", true}, {}}, tick{On: true}, choice}},
		"error":          {errorPage{}, errorPage{full, "Message.", "id"}},
	}
}

func TestEveryTemplateIsDrawn(t *testing.T) {
	t.Parallel()
	p, err := New(Options{BaseURL: "http://localhost:8080"})
	if err != nil {
		t.Fatal(err)
	}
	pages := everyPage()
	for name, tmpl := range p.templates {
		if len(pages[name]) < 2 {
			t.Errorf("page %s is not drawn full and empty", name)
		}
		for _, page := range pages[name] {
			var out bytes.Buffer
			if err := tmpl.ExecuteTemplate(&out, "layout", page); err != nil {
				t.Errorf("page %s with %+v: %v", name, page, err)
			}
			if strings.Contains(out.String(), "ZgotmplZ") {
				t.Errorf("page %s: a value was refused by the template:\n%s", name, &out)
			}
			if open, closed := strings.Count(out.String(), "<div"), strings.Count(out.String(), "</div>"); open != closed {
				t.Errorf("page %s opens %d divs and closes %d", name, open, closed)
			}
		}
	}
}

// token finds the custom properties in a style.
var token = regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{3,6})\b`)

// Every text is readable on every surface that it stands on, light and dark (WCAG 2.2, 1.4.3 and 1.4.11).
func TestContrast(t *testing.T) {
	t.Parallel()
	p, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	light, dark, found := strings.Cut(string(p.style.body), "@media (prefers-color-scheme: dark)")
	if !found {
		t.Fatal("there are no dark colours")
	}
	dark, _, _ = strings.Cut(dark, "* {")
	for scheme, text := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]string{}
		for _, m := range token.FindAllStringSubmatch(text, -1) {
			colours[m[1]] = m[2]
		}
		for _, pair := range []struct {
			ink, on string
			least   float64
		}{
			{"text", "bg", 4.5},
			{"text", "surface", 4.5},
			{"text", "raised", 4.5},
			{"text-2", "bg", 4.5},
			{"text-2", "surface", 4.5},
			{"text-2", "raised", 4.5},
			{"text-3", "surface", 4.5},
			{"accent", "surface", 4.5},
			{"accent", "bg", 4.5},
			{"accent", "accent-wash", 4.5},
			{"accent-ink", "accent", 4.5},
			{"critical", "surface", 4.5},
			{"critical", "critical-wash", 4.5},
			{"ok", "ok-wash", 4.5},
			{"ok", "surface", 4.5},
			{"muted", "muted-wash", 4.5},
			{"line-strong", "surface", 3},
		} {
			if got := colour.Contrast(t, colours[pair.ink], colours[pair.on]); got < pair.least {
				t.Errorf("%s: %s on %s has a contrast of %.2f, want %.1f", scheme, pair.ink, pair.on, got, pair.least)
			}
		}
	}
}

// The budget of ui.md.
func TestStyleIsSmall(t *testing.T) {
	t.Parallel()
	p, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(p.style.body); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if packed.Len() > 8<<10 {
		t.Errorf("the style takes %d bytes", packed.Len())
	}
}
