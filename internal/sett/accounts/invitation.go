package accounts

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
)

// Invitation asks a person to join an account or, when it has a TeamID, one team of it. Only a new member's role and
// teams come from it: nothing that they have already is taken away.
type Invitation struct {
	ID         int64
	AccountID  string
	TeamID     int64        // 0: to the account
	Token      string       // lets a new user accept, and the user with the address; see SeenBy
	Email      string       // lower case; "" once accepted
	Role       Role         // in the account
	TeamIDs    []int64      // teams of the account that it comes with, ascending; not of one to a team
	Projects   int64        // that its user sees by it, as of now
	Admin      bool         // whether it makes an admin of the team
	Message    string       // of the inviter; "" for none
	CreatedBy  *sett.Person // nil when there is no such user any more
	AcceptedBy *sett.Person // nil until then, or when there is no such user any more
	AcceptedAt time.Time    // zero until then
	CreatedAt  time.Time
}

// InvitationLife is how long an invitation can be accepted.
const InvitationLife = 14 * 24 * time.Hour

const invitationTokenLength = 32 // 190 bits

// NewInvitationToken returns a new token of an invitation: "sett_i_" and 32 characters.
func NewInvitationToken(source io.Reader) string {
	return "sett_i_" + sett.RandomStringFrom(source, invitationTokenLength)
}

// NewInvitation returns an invitation that nothing was said about yet, to an account or one team of it.
func NewInvitation(source io.Reader, accountID string, teamID int64) Invitation {
	return Invitation{AccountID: accountID, TeamID: teamID, Token: NewInvitationToken(source), Role: Member}
}

// Accepted reports whether the invitation was accepted.
func (i Invitation) Accepted() bool { return !i.AcceptedAt.IsZero() }

// Open reports whether the invitation can be accepted at now.
func (i Invitation) Open(now time.Time) bool {
	return !i.Accepted() && now.Before(i.CreatedAt.Add(InvitationLife))
}

// Acceptable returns a NotFound error, written for the person invited, unless the invitation is open.
func (i Invitation) Acceptable(now time.Time) error {
	if !i.Open(now) {
		return sett.Errorf(sett.NotFound, "This invitation is not open any more: it was accepted, withdrawn, or has expired. Ask the person who invited you for a new one.")
	}
	return nil
}

// Changeable returns an Invalid error unless the invitation is open: a change of any other would change nothing.
func (i Invitation) Changeable(now time.Time) error {
	switch {
	case i.Accepted():
		return sett.Errorf(sett.Invalid, "This invitation has been accepted and can no longer be changed. Change the user or team member instead.")
	case !i.Open(now):
		return sett.Errorf(sett.Invalid, "This invitation has expired and can no longer be changed. Delete it and create a new one.")
	default:
		return nil
	}
}

// CheckNew notes that the address of a new invitation belongs to a member of the account or team, or stands in one of the
// other invitations to it that is still open at now.
func (i Invitation) CheckNew(p *sett.Problems, now time.Time, member bool, others []Invitation) {
	switch {
	case member && i.TeamID != 0:
		p.Add("email", "already belongs to a member of this team")
	case member:
		p.Add("email", "already belongs to a user of this account: change that user instead")
	case slices.ContainsFunc(others, func(o Invitation) bool { return o.Email == i.Email && o.Open(now) }):
		p.Add("email", "is already invited: delete that invitation first, or wait until it expires")
	}
}

// CheckInviter returns a Forbidden error when a user with that role in the account, "" for none, may not make such an
// invitation nor change one: only owners make owners.
func (i Invitation) CheckInviter(role Role) error {
	if role == "" || i.Role == Owner && role != Owner {
		return sett.Errorf(sett.Forbidden, "Only an owner of this account can invite an owner. Ask one of them, or choose another role.")
	}
	return nil
}

// SeenBy returns the invitation as a user with that role in the account may see it: without its token when they may not
// make such an invitation, because everyone who has the token can accept it as a new user.
func (i Invitation) SeenBy(role Role) Invitation {
	if i.CheckInviter(role) != nil {
		i.Token = ""
	}
	return i
}

// RoleFor returns the role of a user who accepts and already has the given role in the account: the stronger one.
func (i Invitation) RoleFor(has Role) Role {
	if slices.Index(Roles, i.Role) > slices.Index(Roles, has) {
		return i.Role
	}
	return has
}

// Mail returns the mail that brings the invitation; team is "" for one to the account. The token is that of its link, which
// stands nowhere else, so that it proves access to the mails of the address.
func (i Invitation) Mail(account, team, token string) alerts.Mail {
	inviter := ""
	if i.CreatedBy != nil {
		inviter = cmp.Or(i.CreatedBy.Name, i.CreatedBy.Email)
	}
	m := alerts.Mail{To: i.Email, Kind: alerts.AccountInvitationMail, Fields: map[string]string{"account": account, "inviter": inviter, "token": token}}
	if i.Projects == 0 {
		m.Fields["empty"] = "true"
	}
	if i.TeamID == 0 {
		m.Fields["role"] = string(i.Role)
		return m
	}
	m.Kind = alerts.TeamInvitationMail
	m.Fields["team"], m.Fields["message"] = team, i.Message
	return m
}

// OpenInvitation is an invitation as the person invited sees it.
type OpenInvitation struct {
	Account string // its name
	Team    string // its name; "" when the invitation is to the account
	Inviter string // their name; "" when they are gone
	Email   string
	Role    Role
	Message string
	Known   bool // a user with that address exists and can sign in to accept
	ByMail  bool // it was found by the token of the mail, which proves access to the address
}

