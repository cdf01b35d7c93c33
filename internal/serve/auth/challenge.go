package auth

import (
	"net/http"

	"sett/internal/sett"
	"sett/internal/sett/signin"
)

// challengeCookie names the cookie of a challenge. Each purpose has its own, so that none ends another.
func challengeCookie(purpose signin.Purpose) string { return "sett_" + string(purpose) }

// Challenge records the challenge for this browser, for a user or, with 0, for any user; a cookie lets the browser answer
// it.
func (s *Sessions) Challenge(w http.ResponseWriter, r *http.Request, purpose signin.Purpose, userID int64, state []byte) error {
	_, err := s.NamedChallenge(w, r, purpose, userID, state)
	return err
}

// NamedChallenge is Challenge that returns the hash by which the challenge is known. It is no secret: only this browser can answer.
func (s *Sessions) NamedChallenge(w http.ResponseWriter, r *http.Request, purpose signin.Purpose, userID int64, state []byte) (hash []byte, err error) {
	secret := sett.NewWebSecret()
	hash = HashToken(secret)
	if err := s.accounts.CreateChallenge(r.Context(), s.now(), purpose, userID, hash, state); err != nil {
		return nil, err
	}
	s.setCookie(w, challengeCookie(purpose), secret, purpose.Life())
	return hash, nil
}

// Asked returns what this browser was asked for; a NotFound error when nothing was, or too long ago.
func (s *Sessions) Asked(r *http.Request, purpose signin.Purpose, userID int64) (state []byte, err error) {
	return s.accounts.Challenge(r.Context(), s.now(), purpose, userID, s.hashOfCookie(r, challengeCookie(purpose)))
}

// Answered is Asked for the one time that it is answered, rightly or not.
func (s *Sessions) Answered(w http.ResponseWriter, r *http.Request, purpose signin.Purpose, userID int64) (state []byte, err error) {
	s.setCookie(w, challengeCookie(purpose), "", -1)
	return s.accounts.TakeChallenge(r.Context(), s.now(), purpose, userID, s.hashOfCookie(r, challengeCookie(purpose)))
}
