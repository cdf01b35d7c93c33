package auth

import (
	"net/http"
	"strings"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/store/accountdb"
)

// The cookies of a browser: of a session, and of a sign-in that lacks its second factor. Under https a prefix goes before
// them, so that no other host of the same domain can set them (RFC 6265bis §4.1.3).
const (
	sessionCookie = "sett_session"
	stepCookie    = "sett_login"
)

// Sessions knows browsers by their cookies.
type Sessions struct {
	accounts *accountdb.Store
	proxies  serve.Proxies
	now      func() time.Time
	path     string // of cookies: where sett is served under its base URL
	secure   bool
	prefix   string // of the names of cookies
}

// NewSessions returns a Sessions of the given store. Cookies are for the path of baseURL, and for https alone where that
// is its scheme.
func NewSessions(accounts *accountdb.Store, proxies serve.Proxies, now func() time.Time, baseURL string) *Sessions {
	sessions := &Sessions{accounts: accounts, proxies: proxies, now: now, path: serve.Prefix(baseURL) + "/", secure: strings.HasPrefix(baseURL, "https://")}
	switch {
	case sessions.secure && sessions.path == "/":
		sessions.prefix = "__Host-"
	case sessions.secure:
		sessions.prefix = "__Secure-"
	}
	return sessions
}

// Begin creates a session of a user and sets the cookie of the browser; an earlier session of the browser ends. phc is the
// password hash that was checked, or ""; if it is outdated, the error is sett.WrongPassword.
func (s *Sessions) Begin(w http.ResponseWriter, r *http.Request, user accounts.User, way signin.Way, phc string) error {
	secret := sett.NewWebSecret()
	session := signin.Session{
		UserID: user.ID, How: way.How, Account: way.Account, Factor: way.Factor, Address: AddressText(s.proxies, r), UserAgent: signin.CutUserAgent(r.UserAgent()), Zone: BrowserZone(r),
	}
	if err := s.accounts.CreateSession(r.Context(), s.now(), session, phc, HashToken(secret), s.hashOfCookie(r, sessionCookie)); err != nil {
		return err
	}
	s.setCookie(w, sessionCookie, secret, signin.SessionLife)
	return nil
}

// Of returns the user of the browser that sent r; the zero Principal if not signed in.
func (s *Sessions) Of(r *http.Request) (Principal, error) {
	hash := s.hashOfCookie(r, sessionCookie)
	if hash == nil {
		return Principal{}, nil
	}
	now := s.now()
	session, user, err := s.accounts.SessionByHash(r.Context(), now, hash)
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		return Principal{}, nil
	case err != nil:
		return Principal{}, err
	}
	session.Address, session.Zone = AddressText(s.proxies, r), BrowserZone(r)
	if signin.SightingDue(now, session.LastSeenAt) {
		session.LastSeenAt = now
		// Without the note the session is as good: a full disk must not keep people from reading.
		_ = s.accounts.TouchSession(r.Context(), session)
	}
	return Principal{User: user, Session: session}, nil
}

// End ends the session that the principal came with, and takes the browser's cookie away.
func (s *Sessions) End(w http.ResponseWriter, r *http.Request) error {
	s.setCookie(w, sessionCookie, "", -1)
	p := PrincipalOf(r.Context())
	return s.accounts.EndSession(r.Context(), p.User.ID, p.Session.ID)
}

// BeginStep notes that a user has signed in with this browser but for the second factor. phc is as that of Begin.
func (s *Sessions) BeginStep(w http.ResponseWriter, r *http.Request, user accounts.User, way signin.Way, phc string) error {
	secret := sett.NewWebSecret()
	if err := s.accounts.CreateLoginStep(r.Context(), s.now(), user.ID, way, phc, HashToken(secret)); err != nil {
		return err
	}
	s.setCookie(w, stepCookie, secret, signin.LoginStepLife)
	return nil
}

// StepOf returns who has signed in with this browser except for the second factor, how, and the password that was checked;
// the error is NotFound if no one has, or too long ago.
func (s *Sessions) StepOf(r *http.Request) (user accounts.User, way signin.Way, phc string, err error) {
	return s.accounts.LoginStep(r.Context(), s.now(), s.hashOfCookie(r, stepCookie))
}

// EndStep forgets what BeginStep noted.
func (s *Sessions) EndStep(w http.ResponseWriter, r *http.Request) error {
	s.setCookie(w, stepCookie, "", -1)
	return s.accounts.EndLoginStep(r.Context(), s.hashOfCookie(r, stepCookie))
}

// setCookie gives the browser a cookie; a negative life takes it away.
func (s *Sessions) setCookie(w http.ResponseWriter, name, value string, life time.Duration) {
	age := int(life / time.Second)
	if life < 0 {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.prefix + name, Value: value, Path: s.path, MaxAge: age, HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode,
	})
}

// hashOfCookie returns the SHA-256 of a cookie's value, or nil without a cookie.
func (s *Sessions) hashOfCookie(r *http.Request, name string) []byte {
	c, err := r.Cookie(s.prefix + name)
	if err != nil || c.Value == "" {
		return nil
	}
	return HashToken(c.Value)
}
