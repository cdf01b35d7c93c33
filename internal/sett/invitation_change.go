package sett

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// InvitationChange is the body that makes or changes an invitation of either kind. Apply returns the invitation with the
// change made, and notes every field that is wrong; teams are the ids of all teams of the account.
type InvitationChange interface {
	Apply(p *Problems, i Invitation, teams []int64) Invitation
}

// AccountInvitationChange is the body of an update of an invitation to an account; null resets a field.
type AccountInvitationChange struct {
	Role    Optional[Role]    `json:"role,omitzero" doc:"In the account; Member by default. Only an owner may invite an owner." enum:"Member,Billing,Admin,Owner"`
	TeamIDs Optional[[]int64] `json:"team_ids,omitzero" doc:"Ids of teams of the account that the user becomes a member of; none by default."`
}

// Apply is that of InvitationChange.
func (c AccountInvitationChange) Apply(p *Problems, i Invitation, teams []int64) Invitation {
	set(p, "role", c.Role, &i.Role, Member)
	CheckRole(p, "role", i.Role)
	checkTeamIDs(p, c.TeamIDs, teams)
	if c.TeamIDs.Sent {
		i.TeamIDs = slices.Compact(slices.Sorted(slices.Values(c.TeamIDs.Value)))
	}
	return i
}

// CreateAccountInvitation is the body that makes an invitation to an account.
type CreateAccountInvitation struct {
	Email Optional[string] `json:"email,omitzero" doc:"Address of the person to invite. They get a mail with a link, which works for 14 days." required:"true" range:"1,254" example:"you@example.org"`
	AccountInvitationChange
}

// Apply is that of InvitationChange.
func (n CreateAccountInvitation) Apply(p *Problems, i Invitation, teams []int64) Invitation {
	i.Email = invitedAddress(p, n.Email)
	return n.AccountInvitationChange.Apply(p, i, teams)
}

// TeamInvitationChange is the body of an update of an invitation to a team; null resets a field.
type TeamInvitationChange struct {
	Admin   Optional[LenientBool] `json:"admin,omitzero" doc:"Whether the user becomes an admin of the team; false by default."`
	Message Optional[string]      `json:"message,omitzero" doc:"A message to the person that you invite; the mail contains it." range:"0,2000"`
}

const longestMessage = 2000

// Apply is that of InvitationChange.
func (c TeamInvitationChange) Apply(p *Problems, i Invitation, _ []int64) Invitation {
	admin := LenientBool(i.Admin)
	set(p, "admin", c.Admin, &admin, false)
	i.Admin = bool(admin)

	set(p, "message", c.Message, &i.Message, "")
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
	Email Optional[string] `json:"email,omitzero" doc:"Address of the person to invite. They get a mail with a link, which works for 14 days. If they do not belong to the account yet, they become a Member of it." required:"true" range:"1,254" example:"you@example.org"`
	TeamInvitationChange
}

// Apply is that of InvitationChange.
func (n CreateTeamInvitation) Apply(p *Problems, i Invitation, teams []int64) Invitation {
	i.Email = invitedAddress(p, n.Email)
	return n.TeamInvitationChange.Apply(p, i, teams)
}
