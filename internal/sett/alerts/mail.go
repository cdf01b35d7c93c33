package alerts

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"

	"sett/internal/sett"
)

// MailKind says what a mail is about, and so which text it has.
type MailKind string

// The kinds of mail, with the fields that each needs.
const (
	AccountInvitationMail MailKind = "account_invitation" // account, inviter, role, token; empty: it shows no project
	TeamInvitationMail    MailKind = "team_invitation"    // account, team, inviter, message, token; empty, likewise
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

// SecurityEvent is a change of the credentials of a user. The user receives a mail about it, because an attacker may have
// made it.
type SecurityEvent string

// The events that send a SecurityNoticeMail.
const (
	PasskeyAdded     SecurityEvent = "passkey_added" // with its name
	SecondFactorOn   SecurityEvent = "second_factor_on"
	SecondFactorOff  SecurityEvent = "second_factor_off"
	TokenMade        SecurityEvent = "token_made"        // a personal one, with its name
	ProgramConnected SecurityEvent = "program_connected" // with its name
	CodesRenewed     SecurityEvent = "recovery_codes_renewed"
	IdentityAdded    SecurityEvent = "identity_connected" // with its email address, or its subject where it has none
)

// Unsubscribing is a user who follows the link that ends mails about a project.
type Unsubscribing struct {
	User      sett.Person
	ProjectID int64
	Project   string // its name
	Alerts    PersonalAlerts
}

// NewUnsubscribeKey draws a key for UnsubscribeToken.
func NewUnsubscribeKey(source io.Reader) []byte {
	key := make([]byte, 32)
	_, _ = io.ReadFull(source, key) // never fails
	return key
}

// UnsubscribeToken returns the token of an unsubscribe link, for the mails to a user about a project. Only the holder of the
// key can create it, and it permits nothing else.
func UnsubscribeToken(userID, projectID int64, key []byte) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "unsubscribe %d %d", userID, projectID)
	return fmt.Sprintf("%d.%d.%s", userID, projectID, base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16]))
}

// SubjectOfUnsubscribe returns whose mails about which project a token says that it ends; ok is false for what is none.
func SubjectOfUnsubscribe(token string) (userID, projectID int64, ok bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return 0, 0, false
	}
	userID, badUser := strconv.ParseInt(parts[0], 10, 64)
	projectID, badProject := strconv.ParseInt(parts[1], 10, 64)
	return userID, projectID, badUser == nil && badProject == nil
}

// CheckUnsubscribeToken reports whether a token is that of the key, in constant time.
func CheckUnsubscribeToken(token string, userID, projectID int64, key []byte) bool {
	return hmac.Equal([]byte(token), []byte(UnsubscribeToken(userID, projectID, key)))
}
