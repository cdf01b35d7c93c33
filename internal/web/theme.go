package web

import (
	"net/http"
	"slices"
)

// themeCookie stores the theme of a browser.
const themeCookie = "sett_theme"

// themeLife is the lifetime of the cookie, in seconds.
const themeLife = 400 * 24 * 60 * 60

// themeOf returns the theme of the browser: light, dark, or "" for that of the system.
func themeOf(r *http.Request) string {
	c, err := r.Cookie(themeCookie)
	if err != nil || !slices.Contains([]string{"light", "dark"}, c.Value) {
		return ""
	}
	return c.Value
}

func (p *Pages) chooseTheme(w http.ResponseWriter, r *http.Request) error {
	form, err := ReadForm(w, r)
	if err != nil {
		return err
	}
	c := &http.Cookie{
		Name: themeCookie, Value: form.Get("theme"), Path: p.root + "/", MaxAge: themeLife, SameSite: http.SameSiteLaxMode, HttpOnly: true,
	}
	if !slices.Contains([]string{"light", "dark"}, c.Value) {
		c.Value, c.MaxAge = "", -1
	}
	http.SetCookie(w, c)
	return p.Redirect(w, LocalPath(form.Get("next")))
}
