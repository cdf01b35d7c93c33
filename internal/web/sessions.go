package web

import (
	"net/http"

	"sett/internal/sett"
)

// sessionList is the page of the browsers in which a user is signed in.
type sessionList struct {
	Shell
	Sessions []sessionRow
}

// sessionRow is one browser.
type sessionRow struct {
	sett.Session
	Device string
	This   bool // it is the one that asks
}

func (p *Pages) sessionsPage(w http.ResponseWriter, r *http.Request) error {
	sessions, err := p.Store.ListSessions(r.Context(), p.Now(), who(r).User.ID)
	if err != nil {
		return err
	}
	page := sessionList{Shell: p.shell(r, "Sessions")}
	for _, s := range sessions {
		page.Sessions = append(page.Sessions, sessionRow{s, sett.DeviceOf(s.UserAgent), s.ID == who(r).Session.ID})
	}
	return p.show(w, http.StatusOK, "sessions", page)
}

func (p *Pages) endSession(w http.ResponseWriter, r *http.Request) error {
	if err := p.Store.RevokeSession(r.Context(), who(r).Session, pathID(r, "session_id")); err != nil {
		return err
	}
	return p.done(w, "/me/sessions", "ended")
}

func (p *Pages) endOtherSessions(w http.ResponseWriter, r *http.Request) error {
	if err := p.Store.RevokeOtherSessions(r.Context(), who(r).Session); err != nil {
		return err
	}
	return p.done(w, "/me/sessions", "others")
}
