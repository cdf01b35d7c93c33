package accountdb_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/outbox"
	"sett/internal/store/storetest"
)

// toTeam is the body that invites an address to a team.
func toTeam(email string, admin bool) accounts.InvitationChange {
	c := accounts.CreateTeamInvitation{Email: sett.Some(email)}
	c.Admin = sett.Some(sett.LenientBool(admin))
	return c
}

// mailToken is the token of the link in the mail of an invitation.
func (d *desk) mailToken(i accounts.Invitation) (token string) {
	d.T.Helper()
	var id int64
	var fields string
	d.Scan(`SELECT m.id, m.fields FROM mails m JOIN invitations i ON i.mail_token_hash = m.token_hash WHERE i.id = $1`, []any{i.ID}, &id, &fields)
	fields, err := d.Reveal(outbox.Sealed[0], fields, id)
	if err != nil {
		d.T.Fatal(err)
	}
	var read struct{ Token string }
	if err := json.Unmarshal([]byte(fields), &read); err != nil {
		d.T.Fatal(err)
	}
	return read.Token
}

// accept accepts an invitation by the link in its mail.
func (d *desk) accept(i accounts.Invitation, who accounts.Accepting) (user int64) {
	d.T.Helper()
	user, err := d.Accounts.AcceptInvitation(d.T.Context(), storetest.Noon, d.mailToken(i), who)
	if err != nil {
		d.T.Fatal(err)
	}
	return user
}

// adminsOf says of each member of a team whether they are an admin of it.
func (d *desk) adminsOf(team int64) map[int64]bool {
	d.T.Helper()
	members, _, err := d.Accounts.ListTeamMembers(d.T.Context(), team, sett.Page{Size: 25})
	if err != nil {
		d.T.Fatal(err)
	}
	admins := map[int64]bool{}
	for _, m := range members {
		admins[m.ID] = m.Admin
	}
	return admins
}

func TestANewUserAcceptsAnInvitationToAnAccount(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		one, two, gone := d.Team(d.ProjectID), d.Team(d.ProjectID), d.Team(d.ProjectID)
		i := d.Invite(0, storetest.ToAccount("new@example.test", accounts.Admin, two, one, gone))
		d.Run(`DELETE FROM teams WHERE id = $1`, gone)

		open, err := s.Accounts.InvitationByToken(t.Context(), storetest.Noon, i.Token)
		want := accounts.OpenInvitation{Account: "Acme", Inviter: "Olga", Email: "new@example.test", Role: accounts.Admin}
		if diff := cmp.Diff(want, open); diff != "" || err != nil {
			t.Errorf("the open invitation: %v (-want +got):\n%s", err, diff)
		}
		later := storetest.Noon.Add(time.Hour)
		user, err := s.Accounts.AcceptInvitation(t.Context(), later, i.Token, accounts.Accepting{Name: " Nia ", Password: "phc"})
		if err != nil {
			t.Fatal(err)
		}
		if role := d.roleOf(d.AccountID, user); role != accounts.Admin {
			t.Errorf("the new user is %s", role)
		}
		for _, team := range []int64{one, two} {
			if diff := cmp.Diff(map[int64]bool{user: false}, d.adminsOf(team)); diff != "" {
				t.Errorf("team (-want +got):\n%s", diff)
			}
		}
		if n := d.Numbers(`SELECT count(*) FROM users WHERE email = 'new@example.test' AND name = 'Nia' AND password = 'phc'`, 1); n[0] != 1 {
			t.Error("the user is not who was invited")
		}
		got, err := s.Accounts.InvitationByID(t.Context(), d.Inviting(0), accounts.Owner, i.ID)
		accepted := i
		accepted.Email, accepted.AcceptedAt, accepted.TeamIDs = "", later, []int64{one, two}
		accepted.AcceptedBy = &sett.Person{ID: user, Email: "new@example.test", Name: "Nia"}
		if diff := cmp.Diff(accepted, got); diff != "" || err != nil {
			t.Errorf("the accepted invitation: %v (-want +got):\n%s", err, diff)
		}
	})
}

