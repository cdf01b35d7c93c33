// Package idp signs people in with the identity provider of their account (SAML 2.0, web browser SSO profile). An account and a response of
// its provider come in; who signed in goes out, or what is wrong and what to do. It believes only signed answers to requests of this server,
// each once on all nodes. It creates no session and no user, and never starts from a response that no one asked for.
package idp

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/crewjam/saml"
	dsig "github.com/russellhaering/goxmldsig"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
	"sett/internal/store/accountdb"
)

// Options are what a Desk needs.
type Options struct {
	Accounts *accountdb.Store
	Do       func(*http.Request) (*http.Response, error) // reads metadata of providers
	Now      func() time.Time
	BaseURL  string
}

// Desk signs people in.
type Desk struct{ Options }

// New returns a Desk.
func New(o Options) *Desk { return &Desk{o} }

// Start is the path of an account at which its people begin to sign in. It is also the entity ID of sett, below the base URL.
func Start(accountID string) string { return "/auth/saml/" + url.PathEscape(accountID) }

// Addresses are what a provider has to know of sett.
type Addresses struct {
	EntityID string // also the address at which people start
	ACS      string // to which the provider posts its responses
	Metadata string // of sett, as XML
}

// Addresses returns what the provider of an account has to know.
func (d *Desk) Addresses(accountID string) Addresses {
	start := d.BaseURL + Start(accountID)
	return Addresses{start, start + "/acs", start + "/metadata"}
}

// provider returns sett as a service provider of an account's identity provider.
func (d *Desk) provider(ctx context.Context, accountID string, metadata *saml.EntityDescriptor) (*saml.ServiceProvider, error) {
	at := d.Addresses(accountID)
	acs, err := url.Parse(at.ACS)
	if err != nil {
		return nil, fmt.Errorf("read address: %w", err)
	}
	own, err := url.Parse(at.Metadata)
	if err != nil {
		return nil, fmt.Errorf("read address: %w", err)
	}
	return &saml.ServiceProvider{
		EntityID: at.EntityID, AcsURL: *acs, MetadataURL: *own, IDPMetadata: metadata, AuthnNameIDFormat: saml.UnspecifiedNameIDFormat,
		RejectSHA1Signatures: true, LimitRelayStateLength: true, AssertionConsumerServiceBindings: []string{saml.HTTPPostBinding},
		ReplayCache: d.once(ctx, accountID), Clock: dsig.NewFakeClockAt(d.Now()),
	}, nil
}

// Metadata is the description of sett for the identity provider of an account, with the certificate for which it may encrypt.
func (d *Desk) Metadata(ctx context.Context, accountID string) ([]byte, error) {
	sp, err := d.provider(ctx, accountID, &saml.EntityDescriptor{})
	if err != nil {
		return nil, err
	}
	if err := d.decrypts(ctx, sp, accountID); err != nil && sett.CodeOf(err) != sett.NotFound {
		return nil, err
	}
	text, err := xml.MarshalIndent(sp.Metadata(), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write metadata: %w", err)
	}
	return append([]byte(xml.Header), text...), nil
}

// settings returns the directory of an account and the document of its provider. The error is NotFound without one.
func (d *Desk) settings(ctx context.Context, accountID string) (directory.Settings, *saml.EntityDescriptor, error) {
	s, err := d.Accounts.Directory(ctx, accountID)
	if err != nil {
		return s, nil, err
	}
	if s.Metadata == "" {
		return s, nil, sett.Errorf(sett.NotFound, "This account has no single sign-on by SAML. Sign in another way.")
	}
	metadata, err := ParseMetadata(s.Metadata)
	return s, metadata, err
}

// Begin returns the address at which a browser signs in with the provider of an account, but for the relay state, and the id of the request.
func (d *Desk) Begin(ctx context.Context, accountID string) (address func(relay string) (string, error), requestID string, err error) {
	s, metadata, err := d.settings(ctx, accountID)
	if err != nil {
		return nil, "", err
	}
	if s.MetadataURL != "" && d.Now().Sub(s.ReadAt) >= rereadAfter {
		if again, err := d.reread(ctx, s); err == nil { // without the new document the old one is as good
			metadata = again
		}
	}
	sp, err := d.provider(ctx, accountID, metadata)
	if err != nil {
		return nil, "", err
	}
	request, err := sp.MakeAuthenticationRequest(sp.GetSSOBindingLocation(saml.HTTPRedirectBinding), saml.HTTPRedirectBinding, saml.HTTPPostBinding)
	if err != nil {
		return nil, "", fmt.Errorf("make request: %w", err)
	}
	return func(relay string) (string, error) {
		u, err := request.Redirect(relay, sp)
		if err != nil {
			return "", fmt.Errorf("make address: %w", err)
		}
		return u.String(), nil
	}, request.ID, nil
}

// longestResponse bounds what a provider sends, in bytes. A response has few, even with a hundred groups.
const longestResponse = 256 << 10

