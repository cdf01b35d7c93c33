package accounts

import (
	"crypto/rand"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
)

// readInvitation reads a body that makes or changes an invitation.
func readInvitation[C InvitationChange](t *testing.T, body string) C {
	t.Helper()
	var c C
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestInvitationChangesApply(t *testing.T) {
	t.Parallel()
	had := Invitation{Email: "a@b.test", Role: Admin, TeamIDs: []int64{3}, Admin: true, Message: "Hi"}
	with := func(change func(*Invitation)) Invitation { i := had; change(&i); return i }
	type account = AccountInvitationChange
	type team = TeamInvitationChange
	for body, c := range map[string]struct {
		change InvitationChange
		want   Invitation
	}{
		`{}`:                     {readInvitation[account](t, `{}`), had},
		`{"role":"Owner"}`:       {readInvitation[account](t, `{"role":"Owner"}`), with(func(i *Invitation) { i.Role = Owner })},
		`{"role":null}`:          {readInvitation[account](t, `{"role":null}`), with(func(i *Invitation) { i.Role = Member })},
		`{"team_ids":null}`:      {readInvitation[account](t, `{"team_ids":null}`), with(func(i *Invitation) { i.TeamIDs = nil })},
		`{"team_ids":[]}`:        {readInvitation[account](t, `{"team_ids":[]}`), with(func(i *Invitation) { i.TeamIDs = nil })},
		`{"team_ids":[5,3,5]}`:   {readInvitation[account](t, `{"team_ids":[5,3,5]}`), with(func(i *Invitation) { i.TeamIDs = []int64{3, 5} })},
		`{"email":"x@y.test"}`:   {readInvitation[account](t, `{"email":"x@y.test","admin":false}`), had},
		`team {}`:                {readInvitation[team](t, `{"email":"x@y.test","role":"Owner"}`), had},
		`{"admin":null}`:         {readInvitation[team](t, `{"admin":null}`), with(func(i *Invitation) { i.Admin = false })},
		`{"admin":"0"}`:          {readInvitation[team](t, `{"admin":"0"}`), with(func(i *Invitation) { i.Admin = false })},
		`{"message":null}`:       {readInvitation[team](t, `{"message":null}`), with(func(i *Invitation) { i.Message = "" })},
		`{"message":" a\r\nb "}`: {readInvitation[team](t, `{"message":" a\r\n\tb "}`), with(func(i *Invitation) { i.Message = "a\n\tb" })},
		`new account`: {
			readInvitation[CreateAccountInvitation](t, `{"email":" You@Example.ORG "}`),
			with(func(i *Invitation) { i.Email = "you@example.org" }),
		},
		`new team`: {
			readInvitation[CreateTeamInvitation](t, `{"email":"o'neil+x@mail.example.org","admin":false}`),
			with(func(i *Invitation) { i.Email, i.Admin = "o'neil+x@mail.example.org", false }),
		},
	} {
		var problems sett.Problems
		got := c.change.Apply(&problems, had, []int64{3, 4, 5})
		if diff := cmp.Diff(c.want, got); diff != "" || problems != nil {
			t.Errorf("%s: %v (-want +got):\n%s", body, problems, diff)
		}
	}
}

func TestInvitationChangesThatAreRefused(t *testing.T) {
	t.Parallel()
	const (
		noAddress = "email must be an email address such as you@example.org"
		noRole    = "role is not included in the list: Member, Billing, Admin, Owner"
		noTeam    = "team_ids must be ids of teams of this account"
	)
	account := func(body string) InvitationChange { return readInvitation[CreateAccountInvitation](t, body) }
	team := func(body string) InvitationChange { return readInvitation[CreateTeamInvitation](t, body) }
	for _, c := range []struct {
		read func(string) InvitationChange
		body string
		want string
	}{
		{account, `{}`, "email can't be blank"},
		{account, `{"email":null}`, "email can't be blank"},
		{account, `{"email":" "}`, "email can't be blank"},
		{account, `{"email":[7]}`, "email must be a string"},
		{account, `{"email":"you"}`, noAddress},
		{account, `{"email":"@example.org"}`, noAddress},
		{account, `{"email":"you@"}`, noAddress},
		{account, `{"email":"a@b@c.test"}`, noAddress},
		{account, `{"email":"a b@c.test"}`, noAddress},
		{account, `{"email":"\"a b\"@c.test"}`, noAddress},
		{account, `{"email":"You <you@example.org>"}`, noAddress},
		{account, `{"email":"<you@example.org>"}`, noAddress},
		{account, `{"email":"you@example.org (work)"}`, noAddress},
		{account, `{"email":"a@b.test, c@d.test"}`, noAddress},
		{account, `{"email":"you@example.org\r\nBcc: x@y.test"}`, noAddress + "; email must not contain control characters"},
		{account, `{"email":"` + strings.Repeat("a", 245) + `@long.test"}`, "email is too long (maximum is 254 characters)"},
		{account, `{"email":"a@b.test","role":"King"}`, noRole},
		{account, `{"email":"a@b.test","role":"Guest"}`, noRole},
		{account, `{"email":"a@b.test","role":[1]}`, "role must be a string"},
		{account, `{"email":"a@b.test","team_ids":[3,9]}`, noTeam},
		{account, `{"email":"a@b.test","team_ids":[null]}`, noTeam},
		{account, `{"email":"a@b.test","team_ids":3}`, "team_ids must be an array of integers"},
		{account, `{"email":"a@b.test","team_ids":["a"]}`, "team_ids must be an array of integers"},
		{account, `{"role":"King","team_ids":[9]}`, "email can't be blank; " + noRole + "; " + noTeam},
		{team, `{"admin":"maybe","message":[1]}`, "email can't be blank; admin must be true or false; message must be a string"},
		{team, `{"email":"a@b.test","admin":1}`, "admin must be true or false"},
		{team, `{"email":"a@b.test","message":"` + strings.Repeat("ö", 2001) + `"}`, "message is too long (maximum is 2000 characters)"},
		{team, `{"email":"a@b.test","message":"a\u0007"}`, "message must not contain control characters other than line breaks and tabs"},
	} {
		var problems sett.Problems
		c.read(c.body).Apply(&problems, NewInvitation(rand.Reader, "A", 0), []int64{3})
		if got := strings.Join(problems, "; "); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.body, got, c.want)
		}
	}
	var problems sett.Problems
	team(`{"email":"`+strings.Repeat("a", 244)+`@long.test","message":"`+strings.Repeat("ö", 2000)+`"}`).Apply(&problems, Invitation{}, nil)
	if problems != nil {
		t.Errorf("the longest values: %v", problems)
	}
}