// The audit log contains who joined what with which rights, and never the token.
func TestAcceptingIsInTheAuditLog(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		team := d.Team(d.ProjectID)
		i := d.Invite(0, storetest.ToAccount("new@example.test", accounts.Admin, team))
		who := accounts.Accepting{Name: "Nia", Address: "203.0.113.7", UserAgent: "Firefox"}
		user := d.accept(i, who)
		if _, err := s.Accounts.AcceptInvitation(t.Context(), storetest.Noon, i.Token, who); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("accepted twice: %v", err)
		}
		d.accept(d.Invite(team, toTeam("other@example.test", true)), accounts.Accepting{UserID: user})

		entries, _, err := s.Accounts.ListAudit(t.Context(), d.AccountID, accountdb.AuditFilter{Actions: []string{"acceptInvitation"}, Page: sett.Page{Size: 25}})
		if err != nil || len(entries) != 2 {
			t.Fatalf("got %+v, %v", entries, err)
		}
		if got := string(entries[0].Changes); got != fmt.Sprintf(`{"admin":true,"team_id":%d}`, team) {
			t.Errorf("to the team: %s", got)
		}
		want := accounts.AuditEntry{
			ID: entries[1].ID, AccountID: d.AccountID, At: entries[1].At, User: sett.Person{ID: user, Name: "Nia", Email: "new@example.test"},
			Action: "acceptInvitation", Subject: "Acme", Target: map[string]string{"invitation_id": fmt.Sprint(i.ID)}, Query: []byte(`{}`),
			Changes: fmt.Appendf(nil, `{"role":"Admin","team_ids":[%d]}`, team), Address: "203.0.113.7", UserAgent: "Firefox",
		}
		if diff := cmp.Diff(want, entries[1]); diff != "" {
			t.Errorf("to the account (-want +got):\n%s", diff)
		}
	})
}

func TestAcceptingTakesNothingAway(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		_, stranger := d.Stranger()
		team := d.Team(d.ProjectID)
		for _, c := range []struct {
			name         string
			role         accounts.Role // before; "" for none
			member       bool          // of the team before
			admin        bool          // of it
			toTeam       bool
			as           accounts.Role // of an invitation to the account
			asAdmin      bool          // of one to the team
			want         accounts.Role
			wantAdmin    bool
			wantNoMember bool
		}{
			{name: "stronger role", role: accounts.Member, as: accounts.Admin, want: accounts.Admin, wantNoMember: true},
			{name: "weaker role", role: accounts.Admin, as: accounts.Member, want: accounts.Admin, wantNoMember: true},
			{name: "an owner to a team", role: accounts.Owner, toTeam: true, want: accounts.Owner},
			{name: "a member to a team, as admin", role: accounts.Member, member: true, toTeam: true, asAdmin: true, want: accounts.Member, wantAdmin: true},
			{name: "an admin of a team, as member", role: accounts.Billing, member: true, admin: true, toTeam: true, want: accounts.Billing, wantAdmin: true},
			{name: "a stranger to a team", toTeam: true, asAdmin: true, want: accounts.Member, wantAdmin: true},
		} {
			invited := fmt.Sprintf("x%d@example.test", len(d.invitationsOf(team)))
			i := d.Invite(team, toTeam(invited, c.asAdmin))
			if !c.toTeam {
				i = d.Invite(0, storetest.ToAccount("x@example.test", c.as))
			}
			user := stranger
			if c.role != "" {
				user = d.User(strings.ReplaceAll(c.name, " ", "-"), c.role)
			}
			if c.member {
				d.Run(`INSERT INTO team_members (team_id, user_id, admin, created_at) VALUES ($1, $2, $3, 0)`, team, user, c.admin)
			}
			if got := d.accept(i, accounts.Accepting{UserID: user}); got != user {
				t.Errorf("%s: user %d accepted as %d", c.name, user, got)
			}
			admin, member := d.adminsOf(team)[user]
			if role := d.roleOf(d.AccountID, user); role != c.want || admin != c.wantAdmin || member == c.wantNoMember {
				t.Errorf("%s: %s, member of the team %v, its admin %v", c.name, role, member, admin)
			}
		}
	})
}

// invitationsOf lists the invitations to a team, or to the desk's account for 0.
func (d *desk) invitationsOf(team int64) []accounts.Invitation {
	d.T.Helper()
	found, _, err := d.Accounts.ListInvitations(d.T.Context(), d.Inviting(team), accounts.Owner, sett.Page{Size: 25})
	if err != nil {
		d.T.Fatal(err)
	}
	return found
}