// Finish returns who signed in, of a response in the form of a browser; requestID is the request that this browser came with. All other
// responses are Forbidden errors, which say what to do.
func (d *Desk) Finish(ctx context.Context, accountID, requestID, encoded string) (i accounts.Identity, err error) {
	if len(encoded) > longestResponse {
		return i, sett.Errorf(sett.TooLarge, "The response of the identity provider is too long. Ask your administrator to send fewer attributes.")
	}
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return i, refused(fmt.Errorf("decode response: %w", err))
	}
	found, err := look(text)
	if err != nil {
		return i, refused(err)
	}
	s, metadata, err := d.settings(ctx, accountID)
	if err != nil {
		return i, err
	}
	assertion, err := d.parse(ctx, accountID, metadata, text, requestID, found)
	if errors.Is(err, saml.ErrInvalidSignature) && s.MetadataURL != "" && d.Now().Sub(s.ReadAt) >= rereadWrong {
		if again, failed := d.reread(ctx, s); failed == nil { // its certificate may have changed
			assertion, err = d.parse(ctx, accountID, again, text, requestID, found)
		}
	}
	if err != nil {
		return i, d.explain(err, found)
	}
	return identityOf(accountID, s.GroupAttribute, assertion)
}

func (d *Desk) parse(ctx context.Context, accountID string, metadata *saml.EntityDescriptor, text []byte, requestID string, found sighting) (*saml.Assertion, error) {
	sp, err := d.provider(ctx, accountID, metadata)
	if err != nil {
		return nil, err
	}
	if found.encrypted {
		if err := d.decrypts(ctx, sp, accountID); err != nil {
			return nil, err
		}
	}
	return sp.ParseXMLResponse(text, []string{requestID}, sp.AcsURL)
}

// explain says what to do about a response that is not accepted. The reason is for the operator.
func (d *Desk) explain(err error, found sighting) error {
	if e, ok := errors.AsType[*sett.Error](err); ok {
		return e
	}
	say := func(format string, args ...any) error {
		return fmt.Errorf("%w: %w", sett.Errorf(sett.Forbidden, format, args...), err)
	}
	var status saml.ErrBadStatus
	switch {
	case errors.Is(err, saml.ErrExpired), errors.Is(err, saml.ErrNotYetValid):
		apart := d.Now().Sub(found.issued)
		if apart < 0 {
			return say("The clock of the identity provider is %d minutes ahead of this server's. Ask an administrator to set both clocks, then sign in again.", minutes(-apart))
		}
		return say("The response of the identity provider is %d minutes old. Sign in again. If that does not help, its clock is behind this server's: ask an administrator to set both clocks.", minutes(apart))
	case errors.Is(err, saml.ErrAssertionReplayed):
		return say("This response of the identity provider was used already. Sign in again.")
	case errors.Is(err, saml.ErrRequestIDMismatch):
		return say("The response of the identity provider does not belong to this sign-in. Sign in again.")
	case errors.Is(err, saml.ErrAudienceMismatch), errors.Is(err, saml.ErrDestinationMismatch):
		return say("The identity provider answered for another application. Its entity ID and its address for responses must be those on the page Directory of the account's settings.")
	case errors.Is(err, saml.ErrIssuerMismatch):
		return say("The response comes from another identity provider. Ask an owner of the account to check its metadata on the page Directory.")
	case found.encrypted && (errors.Is(err, saml.ErrDecryptionFailed) || errors.Is(err, saml.ErrInvalidSignature)): // one answer, from which no key can be guessed
		return say("The encrypted response of the identity provider could not be read, or has no valid signature. Give it the metadata of sett again, and save its own on the page Directory.")
	case errors.Is(err, saml.ErrInvalidSignature), !found.signed && !found.encrypted:
		return say("The response has no valid signature of the identity provider. If its certificate changed, an owner of the account can save its new metadata on the page Directory.")
	case errors.As(err, &status):
		return say("The identity provider did not sign you in. Ask its administrator whether sett is assigned to you.")
	}
	return refused(err)
}

func minutes(d time.Duration) int { return int(d.Round(time.Minute) / time.Minute) }

// refused is the error of a response that cannot be read.
func refused(why error) error {
	return fmt.Errorf("%w: %w", sett.Errorf(sett.Forbidden, "The response of the identity provider cannot be used, so you were not signed in. Sign in again."), why)
}

// used is a saml.AssertionReplayCache.
type used func(id string, until time.Time) error

// Consume implements saml.AssertionReplayCache.
func (u used) Consume(id string, until time.Time) error { return u(id, until) }

// once makes sure that an assertion of the provider of an account is accepted once, on all nodes.
func (d *Desk) once(ctx context.Context, accountID string) used {
	return func(id string, until time.Time) error {
		hash := sha256.Sum256([]byte("assertion " + accountID + " " + id))
		fresh, err := d.Accounts.UseAssertion(ctx, d.Now(), hash[:], until)
		if err == nil && !fresh {
			return saml.ErrAssertionReplayed
		}
		return err
	}
}
