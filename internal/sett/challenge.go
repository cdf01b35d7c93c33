package sett

import "time"

// Purpose is what a browser was asked for and has yet to answer.
type Purpose string

// The purposes of challenges.
const (
	AddPasskey      Purpose = "add_passkey"
	UsePasskey      Purpose = "use_passkey"
	SignInByOIDC    Purpose = "oidc"
	ConnectIdentity Purpose = "oidc_link" // a user is to say that an identity is theirs
)

// Life returns how long there is to answer: less for a passkey than for what people do on pages of others.
func (p Purpose) Life() time.Duration {
	switch p {
	case SignInByOIDC, ConnectIdentity:
		return 10 * time.Minute
	default:
		return 5 * time.Minute
	}
}
