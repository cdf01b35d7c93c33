package user_test

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/setttest"
)

// invite makes an invitation to the server's account and returns the path of its page.
func invite(t *testing.T, s *setttest.Server, email string) string {
	t.Helper()
	made := s.Post(fmt.Sprintf("/v2/accounts/%s/invitations", s.Setup.AccountID), map[string]any{
		"invitation": map[string]any{"email": email, "role": "Member"},
	}).Want(201).JSON()
	return "/invitations/" + made["token"].(string)
}

func TestInvitationOfANewUser(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		path, b := invite(t, s, "new@example.test"), newBrowser(t, s)
		b.get(path).want(200, "Olga Owner", "Acme", "as Member", "new@example.test")
		b.post(path, "name", " ", "new_password", "new@example.test").want(422,
			"Please correct the marked fields.", "Your name can&#39;t be blank.", "Password must not be your address or your name")
		b.post(path, "name", "Nora New", "new_password", "ten modest herons").leads("/?done=joined")
		b.get("/?done=joined").want(200, "Welcome to Acme, Nora New.", "Invitation accepted.")
		b.get(path).want(404, "This invitation is not open any more")
		b.post(path).want(404)
		wantJoinAudited(t, s, "new@example.test")
		other := newBrowser(t, s)
		other.post("/login", "email", "new@example.test", "password", "ten modest herons").leads("/")
	})
}

func TestInvitationOfAnExistingUser(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		stranger(t, s)
		path, b := invite(t, s, "stranger@example.test"), newBrowser(t, s)
		b.get(path).want(200, "is already registered", "/login?next=%2Finvitations%2F")
		b.post(path, "name", "Other", "new_password", "ten modest herons").want(409) // no new user replaces them
		b.post("/login", "email", "stranger@example.test", "password", "a stranger in town", "next", path).leads(path)
		b.get(path).want(200, "You are signed in as <strong>stranger@example.test</strong>.")
		b.post(path).leads("/?done=joined")
		b.get("/").want(200, "Others", "Acme")
		wantJoinAudited(t, s, "stranger@example.test")
	})
}

// wantJoinAudited checks that the audit log records who accepted an invitation, and from where.
func wantJoinAudited(t *testing.T, s *setttest.Server, email string) {
	t.Helper()
	var log struct {
		Results []struct {
			User      struct{ Email string }
			Address   string
			UserAgent string `json:"user_agent"`
		}
	}
	s.Get(fmt.Sprintf("/v2/accounts/%s/audit_log?action=acceptInvitation", s.Setup.AccountID)).Want(200).Into(&log)
	if len(log.Results) != 1 || log.Results[0].User.Email != email || log.Results[0].Address == "" || log.Results[0].UserAgent == "" {
		t.Errorf("the audit log contains %+v", log.Results)
	}
}

func TestInvitationsThatAreOver(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		path, b := invite(t, s, "new@example.test"), newBrowser(t, s)
		s.Clock.Push(14 * 24 * time.Hour)
		b.get(path).want(404, "This invitation is not open any more")
		b.post(path, "name", "Nora New", "new_password", "ten modest herons").want(404)
		b.get("/invitations/unknown").want(404, "This invitation is not open any more")
	})
}

// A user who may invite creates a user with the address of another person, without a mail, and keeps a personal token.
// It ends when that person reads a mail and sets a password.
func TestATakeoverByInvitationEndsWithTheReset(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		const victim = "victim@example.test"
		taker := newBrowser(t, s)
		taker.post(invite(t, s, victim), "name", "Not Them", "new_password", "ten modest herons").leads("/?done=joined")
		program := *s.Client
		program.Token = taker.post("/me/tokens", "name", "kept", "scope", "write", "days", "30").want(200).shownSecret()
		program.Do("GET", "/v2/accounts", nil).Want(200)

		b := newBrowser(t, s)
		b.post(asked(t, s, victim), "new_password", "eight jolly penguins").leads("/login?done=reset")
		program.Do("GET", "/v2/accounts", nil).Want(401)
		taker.get("/").leads("/login")
		b.post("/login", "email", victim, "password", "eight jolly penguins").leads("/")
		program.Token = b.post("/me/tokens", "name", "own", "scope", "write", "days", "30").want(200).shownSecret()
		b.post(asked(t, s, victim), "new_password", "nine jolly penguins").leads("/login?done=reset")
		program.Do("GET", "/v2/accounts", nil).Want(200) // of a proven user
	})
}

func TestTheShownTokenIsForTheAddress(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		stranger(t, s).post(invite(t, s, "other@example.test")).want(403, "This invitation is for other@example.test.")
	})
}