func TestInvitationsThatCannotBeAccepted(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		team, doomed, mia := d.Team(d.ProjectID), d.Team(d.ProjectID), d.User("mia", accounts.Member)
		open, accepted := d.Invite(team, toTeam("open@example.test", false)), d.Invite(0, storetest.ToAccount("done@example.test", accounts.Member))
		d.accept(accepted, accounts.Accepting{UserID: mia})
		withdrawn, ofNothing := d.Invite(team, toTeam("less@example.test", false)), d.Invite(doomed, toTeam("less@example.test", false))
		if err := s.Accounts.DeleteInvitation(t.Context(), d.Inviting(team), withdrawn.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.Accounts.DeleteTeam(t.Context(), doomed); err != nil {
			t.Fatal(err)
		}
		taken := d.Invite(0, storetest.ToAccount("taken@example.test", accounts.Member))
		_, known := d.Stranger()
		d.Run(`UPDATE users SET email = 'taken@example.test' WHERE id = $1`, known)
		if o, err := s.Accounts.InvitationByToken(t.Context(), storetest.Noon, taken.Token); err != nil || !o.Known {
			t.Errorf("an address of a user: %+v, %v", o, err)
		}

		const closed = "This invitation is not open any more: it was accepted, withdrawn, or has expired. Ask the person who invited you for a new one."
		before := d.Numbers(`SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM memberships), (SELECT count(*) FROM team_members)`, 3)
		newUser, end := accounts.Accepting{Name: "New"}, storetest.Noon.Add(accounts.InvitationLife)
		for name, c := range map[string]struct {
			token string
			now   time.Time
			who   accounts.Accepting
			code  sett.Code
			want  string
		}{
			"none":                                {"", storetest.Noon, newUser, sett.NotFound, closed},
			"unknown":                             {"sett_i_x", storetest.Noon, newUser, sett.NotFound, closed},
			"accepted":                            {accepted.Token, storetest.Noon, newUser, sett.NotFound, closed},
			"withdrawn":                           {withdrawn.Token, storetest.Noon, newUser, sett.NotFound, closed},
			"team deleted":                        {ofNothing.Token, storetest.Noon, newUser, sett.NotFound, closed},
			"expired":                             {open.Token, end, newUser, sett.NotFound, closed},
			"expired, by a user who is signed in": {open.Token, end, accounts.Accepting{UserID: mia}, sett.NotFound, closed},
			"address taken": {
				taken.Token, storetest.Noon, newUser, sett.Conflict,
				"A user with the address taken@example.test already exists. Sign in as that user, then accept the invitation.",
			},
			"no name": {open.Token, storetest.Noon, accounts.Accepting{Name: " "}, sett.Invalid, "Please correct: name can't be blank."},
			"no user": {open.Token, storetest.Noon, accounts.Accepting{UserID: 99999}, sett.NotFound, "User not found"},
		} {
			_, err := s.Accounts.AcceptInvitation(t.Context(), c.now, c.token, c.who)
			if sett.CodeOf(err) != c.code || err.Error() != c.want {
				t.Errorf("%s: %v", name, err)
			}
			_, err = s.Accounts.InvitationByToken(t.Context(), c.now, c.token)
			if want := c.want == closed; (err != nil) != want || want && err.Error() != closed {
				t.Errorf("%s, seen: %v", name, err)
			}
		}
		after := d.Numbers(`SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM memberships), (SELECT count(*) FROM team_members)`, 3)
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("users, memberships and members of teams (-before +after):\n%s", diff)
		}
		if _, err := s.Accounts.AcceptInvitation(t.Context(), end.Add(-time.Microsecond), open.Token, newUser); err != nil {
			t.Errorf("just before it expires: %v", err)
		}
	})
}

// atOnce runs f several times side by side and returns the errors.
func atOnce(times int, f func(n int) error) []error {
	errs := make([]error, times)
	var all sync.WaitGroup
	for n := range times {
		all.Go(func() { errs[n] = f(n) })
	}
	all.Wait()
	return errs
}

// codes counts the codes of errors; "" stands for success, "internal" for an error without one.
func codes(errs []error) map[sett.Code]int {
	counts := map[sett.Code]int{}
	for _, err := range errs {
		code := sett.CodeOf(err)
		if err != nil && code == "" {
			code = sett.Code("internal: " + err.Error())
		}
		counts[code]++
	}
	return counts
}

