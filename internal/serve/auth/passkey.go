package auth

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
)

// Passkeys asks browsers for passkeys and checks what they answer (W3C, Web Authentication Level 3).
type Passkeys struct{ party *webauthn.WebAuthn }

// NewPasskeys returns the Passkeys of a server with the given base URL; nil if browsers do not allow passkeys: without
// https, except for localhost, and if the host is an IP address.
func NewPasskeys(baseURL string) (*Passkeys, error) {
	base, err := url.Parse(baseURL)
	if err != nil {
		return nil, fmt.Errorf("read base URL: %w", err)
	}
	host := strings.ToLower(base.Hostname())
	local := host == "localhost" || strings.HasSuffix(host, ".localhost")
	if host == "" || net.ParseIP(host) != nil || base.Scheme != "https" && !local {
		return nil, nil
	}
	required := true
	party, err := webauthn.New(&webauthn.Config{
		RPID: host, RPDisplayName: "sett", RPOrigins: []string{base.Scheme + "://" + base.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: &required, UserVerification: protocol.VerificationRequired,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("prepare passkeys: %w", err)
	}
	return &Passkeys{party}, nil
}

// holder is a user as their authenticators know them.
type holder struct {
	user   accounts.User
	handle []byte
	keys   []signin.Passkey
}

func (h holder) WebAuthnID() []byte          { return h.handle }
func (h holder) WebAuthnName() string        { return h.user.Email }
func (h holder) WebAuthnDisplayName() string { return h.user.Name }

func (h holder) WebAuthnCredentials() (all []webauthn.Credential) {
	for _, k := range h.keys {
		all = append(all, webauthn.Credential{
			ID: k.CredentialID, PublicKey: k.PublicKey, Authenticator: webauthn.Authenticator{SignCount: k.Count},
			Flags: webauthn.CredentialFlags{UserPresent: true, UserVerified: true, BackupEligible: k.Syncs},
		})
	}
	return all
}

// proposal is what a new passkey is held against.
type proposal struct {
	Name    string
	Session webauthn.SessionData
}

// Propose returns what a browser needs to make a passkey of a user – the JSON of PublicKeyCredentialCreationOptions – and
// the state to hold its answer against. An authenticator that has one of the user's passkeys makes no other.
func (p *Passkeys) Propose(user accounts.User, has []signin.Passkey, name string) (options, state []byte, err error) {
	h := holder{user: user, handle: signin.NewPasskeyHandle(), keys: has}
	if len(has) > 0 {
		h.handle = has[0].Handle
	}
	exclude := webauthn.Credentials(h.WebAuthnCredentials()).CredentialDescriptors()
	creation, session, err := p.party.BeginRegistration(h, webauthn.WithExclusions(exclude))
	if err != nil {
		return nil, nil, fmt.Errorf("propose passkey: %w", err)
	}
	return twoTexts(creation.Response, proposal{name, *session})
}

// Accept returns the passkey that a browser created as proposed, without id and time. A response that does not match the
// proposal is an Invalid error.
func (p *Passkeys) Accept(user accounts.User, state, answer []byte) (signin.Passkey, error) {
	var made proposal
	if err := json.Unmarshal(state, &made); err != nil {
		return signin.Passkey{}, fmt.Errorf("read proposal of passkey: %w", err)
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return signin.Passkey{}, badPasskey(err)
	}
	c, err := p.party.CreateCredential(holder{user: user, handle: made.Session.UserID}, made.Session, parsed)
	if err != nil {
		return signin.Passkey{}, badPasskey(err)
	}
	return signin.Passkey{
		UserID: user.ID, Name: made.Name, CredentialID: c.ID, Handle: made.Session.UserID, PublicKey: c.PublicKey,
		Count: c.Authenticator.SignCount, Syncs: c.Flags.BackupEligible,
	}, nil
}

// Ask returns what a browser needs to show any passkey of this server – the JSON of PublicKeyCredentialRequestOptions –
// and the state to hold its answer against.
func (p *Passkeys) Ask() (options, state []byte, err error) {
	assertion, session, err := p.party.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return nil, nil, fmt.Errorf("ask for passkey: %w", err)
	}
	return twoTexts(assertion.Response, session)
}

// FindPasskey finds a passkey by the id that its authenticator chose; the error is NotFound if there is none.
type FindPasskey func(credentialID []byte) (signin.Passkey, accounts.User, error)

// Check returns the passkey of a browser's response, its user and its signature count, which the caller has to store. A
// response that does not match the request, or of an unknown passkey, is an Invalid error.
func (p *Passkeys) Check(find FindPasskey, state, answer []byte) (key signin.Passkey, user accounts.User, count uint32, err error) {
	var session webauthn.SessionData
	if err := json.Unmarshal(state, &session); err != nil {
		return key, user, 0, fmt.Errorf("read challenge: %w", err)
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return key, user, 0, badPasskey(err)
	}
	if key, user, err = find(parsed.RawID); err != nil {
		if sett.CodeOf(err) == sett.NotFound {
			err = sett.Errorf(sett.Invalid, "This passkey is unknown. It may have been removed. Sign in another way.")
		}
		return key, user, 0, err
	}
	h := holder{user: user, handle: key.Handle, keys: []signin.Passkey{key}}
	_, _, err = p.party.ValidatePasskeyLogin(func([]byte, []byte) (webauthn.User, error) { return h, nil }, session, parsed)
	if err != nil {
		return key, user, 0, badPasskey(err)
	}
	return key, user, parsed.Response.AuthenticatorData.Counter, nil
}

// badPasskey is the error for an invalid or wrong passkey. The reason helps only programmers.
func badPasskey(err error) error {
	e := sett.Errorf(sett.Invalid, "This passkey could not be used. Reload the page and try again.")
	return fmt.Errorf("check passkey: %w: %w", e, err)
}

// twoTexts writes two values as JSON.
func twoTexts(a, b any) (first, second []byte, err error) {
	if first, err = json.Marshal(a); err == nil {
		second, err = json.Marshal(b)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("write challenge: %w", err)
	}
	return first, second, nil
}
