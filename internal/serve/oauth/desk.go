// Package oauth gives tokens to programs that a person has allowed (OAuth 2.1, RFC 6749, 7591, 7636, 8414, 8628, 8707, 9207 and 9728). Requests of
// programs come in, and what a page must show to a person; codes, tokens and refusals in the form of the standards go out. A token is one of
// /v3 with scopes, so its rules are those of all tokens, and what revokes it ends its connection. Nothing is stored before a person has
// allowed it, save a device's code for ten minutes. The package never decides what a role may do, and never shows a page.
package oauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/signin"
	"sett/internal/store/accountdb"
)

// MCP is the path of the resource that tokens are for.
const MCP = "/mcp"

// Options are what the desk works with.
type Options struct {
	Accounts *accountdb.Store
	Throttle *auth.Throttle                              // of devices, which wait in the database
	Do       func(*http.Request) (*http.Response, error) // reads descriptions of clients; it must refuse addresses that are not for strangers
	Now      func() time.Time
	Proxies  serve.Proxies
	BaseURL  string // where people reach the server; no trailing slash. It is the issuer
}

// Desk gives tokens.
type Desk struct {
	Options
	unreachable atomic.Int64 // when the host of a description last did not answer, in nanoseconds since 1970
}

// New returns a Desk.
func New(o Options) *Desk { return &Desk{Options: o} }

// challengeLength is that of a SHA-256 in base64url; a verifier has 43 to 128 characters (RFC 7636).
const (
	challengeLength  = 43
	shortestVerifier = 43
	longestVerifier  = 128
	saltLength       = 32
)

// permit is what a code stands for.
type permit struct {
	Session   signin.Session
	Name      string
	Grant     signin.Grant
	Client    string
	Redirect  string
	Challenge string
}

// Allow notes that the user of a session allows a program what it asked for, as far as a grant says, and returns where the user goes on.
func (d *Desk) Allow(ctx context.Context, q Request, by signin.Session, grant signin.Grant) (address string, err error) {
	code := sett.NewWebSecret()
	state, err := json.Marshal(permit{by, q.Client.Name, grant, q.Client.ID, q.Redirect, q.Challenge})
	if err != nil {
		return "", fmt.Errorf("write permit: %w", err)
	}
	if err := d.Accounts.CreateChallenge(ctx, d.Now(), signin.ConnectProgram, 0, auth.HashToken(code), state); err != nil {
		return "", err
	}
	return q.answer("code", code), nil
}

// Tokens is the answer to a program that gets a token.
type Tokens struct {
	Access    string `json:"access_token"`
	Type      string `json:"token_type"`
	ExpiresIn int64  `json:"expires_in"` // seconds
	Refresh   string `json:"refresh_token,omitempty"`
	Scope     string `json:"scope"`
}

// redeem gives a token for a code. A code that comes again ends the connection that it has made: it was copied.
func (d *Desk) redeem(r *http.Request, form url.Values) (Tokens, error) {
	code, now, ctx := form.Get("code"), d.Now(), d.noting(r, connecting)
	hash := auth.HashToken(code)
	state, err := d.Accounts.TakeChallenge(ctx, now, signin.ConnectProgram, 0, hash)
	if sett.CodeOf(err) == sett.NotFound {
		return Tokens{}, d.usedAgain(d.noting(r, disconnecting), hash)
	}
	var p permit
	if err == nil {
		err = json.Unmarshal(state, &p)
	}
	if err != nil {
		return Tokens{}, fmt.Errorf("read permit: %w", err)
	}
	if err := p.check(form); err != nil {
		return Tokens{}, err
	}
	salt := make([]byte, saltLength)
	rand.Read(salt)
	secrets := signin.SecretsFrom(salt, code)
	c := signin.Connection{Client: p.Client, Salt: salt, MadeAt: now, RefreshedAt: now}
	c.ExpiresAt = c.Until(now)
	token := signin.PersonalToken{Name: p.Name, ReadOnly: true, CreatedAt: now, ExpiresAt: now.Add(signin.AccessLife), Grant: p.Grant}
	err = d.Accounts.CreateConnection(ctx, p.Session, token, c, hashesOf(secrets, hash))
	if sett.CodeOf(err) == sett.Unauthenticated {
		return Tokens{}, refuse(invalidGrant, "the person has signed out; ask again")
	}
	return answerOf(secrets, signin.AccessLife, strings.Join(p.Grant.Scopes, " ")), err
}