func TestInvitationsExpire(t *testing.T) {
	t.Parallel()
	made := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	end := made.Add(14 * 24 * time.Hour)
	open, accepted := Invitation{CreatedAt: made}, Invitation{CreatedAt: made, AcceptedAt: made}
	for _, c := range []struct {
		name     string
		i        Invitation
		now      time.Time
		open     bool
		noChange string
	}{
		{"new", open, made, true, ""},
		{"old", open, end.Add(-time.Microsecond), true, ""},
		{"expired", open, end, false, "This invitation has expired and can no longer be changed. Delete it and create a new one."},
		{"accepted", accepted, made, false, "This invitation has been accepted and can no longer be changed. Change the user or team member instead."},
	} {
		if got := c.i.Open(c.now); got != c.open {
			t.Errorf("%s: open %v", c.name, got)
		}
		if err := c.i.Acceptable(c.now); (err == nil) != c.open || err != nil && sett.CodeOf(err) != sett.NotFound {
			t.Errorf("%s: acceptable: %v", c.name, err)
		}
		err := c.i.Changeable(c.now)
		if c.noChange == "" && err != nil || c.noChange != "" && (sett.CodeOf(err) != sett.Invalid || err.Error() != c.noChange) {
			t.Errorf("%s: changeable: %v", c.name, err)
		}
	}
}

func TestOnlyOwnersInviteOwners(t *testing.T) {
	t.Parallel()
	for _, as := range Roles {
		for _, inviter := range append([]Role{""}, Roles...) {
			i := Invitation{Token: "secret", Role: as}
			may := inviter != "" && (as != Owner || inviter == Owner)
			if err := i.CheckInviter(inviter); (err == nil) != may || err != nil && sett.CodeOf(err) != sett.Forbidden {
				t.Errorf("%q invites %s: %v", inviter, as, err)
			}
			if seen := i.SeenBy(inviter).Token == "secret"; seen != may {
				t.Errorf("%q sees the token of an invitation of %s: %v", inviter, as, seen)
			}
		}
	}
}

