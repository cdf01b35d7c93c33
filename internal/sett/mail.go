package sett

// MailKind says what a mail is about, and so which text it has.
type MailKind string

// The kinds of mail, with the fields that each needs.
const (
	AccountInvitationMail MailKind = "account_invitation" // account, inviter, role, token
	TeamInvitationMail    MailKind = "team_invitation"    // account, team, inviter, message, token
	PasswordResetMail     MailKind = "password_reset"     // token
	PasswordChangedMail   MailKind = "password_changed"   // address (of the network), device
	SecurityNoticeMail    MailKind = "security_notice"    // event, name, address (of the network), device
	IntegrationFailedMail MailKind = "integration_failed" // integration, project, problem, link (a path)
	PersonalDigestMail    MailKind = "personal_digest"    // project, project_id, interval, digest (JSON of PersonalDigest), token
	SubscriptionMail      MailKind = "subscription"       // page (its name), slug, domain (verified, or empty), token
)

// Mail is a mail to one person that still has to be sent. It is stored by what it is about, and written when it is
// sent: the links in it are the server's own.
type Mail struct {
	To     string // an email address
	Kind   MailKind
	Fields map[string]string // as its kind says
}

// SecurityEvent is something that happened to the means by which a person, or a program of theirs, signs in. They are told
// of it, because it may have been somebody else.
type SecurityEvent string

// The events that people are told of by a SecurityNoticeMail.
const (
	PasskeyAdded    SecurityEvent = "passkey_added" // with its name
	SecondFactorOn  SecurityEvent = "second_factor_on"
	SecondFactorOff SecurityEvent = "second_factor_off"
	TokenMade       SecurityEvent = "token_made" // a personal one, with its name
	CodesRenewed    SecurityEvent = "recovery_codes_renewed"
	IdentityAdded   SecurityEvent = "identity_connected" // with its email address, or its subject where it has none
)

// Notice returns the mail to its user that something has happened in the session.
func (s Session) Notice(to string, event SecurityEvent, name string) Mail {
	device := OperatorDevice
	if s.ID != Operator {
		device = DeviceOf(s.UserAgent)
	}
	return Mail{To: to, Kind: SecurityNoticeMail, Fields: map[string]string{
		"event": string(event), "name": name, "address": s.Address, "device": device,
	}}
}