// check refuses a code in other hands than those that it was given to.
func (p permit) check(form url.Values) error {
	verifier := form.Get("code_verifier")
	sum := sha256.Sum256([]byte(verifier))
	proof := base64.RawURLEncoding.EncodeToString(sum[:])
	switch {
	case form.Get("client_id") != p.Client:
		return refuse(invalidGrant, "the code was given to another client_id")
	case form.Get("redirect_uri") != p.Redirect && form.Get("redirect_uri") != "":
		return refuse(invalidGrant, "redirect_uri is another one than in the request")
	case len(verifier) < shortestVerifier || len(verifier) > longestVerifier || subtle.ConstantTimeCompare([]byte(proof), []byte(p.Challenge)) != 1:
		return refuse(invalidGrant, "code_verifier does not fit code_challenge")
	}
	return nil
}

// usedAgain ends the connection of a code that was used already.
func (d *Desk) usedAgain(ctx context.Context, hash []byte) error {
	c, err := d.Accounts.Connection(ctx, hash)
	if err == nil {
		err = d.Accounts.DropConnection(ctx, c.TokenID)
	}
	if err != nil && sett.CodeOf(err) != sett.NotFound {
		return err
	}
	return refuse(invalidGrant, "the code is unknown, was used, or has expired; ask the person again")
}

// refresh gives the next token for a refresh token.
func (d *Desk) refresh(r *http.Request, form url.Values) (Tokens, error) {
	used, now, ctx := form.Get("refresh_token"), d.Now(), d.noting(r, disconnecting)
	unknown := refuse(invalidGrant, "the refresh token is unknown, was revoked, or has expired; ask the person again")
	if !signin.Renews(used) { // a connection is found by its code too
		return Tokens{}, unknown
	}
	hash := auth.HashToken(used)
	c, err := d.Accounts.Connection(ctx, hash)
	switch {
	case sett.CodeOf(err) == sett.NotFound, err == nil && (c.Over(now) || c.Client != form.Get("client_id")):
		return Tokens{}, unknown
	case err != nil:
		return Tokens{}, err
	case c.Stolen(now):
		if err := d.Accounts.DropConnection(ctx, c.TokenID); err != nil {
			return Tokens{}, err
		}
		return Tokens{}, refuse(invalidGrant, "the refresh token was used before, so it may be in other hands: the connection has ended. Ask the person again")
	}
	secrets, life := signin.SecretsFrom(c.Salt, used), signin.AccessLife
	if c.Newest {
		err = d.Accounts.Refresh(ctx, now, c, hashesOf(secrets, hash))
	} else {
		life -= now.Sub(c.RefreshedAt)
	}
	return answerOf(secrets, life, c.Scope), err
}

func hashesOf(secrets signin.ConnectionSecrets, before []byte) accountdb.ConnectionHashes {
	return accountdb.ConnectionHashes{Access: auth.HashToken(secrets.Access), Refresh: auth.HashToken(secrets.Refresh), Before: before}
}

func answerOf(s signin.ConnectionSecrets, life time.Duration, scopes string) Tokens {
	return Tokens{s.Access, "Bearer", int64(life.Seconds()), s.Refresh, strings.Join(levelsIn(scopes), " ")}
}

// revoke ends the connection of a token or refresh token (RFC 7009). An unknown one is revoked already.
func (d *Desk) revoke(r *http.Request, secret string) error {
	ctx := d.noting(r, disconnecting)
	hash := auth.HashToken(secret)
	token, _, err := d.Accounts.PersonalTokenByHash(ctx, hash)
	id := token.ID
	if sett.CodeOf(err) == sett.NotFound {
		var c signin.Connection
		c, err = d.Accounts.Connection(ctx, hash)
		id = c.TokenID
	}
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		return nil
	case err != nil:
		return err
	}
	return d.Accounts.DropConnection(ctx, id)
}