// CheckUser returns a Forbidden error unless a user with that address may accept the invitation as it was found.
func (o OpenInvitation) CheckUser(email string) error {
	if o.ByMail || strings.EqualFold(email, o.Email) {
		return nil
	}
	return sett.Errorf(sett.Forbidden, "This invitation is for %s. Sign in as the user with that address, or open the link in the mail.", o.Email)
}

// Accepting says who accepts an invitation: a user who is signed in, or else a new one.
type Accepting struct {
	UserID   int64  // 0: a new user, with the address that was invited
	Name     string // of the new user
	Password string // of the new user: PHC text, or "" for none

	Address, UserAgent string // where the request came from, for the audit log
}

// Entry returns the entry of the audit log that a person has accepted the invitation, which is to the account or team of
// that name.
func (w Accepting) Entry(now time.Time, i Invitation, to string, by sett.Person) AuditEntry {
	given := map[string]any{"role": i.Role, "team_ids": append([]int64{}, i.TeamIDs...)}
	if i.TeamID != 0 {
		given = map[string]any{"team_id": i.TeamID, "admin": i.Admin}
	}
	return AuditEntry{
		AccountID: i.AccountID, At: now, User: by, Action: "acceptInvitation", Subject: to,
		Target: map[string]string{"invitation_id": strconv.FormatInt(i.ID, 10)}, Query: sett.MaskedFields(nil), Changes: sett.MaskedFields(given),
		Address: w.Address, UserAgent: CutAgent(w.UserAgent),
	}
}

// invitedAddress reads the address of an invitation.
func invitedAddress(p *sett.Problems, o sett.Optional[string]) string {
	if o.Bad != "" {
		p.Add("email", "%s", o.Bad)
		return ""
	}
	address := strings.ToLower(strings.TrimSpace(o.Value))
	if address == "" {
		p.Add("email", "can't be blank")
		return ""
	}
	sett.CheckEmail(p, "email", address)
	return address
}

// InvitationChange is the body that makes or changes an invitation of either kind. Apply returns the invitation with the
// change made, and notes every field that is wrong; teams are the ids of all teams of the account.
type InvitationChange interface {
	Apply(p *sett.Problems, i Invitation, teams []int64) Invitation
}

// AccountInvitationChange is the body of an update of an invitation to an account; null resets a field.
type AccountInvitationChange struct {
	Role    sett.Optional[Role]    `json:"role,omitzero" doc:"In the account; Member by default. Only an owner may invite an owner." enum:"Member,Billing,Admin,Owner"`
	TeamIDs sett.Optional[[]int64] `json:"team_ids,omitzero" doc:"Ids of teams of the account that the user becomes a member of; none by default."`
}

// Apply is that of InvitationChange.
func (c AccountInvitationChange) Apply(p *sett.Problems, i Invitation, teams []int64) Invitation {
	sett.SetField(p, "role", c.Role, &i.Role, Member)
	CheckRole(p, "role", i.Role)
	checkTeamIDs(p, c.TeamIDs, teams)
	if c.TeamIDs.Sent {
		i.TeamIDs = slices.Compact(slices.Sorted(slices.Values(c.TeamIDs.Value)))
	}
	return i
}

// CreateAccountInvitation is the body that makes an invitation to an account.
type CreateAccountInvitation struct {
	Email sett.Optional[string] `json:"email,omitzero" doc:"Address of the person to invite. They get a mail with a link, which works for 14 days." required:"true" range:"1,254" example:"you@example.org"`
	AccountInvitationChange
}

// Apply is that of InvitationChange.
func (n CreateAccountInvitation) Apply(p *sett.Problems, i Invitation, teams []int64) Invitation {
	i.Email = invitedAddress(p, n.Email)
	return n.AccountInvitationChange.Apply(p, i, teams)
}

// TeamInvitationChange is the body of an update of an invitation to a team; null resets a field.
type TeamInvitationChange struct {
	Admin   sett.Optional[sett.LenientBool] `json:"admin,omitzero" doc:"Whether the user becomes an admin of the team; false by default."`
	Message sett.Optional[string]           `json:"message,omitzero" doc:"A message to the person that you invite; the mail contains it." range:"0,2000"`
}

const longestMessage = 2000

// Apply is that of InvitationChange.
func (c TeamInvitationChange) Apply(p *sett.Problems, i Invitation, _ []int64) Invitation {
	admin := sett.LenientBool(i.Admin)
	sett.SetField(p, "admin", c.Admin, &admin, false)
	i.Admin = bool(admin)

	sett.SetField(p, "message", c.Message, &i.Message, "")
	if utf8.RuneCountInString(i.Message) > longestMessage {
		p.Add("message", "is too long (maximum is %d characters)", longestMessage)
	}
	i.Message = strings.TrimSpace(strings.ReplaceAll(i.Message, "\r\n", "\n"))
	if strings.ContainsFunc(i.Message, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }) {
		p.Add("message", "must not contain control characters other than line breaks and tabs")
	}
	return i
}

// CreateTeamInvitation is the body that makes an invitation to a team.
type CreateTeamInvitation struct {
	Email sett.Optional[string] `json:"email,omitzero" doc:"Address of the person to invite. They get a mail with a link, which works for 14 days. If they do not belong to the account yet, they become a Member of it." required:"true" range:"1,254" example:"you@example.org"`
	TeamInvitationChange
}

// Apply is that of InvitationChange.
func (n CreateTeamInvitation) Apply(p *sett.Problems, i Invitation, teams []int64) Invitation {
	i.Email = invitedAddress(p, n.Email)
	return n.TeamInvitationChange.Apply(p, i, teams)
}