func TestOneOfManyWhoAcceptWins(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		const many = 8
		users := make([]int64, many)
		other, _ := d.Stranger()
		for n := range users {
			users[n] = d.User(fmt.Sprint("user", n), accounts.Member)
			d.join(other, users[n], accounts.Member)
			d.Run(`DELETE FROM memberships WHERE account_id = $1 AND user_id = $2`, d.AccountID, users[n])
		}
		for name, who := range map[string]func(n int) accounts.Accepting{
			"users":     func(n int) accounts.Accepting { return accounts.Accepting{UserID: users[n]} },
			"new users": func(n int) accounts.Accepting { return accounts.Accepting{Name: fmt.Sprint("New ", n)} },
		} {
			before := d.Numbers(`SELECT count(*) FROM memberships`, 1)[0]
			i := d.Invite(0, storetest.ToAccount(strings.ReplaceAll(name, " ", "")+"@example.test", accounts.Member))
			token := d.mailToken(i)
			errs := atOnce(many, func(n int) error {
				_, err := s.Accounts.AcceptInvitation(t.Context(), storetest.Noon, token, who(n))
				return err
			})
			if diff := cmp.Diff(map[sett.Code]int{"": 1, sett.NotFound: many - 1}, codes(errs)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			if after := d.Numbers(`SELECT count(*) FROM memberships`, 1)[0]; after != before+1 {
				t.Errorf("%s: %d new memberships", name, after-before)
			}
		}
	})
}

func TestAnAddressIsInvitedOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		const many, rounds = 6, 10
		for round := range rounds {
			email := fmt.Sprintf("a%d@example.test", round)
			errs := atOnce(many, func(int) error {
				_, err := s.Accounts.CreateInvitation(t.Context(), storetest.Noon, d.Inviting(0), d.UserID, storetest.ToAccount(email, accounts.Member))
				return err
			})
			if diff := cmp.Diff(map[sett.Code]int{"": 1, sett.Invalid: many - 1}, codes(errs)); diff != "" {
				t.Errorf("round %d (-want +got):\n%s", round, diff)
			}
		}
		if n := d.Numbers(`SELECT count(*) FROM mails WHERE kind = 'account_invitation'`, 1)[0]; n != rounds {
			t.Errorf("%d mails", n)
		}
	})
}

// An invitation is withdrawn, or its team deleted, while it is accepted: either the user is in the team and the
// invitation is accepted, or nothing happened.
func TestAcceptingWhileTheInvitationGoes(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for round := range 10 {
			team := d.Team(d.ProjectID)
			i := d.Invite(team, toTeam(fmt.Sprintf("new%d@example.test", round), true))
			remove := func() error { return s.Accounts.DeleteInvitation(t.Context(), d.Inviting(team), i.ID) }
			if round%2 == 0 {
				remove = func() error { return s.Accounts.DeleteTeam(t.Context(), team) }
			}
			before := d.Numbers(`SELECT count(*) FROM users`, 1)[0]
			errs := atOnce(2, func(n int) error {
				if n == 0 {
					return remove()
				}
				_, err := s.Accounts.AcceptInvitation(t.Context(), storetest.Noon, i.Token, accounts.Accepting{Name: "New"})
				return err
			})
			made := d.Numbers(`SELECT count(*) FROM users`, 1)[0] - before
			if errs[0] != nil || errs[1] != nil && sett.CodeOf(errs[1]) != sett.NotFound || (made == 1) != (errs[1] == nil) {
				t.Errorf("round %d: %v, %d users made", round, errs, made)
			}
		}
	})
}

// An invitation that went after it was looked at is not accepted.
func TestAnInvitationThatIsGoneIsNotClosed(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		err := s.Accounts.InOwnTx(t.Context(), "close", func(tx accountdb.Tx) error {
			return tx.CloseInvitation(t.Context(), storetest.Noon, accounts.Invitation{ID: 99999}, d.UserID)
		})
		if sett.CodeOf(err) != sett.NotFound {
			t.Errorf("closed: %v", err)
		}
	})
}

func TestInvitationsOutliveWhoMadeThem(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		mia := d.User("mia", accounts.Admin)
		i, err := s.Accounts.CreateInvitation(t.Context(), storetest.Noon, d.Inviting(0), mia, storetest.ToAccount("a@example.test", accounts.Member))
		if err != nil {
			t.Fatal(err)
		}
		user := d.accept(i, accounts.Accepting{Name: "Ann"})
		d.Run(`DELETE FROM users WHERE id IN ($1, $2)`, mia, user)
		got := d.invitationsOf(0)
		if len(got) != 1 || got[0].CreatedBy != nil || got[0].AcceptedBy != nil || !got[0].Accepted() {
			t.Errorf("invitations: %+v", got)
		}
	})
}
