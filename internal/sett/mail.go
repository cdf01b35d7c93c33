package sett

// MailKind says what a mail is about, and so which text it has.
type MailKind string

// The kinds of mail, with the fields that each needs.
const (
	AccountInvitationMail MailKind = "account_invitation" // account, inviter, role, token
	TeamInvitationMail    MailKind = "team_invitation"    // account, team, inviter, message, token
	PasswordResetMail     MailKind = "password_reset"     // token
	PasswordChangedMail   MailKind = "password_changed"   // address (of the network), device
)

// Mail is a mail to one person that still has to be sent. It is stored by what it is about, and written when it is
// sent: the links in it are the server's own.
type Mail struct {
	To     string // an email address
	Kind   MailKind
	Fields map[string]string // as its kind says
}
