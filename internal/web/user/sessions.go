package user

import (
	"net/http"

	"sett/internal/sett/signin"
	"sett/internal/web"
)

// sessionList lists the browsers in which a user is signed in.
type sessionList struct {
	web.Shell
	Sessions []sessionRow
}

// sessionRow is one browser.
type sessionRow struct {
	signin.Session
	Device string
	This   bool // it is the current one
}

func (p *pages) sessionsPage(w http.ResponseWriter, r *http.Request) error {
	sessions, err := p.Accounts.ListSessions(r.Context(), p.Now(), web.Who(r).User.ID)
	if err != nil {
		return err
	}
	page := sessionList{Shell: p.Shell(r, "Sessions")}
	for _, s := range sessions {
		page.Sessions = append(page.Sessions, sessionRow{s, signin.DeviceOf(s.UserAgent), s.ID == web.Who(r).Session.ID})
	}
	return p.Show(w, r, http.StatusOK, "sessions", page)
}

func (p *pages) endSession(w http.ResponseWriter, r *http.Request) error {
	if err := p.Accounts.RevokeSession(r.Context(), web.Who(r).Session, web.PathID(r, "session_id")); err != nil {
		return err
	}
	return p.Done(w, "/me/sessions", "ended")
}

func (p *pages) endOtherSessions(w http.ResponseWriter, r *http.Request) error {
	if err := p.Accounts.RevokeOtherSessions(r.Context(), web.Who(r).Session); err != nil {
		return err
	}
	return p.Done(w, "/me/sessions", "others")
}
