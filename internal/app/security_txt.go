package app

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/mail"
	"net/url"
	"time"

	"sett/internal/serve"
	"sett/internal/sett/accounts"
)

// securityLife is how long a copy of security.txt may be believed. Each one is new, and RFC 9116 §2.5.5 wants less than a year.
const securityLife = 90 * 24 * time.Hour

// parseSecurityContact reads an email or web address, and returns it as a URI; empty for none.
func parseSecurityContact(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if u, err := url.Parse(text); err == nil && u.Scheme == "https" && u.Hostname() != "" || err == nil && u.Scheme == "mailto" && u.Opaque != "" {
		return u.String(), nil
	}
	if box, err := mail.ParseAddress(text); err == nil && box.Name == "" {
		return (&url.URL{Scheme: "mailto", Opaque: box.Address}).String(), nil
	}
	return "", errors.New("is not a contact; write an email address such as security@example.org, or a URL with https://")
}

// securityRoutes serve security.txt (RFC 9116), when the settings name a contact.
func (a *App) securityRoutes() []serve.Route {
	if a.cfg.SecurityContact == "" {
		return nil
	}
	return []serve.Route{{
		Method: "GET", Path: "/.well-known/security.txt", Name: "securityContact", Tag: "System", Permission: accounts.Public, Quiet: true,
		Status: http.StatusOK, Media: "text/plain", Doc: "The security contact of this server (RFC 9116), if one is set.",
		Handle: a.securityTxt,
	}}
}

func (a *App) securityTxt(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, fmt.Sprintf("Contact: %s\nExpires: %s\nPreferred-Languages: en\nCanonical: %s/.well-known/security.txt\n",
		a.cfg.SecurityContact, a.now().Add(securityLife).UTC().Format(time.RFC3339), a.cfg.BaseURL))
	return nil
}