func TestAnInvitationNeverLowersARole(t *testing.T) {
	t.Parallel()
	for n, has := range Roles {
		for m, as := range Roles {
			if got := (Invitation{Role: as}).RoleFor(has); got != Roles[max(n, m)] {
				t.Errorf("%s invited as %s becomes %s", has, as, got)
			}
		}
	}
}

func TestCheckNewInvitation(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	i := Invitation{Email: "a@b.test"}
	other := func(email string, age time.Duration) []Invitation {
		return []Invitation{{Email: email, CreatedAt: now.Add(-age)}}
	}
	for name, c := range map[string]struct {
		teamID int64
		member bool
		others []Invitation
		want   string
	}{
		"no user":        {0, false, nil, ""},
		"a user":         {0, true, nil, "email already belongs to a user of this account: change that user instead"},
		"a member":       {7, true, nil, "email already belongs to a member of this team"},
		"invited":        {0, false, other("a@b.test", time.Hour), "email is already invited: delete that invitation first, or wait until it expires"},
		"invited before": {7, false, other("a@b.test", InvitationLife), ""},
		"another user":   {0, false, other("b@b.test", 0), ""},
	} {
		var problems sett.Problems
		i.TeamID = c.teamID
		i.CheckNew(&problems, now, c.member, c.others)
		if got := strings.Join(problems, "; "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestInvitationMails(t *testing.T) {
	t.Parallel()
	i := Invitation{Email: "a@b.test", Token: "shown", Role: Billing, Message: "Come", CreatedBy: &sett.Person{Name: "Olga", Email: "o@b.test"}, Projects: 1}
	for name, c := range map[string]struct {
		change func(*Invitation)
		want   alerts.Mail
	}{
		"account": {func(*Invitation) {}, alerts.Mail{To: "a@b.test", Kind: alerts.AccountInvitationMail, Fields: map[string]string{"account": "Acme", "inviter": "Olga", "role": "Billing", "token": "secret"}}},
		"team": {func(i *Invitation) { i.TeamID = 7 }, alerts.Mail{To: "a@b.test", Kind: alerts.TeamInvitationMail, Fields: map[string]string{
			"account": "Acme", "team": "Crew", "inviter": "Olga", "message": "Come", "token": "secret",
		}}},
		"no project": {func(i *Invitation) { i.Projects = 0 }, alerts.Mail{To: "a@b.test", Kind: alerts.AccountInvitationMail, Fields: map[string]string{
			"account": "Acme", "inviter": "Olga", "role": "Billing", "token": "secret", "empty": "true",
		}}},
		"team without a project": {func(i *Invitation) { i.TeamID, i.Projects = 7, 0 }, alerts.Mail{To: "a@b.test", Kind: alerts.TeamInvitationMail, Fields: map[string]string{
			"account": "Acme", "team": "Crew", "inviter": "Olga", "message": "Come", "token": "secret", "empty": "true",
		}}},
		"no name":    {func(i *Invitation) { i.CreatedBy = &sett.Person{Email: "o@b.test"} }, alerts.Mail{To: "a@b.test", Kind: alerts.AccountInvitationMail, Fields: map[string]string{"account": "Acme", "inviter": "o@b.test", "role": "Billing", "token": "secret"}}},
		"no inviter": {func(i *Invitation) { i.CreatedBy = nil }, alerts.Mail{To: "a@b.test", Kind: alerts.AccountInvitationMail, Fields: map[string]string{"account": "Acme", "inviter": "", "role": "Billing", "token": "secret"}}},
	} {
		i := i
		c.change(&i)
		if diff := cmp.Diff(c.want, i.Mail("Acme", "Crew", "secret")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestInvitationTokensAreSecret(t *testing.T) {
	t.Parallel()
	a, b := NewInvitation(rand.Reader, "A", 1), NewInvitation(rand.Reader, "A", 1)
	if a.Token == b.Token || !regexp.MustCompile(`^sett_i_[0-9A-Za-z]{32}$`).MatchString(a.Token) {
		t.Errorf("tokens %q and %q", a.Token, b.Token)
	}
}
