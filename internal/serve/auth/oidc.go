package auth

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// OIDCOptions are what an operator decides about an issuer of OpenID Connect.
type OIDCOptions struct {
	Issuer       string // as it calls itself
	ClientID     string
	ClientSecret string // "" for a public client
	Name         string // as people know it
	GroupsClaim  string // name of the claim that lists the groups of a person
	Roles        []accounts.GroupRole
	AccountID    string // that identities join; "" for the first
	BaseURL      string // of sett
	Client       *http.Client
	Now          func() time.Time
}

// OIDC signs people in with an issuer (OpenID Connect Core 1.0, code flow with PKCE). It is asked for its addresses and
// keys when the first person wants to sign in, so that sett starts without it.
type OIDC struct {
	OIDCOptions

	found atomic.Pointer[oidc.Provider] // nil until the issuer has answered
}

// NewOIDC returns an OIDC.
func NewOIDC(o OIDCOptions) *OIDC { return &OIDC{OIDCOptions: o} }

// OIDCCallback is the path to which the issuer leads people back.
const OIDCCallback = "/auth/oidc/callback"

// roundTrip is what the answer of an issuer is held against.
type roundTrip struct {
	State    string // what it has to send back
	Nonce    string // what its token has to hold
	Verifier string // of PKCE (RFC 7636): only who asked can use the code
	Next     string // where to go afterwards
}

// Begin returns the address of the issuer where a browser is to sign in, and the state to hold its answer against. An
// issuer that cannot be used is an Unavailable error.
func (o *OIDC) Begin(ctx context.Context, next string) (address string, state []byte, err error) {
	provider, err := o.provider(ctx)
	if err != nil {
		return "", nil, err
	}
	trip := roundTrip{sett.NewWebSecret(), sett.NewWebSecret(), oauth2.GenerateVerifier(), next}
	if state, err = json.Marshal(trip); err != nil {
		return "", nil, fmt.Errorf("write round trip: %w", err)
	}
	address = o.config(provider).AuthCodeURL(trip.State, oidc.Nonce(trip.Nonce), oauth2.S256ChallengeOption(trip.Verifier))
	if u, err := url.Parse(address); err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return "", nil, o.unusable(fmt.Errorf("the issuer has no address to sign in: %q", address))
	}
	return address, state, nil
}

// provider returns the issuer. Once it has responded, it is cached; until then callers do not wait for each other.
func (o *OIDC) provider(ctx context.Context) (*oidc.Provider, error) {
	if found := o.found.Load(); found != nil {
		return found, nil
	}
	found, err := oidc.NewProvider(oidc.ClientContext(ctx, o.Client), o.Issuer)
	if err != nil {
		return nil, o.unusable(fmt.Errorf("discover issuer: %w", err))
	}
	o.found.Store(found)
	return found, nil
}

func (o *OIDC) config(provider *oidc.Provider) *oauth2.Config {
	scopes := []string{oidc.ScopeOpenID, "email", "profile"}
	var offers struct {
		Scopes []string `json:"scopes_supported"`
	}
	// Some issuers return groups only on request, others refuse scopes that they do not know.
	if provider.Claims(&offers) == nil && len(o.Roles) > 0 && slices.Contains(offers.Scopes, "groups") {
		scopes = append(scopes, "groups")
	}
	return &oauth2.Config{
		ClientID: o.ClientID, ClientSecret: o.ClientSecret, Endpoint: provider.Endpoint(), RedirectURL: o.BaseURL + OIDCCallback, Scopes: scopes,
	}
}

// Finish returns who signed in with the issuer, which redirected the browser back with the given parameters, and where the
// browser wanted to go. A response that does not match the request is a Forbidden error, an issuer that cannot be used an
// Unavailable one.
func (o *OIDC) Finish(ctx context.Context, state []byte, answer url.Values) (i accounts.Identity, next string, err error) {
	var trip roundTrip
	if err := json.Unmarshal(state, &trip); err != nil {
		return i, "", fmt.Errorf("read round trip: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(trip.State)) != 1 {
		return i, "", o.refused(errors.New("the state is another one"))
	}
	if code := answer.Get("error"); code != "" {
		return i, "", o.declined(code)
	}
	provider, err := o.provider(ctx)
	if err != nil {
		return i, "", err
	}
	ctx = oidc.ClientContext(ctx, o.Client)
	token, err := o.config(provider).Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(trip.Verifier))
	if err != nil {
		return i, "", o.unusable(fmt.Errorf("exchange code: %w", err))
	}
	i, err = o.identity(ctx, provider, token, trip.Nonce)
	return i, trip.Next, err
}

