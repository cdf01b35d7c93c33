package app

import (
	"errors"
	"fmt"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"sett/internal/base/dial"
	"sett/internal/serve/auth"
	"sett/internal/sett/accounts"
)

// SignIn is how people sign in beside passwords and passkeys.
type SignIn struct {
	Issuer       string               `flag:"oidc-issuer" is:"issuer" group:"Sign-in" help:"issuer URL of an OpenID Connect provider" more:"register the redirect URI /auth/oidc/callback below the base URL; empty for none"`
	ClientID     string               `flag:"oidc-client-id" is:"text" group:"Sign-in" help:"client ID of sett at the issuer"`
	ClientSecret string               `flag:"oidc-client-secret" is:"text" group:"Sign-in" secret:"yes" help:"client secret of sett at the issuer" more:"empty for a public client"`
	Name         string               `flag:"oidc-name" is:"text" default:"single sign-on" group:"Sign-in" help:"name of the issuer in the button Sign in with …"`
	GroupsClaim  string               `flag:"oidc-groups" is:"text" default:"groups" group:"Sign-in" help:"claim that lists a user's groups"`
	Roles        []accounts.GroupRole `flag:"oidc-roles" is:"roles" group:"Sign-in" help:"role of each group, such as ops=Admin,dev=Member" more:"applied at each sign-in; the strongest role wins, and users in none of the groups are refused; empty: new users become Members, and roles do not change"`
	Account      string               `flag:"oidc-account" is:"text" group:"Sign-in" help:"id of the account that new users join" more:"empty for the first"`
	ProxyHeader  string               `flag:"proxy-user-header" is:"header" group:"Sign-in" help:"header in which a trusted proxy names the user" more:"such as Remote-Email, with the email address of the user; every proxy must remove this header from client requests; empty for none"`
}

// check names what does not go together, for the operator.
func (c Config) check() (problems []error) {
	s := c.SignIn
	if s.Issuer != "" && s.ClientID == "" {
		problems = append(problems, errors.New("--oidc-issuer (SETT_OIDC_ISSUER) needs --oidc-client-id (SETT_OIDC_CLIENT_ID): set the client ID of sett at the issuer"))
	}
	if s.Issuer == "" && (s.ClientID != "" || s.ClientSecret != "" || len(s.Roles) > 0) {
		problems = append(problems, errors.New("--oidc-issuer (SETT_OIDC_ISSUER) is missing, but other OIDC settings are present"))
	}
	if s.ProxyHeader != "" && len(c.TrustedProxies) == 0 {
		problems = append(problems, errors.New("--proxy-user-header (SETT_PROXY_USER_HEADER) needs --trusted-proxies (SETT_TRUSTED_PROXIES): the header is accepted only from trusted proxies"))
	}
	if c.Direct != "" && c.Database == "" {
		problems = append(problems, errors.New("--database-direct (SETT_DATABASE_DIRECT) needs --database (SETT_DATABASE): set the address of the pooler there, or remove --database-direct"))
	}
	if c.Replica != "" && c.Database == "" {
		problems = append(problems, errors.New("--database-read (SETT_DATABASE_READ) needs --database (SETT_DATABASE): set the address of the primary there, or remove --database-read"))
	}
	return slices.Concat(problems, c.checkTLS(), c.checkAddresses())
}

// oidc returns the sign-in with the issuer, or nil without one.
func (a *App) oidc() *auth.OIDC {
	s := a.cfg.SignIn
	if s.Issuer == "" {
		return nil
	}
	return auth.NewOIDC(auth.OIDCOptions{
		Issuer: s.Issuer, ClientID: s.ClientID, ClientSecret: s.ClientSecret, Name: s.Name, GroupsClaim: s.GroupsClaim, Roles: s.Roles,
		AccountID: s.Account, BaseURL: a.cfg.BaseURL, Now: a.now,
		Client: dial.New(dial.Anywhere()).Client(issuerTimeout), // the operator's own issuer may stand anywhere, on this machine too
	})
}

// parseIssuer reads the address of an issuer. It stays as it is, because the issuer's own spelling counts.
func parseIssuer(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("is not an issuer; write its exact issuer URL, such as https://id.example.org/realms/main")
	}
	return text, nil
}

// parseRoles reads groups and the roles that they give, separated by commas. A group may hold =, as in a directory's names.
func parseRoles(text string) (roles []accounts.GroupRole, err error) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		i := strings.LastIndex(part, "=")
		if i < 1 || !slices.Contains(accounts.Roles, accounts.Role(part[i+1:])) {
			return nil, fmt.Errorf("has %q, which does not assign a role to a group; write group=Role, where Role is one of %s, %s, %s, %s",
				part, accounts.Member, accounts.Billing, accounts.Admin, accounts.Owner)
		}
		roles = append(roles, accounts.GroupRole{Group: part[:i], Role: accounts.Role(part[i+1:])})
	}
	return roles, nil
}

// parseHeader reads the name of a header (RFC 9110 §5.1), of the letters that proxies pass on without question.
func parseHeader(text string) (string, error) {
	for _, c := range text {
		if !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-", c) {
			return "", errors.New("is not a header name; write one such as Remote-Email")
		}
	}
	return textproto.CanonicalMIMEHeaderKey(text), nil
}