// identity reads who the issuer says that has signed in.
func (o *OIDC) identity(ctx context.Context, provider *oidc.Provider, token *oauth2.Token, nonce string) (i accounts.Identity, err error) {
	raw, _ := token.Extra("id_token").(string)
	checked, err := provider.Verifier(&oidc.Config{ClientID: o.ClientID, Now: o.Now}).Verify(ctx, raw)
	switch {
	case err != nil:
		return i, o.refused(fmt.Errorf("check token: %w", err))
	case subtle.ConstantTimeCompare([]byte(checked.Nonce), []byte(nonce)) != 1:
		return i, o.refused(errors.New("the nonce is another one"))
	case checked.Subject == "":
		return i, o.refused(errors.New("the token has no subject"))
	}
	claims := map[string]any{}
	if err := checked.Claims(&claims); err != nil {
		return i, o.refused(fmt.Errorf("read claims: %w", err))
	}
	if err := o.complete(ctx, provider, token, checked.Subject, claims); err != nil {
		return i, err
	}
	return accounts.Identity{
		Issuer: o.Issuer, Subject: checked.Subject, Email: strings.ToLower(strings.TrimSpace(textIn(claims["email"]))),
		EmailVerified: claims["email_verified"] == true || claims["email_verified"] == "true", // some write it as a text
		Name:          cmp.Or(textIn(claims["name"]), textIn(claims["preferred_username"])), Groups: textsIn(claims[o.GroupsClaim]),
	}, nil
}

// complete adds claims that the token lacks, from the userinfo endpoint (OpenID Connect Core, section 5.3).
func (o *OIDC) complete(ctx context.Context, provider *oidc.Provider, token *oauth2.Token, subject string, claims map[string]any) error {
	lacksGroups := len(o.Roles) > 0 && claims[o.GroupsClaim] == nil
	if provider.UserInfoEndpoint() == "" || claims["email"] != nil && !lacksGroups {
		return nil
	}
	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return o.unusable(fmt.Errorf("ask for claims: %w", err))
	}
	more := map[string]any{}
	if err := info.Claims(&more); err != nil {
		return o.unusable(fmt.Errorf("read claims: %w", err))
	}
	if info.Subject != subject {
		return o.refused(errors.New("the claims are of another subject"))
	}
	// An address and its being verified belong together, so both come from the same place.
	names := []string{"name", "preferred_username", o.GroupsClaim}
	if claims["email"] == nil {
		names = append(names, "email")
		claims["email_verified"] = more["email_verified"]
	}
	for _, name := range names {
		if claims[name] == nil {
			claims[name] = more[name]
		}
	}
	return nil
}

func textIn(claim any) string {
	text, _ := claim.(string)
	return text
}

// textsIn reads a claim that is one text or a list of them.
func textsIn(claim any) (texts []string) {
	if one, ok := claim.(string); ok {
		return []string{one}
	}
	list, _ := claim.([]any)
	for _, v := range list {
		if text, ok := v.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// Joining decides what an identity becomes here; see accounts.JoiningOf.
func (o *OIDC) Joining(i accounts.Identity) (accounts.Joining, error) {
	return accounts.JoiningOf(o.AccountID, o.Roles, i.Groups)
}

// unusable says that the issuer does not do its part. Why is for the operator.
func (o *OIDC) unusable(why error) error {
	e := sett.Errorf(sett.Unavailable, "Sign-in with %s does not work right now. Try again in a moment, or sign in another way. "+
		"If this persists, contact the operator of this server.", o.Name)
	return fmt.Errorf("%w: %w", e, why)
}

// refused is the error of a response that does not match the request. The reason is for the operator.
func (o *OIDC) refused(why error) error {
	e := sett.Errorf(sett.Forbidden, "The response of %s does not match the request, so you were not signed in. Start again on the sign-in page.", o.Name)
	return fmt.Errorf("%w: %w", e, why)
}

var errorCode = regexp.MustCompile(`^[a-z_]{1,40}$`)

// declined is the error of an issuer that did not sign the person in. Anyone can forge the URL that says so, so only its
// code is shown.
func (o *OIDC) declined(code string) error {
	if !errorCode.MatchString(code) {
		code = "an unknown error"
	}
	e := sett.Errorf(sett.Forbidden, "%s did not sign you in (%s). Start again, or sign in another way.", o.Name, code)
	return fmt.Errorf("%w: declined", e)
}
