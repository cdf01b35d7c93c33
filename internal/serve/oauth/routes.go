package oauth

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
)

// The paths of the pages that the package sends people to, and of registrations.
const (
	AuthorizePath = "/oauth/authorize"
	DevicePath    = "/oauth/device"
	registerPath  = "/oauth/register"
)

// The documents that say where all this is.
const (
	resourceDocument = "/.well-known/oauth-protected-resource"
	serverDocument   = "/.well-known/oauth-authorization-server"
)

// Challenge is what the header WWW-Authenticate says of a request to the resource without a token that counts. A program asks for all that it
// may need at once, as few ask again later.
func (d *Desk) Challenge() string {
	return `Bearer resource_metadata="` + d.BaseURL + resourceDocument + MCP + `", scope="` + strings.Join(levelNames(), " ") + `"`
}

// ChallengeMore is what that header says of a request with a token that lacks a scope. It names all that the program then has to ask for: what
// is needed, and what the token has. A program that asks only for what a challenge names would lose that.
func (d *Desk) ChallengeMore(held []string, needs string) string {
	has, wanted := levelsIn(strings.Join(held, " ")), []string{}
	for _, level := range Levels() {
		if slices.Contains(has, level.Scope) || slices.Contains(level.scopes, needs) {
			wanted = append(wanted, level.Scope)
		}
	}
	return `Bearer error="insufficient_scope", scope="` + strings.Join(wanted, " ") + `", resource_metadata="` + d.BaseURL + resourceDocument + MCP + `"`
}

func levelNames() (names []string) {
	for _, level := range Levels() {
		names = append(names, level.Scope)
	}
	return names
}

// Routes are those that programs ask.
func (d *Desk) Routes() []serve.Route {
	get := func(path, name, doc string, answer func() any) serve.Route {
		return serve.Route{Method: http.MethodGet, Path: path, Name: name, Tag: tag, Permission: accounts.Public, Doc: doc, Handle: func(w http.ResponseWriter, _ *http.Request) error {
			return serve.WriteJSON(w, http.StatusOK, answer())
		}}
	}
	post := func(path, name, doc string, handle serve.Handler) serve.Route {
		return serve.Route{Method: http.MethodPost, Path: path, Name: name, Tag: tag, Permission: accounts.Public, Doc: doc, Raw: true, Handle: answering(handle)}
	}
	return []serve.Route{
		get(resourceDocument, "oauthResource", "Where programs get tokens.", func() any { return d.resource(d.BaseURL) }),
		get(resourceDocument+MCP, "oauthMCPResource", "Where programs get tokens for MCP.", func() any { return d.resource(d.BaseURL + MCP) }),
		get(serverDocument, "oauthServer", "How programs get tokens.", func() any { return d.server() }),
		post(registerPath, "registerProgram", "Register a program (RFC 7591). Nothing is stored.", d.register),
		{Method: http.MethodGet, Path: registerPath, Name: "registeredProgram", Tag: tag, Permission: accounts.Public, Doc: "A program's registration.", Handle: answering(d.registered)},
		post("/oauth/token", connecting, "Give a program a token for a code, a refresh token or a device code.", d.token),
		post("/oauth/revoke", disconnecting, "End the connection of a token (RFC 7009).", d.revoked),
		post("/oauth/device_authorization", "beginDevice", "Begin the sign-in of the command line (RFC 8628).", d.device),
	}
}

const tag = "OAuth"

// What the audit log calls it when a program gets in, and when that ends. They are names of routes.
const (
	connecting    = "connectProgram"
	disconnecting = "disconnectProgram"
)

// noting returns the context of a request whose change of a user's own is recorded in the audit log as an action.
func (d *Desk) noting(r *http.Request, action string) context.Context {
	return accountdb.WithPersonalAudit(r.Context(), func() accounts.AuditEntry {
		e := auth.AuditEntry(r, serve.Route{Name: action}, accounts.Scope{}, nil, sett.MaskedFields(nil), d.Now(), d.Proxies)
		e.User = sett.Person{} // the store knows whose it is
		return e
	})
}

// resourceMetadata is the document of RFC 9728.
type resourceMetadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
	Methods  []string `json:"bearer_methods_supported"`
	Name     string   `json:"resource_name"`
}

func (d *Desk) resource(address string) resourceMetadata {
	return resourceMetadata{address, []string{d.BaseURL}, levelNames(), []string{"header"}, "sett"}
}

// serverMetadata is the document of RFC 8414.
type serverMetadata struct {
	Issuer        string   `json:"issuer"`
	Authorize     string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Register      string   `json:"registration_endpoint"`
	Revoke        string   `json:"revocation_endpoint"`
	Device        string   `json:"device_authorization_endpoint"`
	Scopes        []string `json:"scopes_supported"`
	Responses     []string `json:"response_types_supported"`
	Grants        []string `json:"grant_types_supported"`
	Auth          []string `json:"token_endpoint_auth_methods_supported"`
	RevokeAuth    []string `json:"revocation_endpoint_auth_methods_supported"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	Documents     bool     `json:"client_id_metadata_document_supported"`
	IssuerReturns bool     `json:"authorization_response_iss_parameter_supported"`
}

const (
	byCode    = "authorization_code"
	byRefresh = "refresh_token"
	byDevice  = "urn:ietf:params:oauth:grant-type:device_code"
)

func (d *Desk) server() serverMetadata {
	at, none := d.BaseURL+"/oauth/", []string{"none"}
	return serverMetadata{
		Issuer: d.BaseURL, Authorize: d.BaseURL + AuthorizePath, Token: at + "token", Register: at + "register", Revoke: at + "revoke", Device: at + "device_authorization",
		Scopes: levelNames(), Responses: []string{"code"}, Grants: []string{byCode, byRefresh, byDevice}, Auth: none, RevokeAuth: none,
		Challenges: []string{"S256"}, Documents: d.readsDocuments(), IssuerReturns: true,
	}
}

// refused is a refusal in the form of RFC 6749.
type refused struct {
	Error string `json:"error"`
	Text  string `json:"error_description"`
}

// answering writes refusals in the form of the standard, and has no answer stored on its way.
func answering(next serve.Handler) serve.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "no-store")
		err := next(w, r)
		if refusal := RefusalIn(err); refusal != nil {
			return serve.WriteJSON(w, http.StatusBadRequest, refused{refusal.Code, refusal.Text})
		}
		code := "server_error"
		if sett.CodeOf(err) == sett.Unavailable || sett.CodeOf(err) == sett.TooMany {
			code = "temporarily_unavailable"
		}
		return serve.AnswerErrorsAs(func(http.ResponseWriter, *http.Request) error { return err }, func(_ int, message string) any {
			return refused{code, message}
		})(w, r)
	}
}

// longestForm is the most that a program sends, in bytes.
const longestForm = 32 << 10

// formOf reads the form of a request. What comes twice could mean two things.
func formOf(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	r.Body = http.MaxBytesReader(w, r.Body, longestForm)
	if err := r.ParseForm(); err != nil {
		return nil, refuse(invalidRequest, "send a form (application/x-www-form-urlencoded) of at most %d bytes", longestForm)
	}
	for name, values := range r.PostForm {
		if len(values) > 1 && name != "resource" {
			return nil, refuse(invalidRequest, "%.40q comes twice; send it once", name)
		}
	}
	return r.PostForm, nil
}

func (d *Desk) register(w http.ResponseWriter, r *http.Request) error {
	var asked Registration
	r.Body = http.MaxBytesReader(w, r.Body, longestDocument)
	if serve.DecodeJSON(w, r, &asked) != nil {
		return refuse(invalidMetadata, "send a registration as JSON, of at most %d bytes", longestDocument)
	}
	client, err := Register(asked)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, d.registration(client))
}

// registration is what a program reads of itself. Some fail without the address at which they could read it again.
func (d *Desk) registration(c Client) Registration {
	return Registration{
		ClientID: c.ID, Name: c.Name, Redirects: c.Redirects, Auth: "none", Grants: []string{byCode, byRefresh}, Responses: []string{"code"},
		Self: d.BaseURL + registerPath + "?client_id=" + url.QueryEscape(c.ID),
	}
}

func (d *Desk) registered(w http.ResponseWriter, r *http.Request) error {
	client, err := knownClient(r.URL.Query().Get("client_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, d.registration(client))
}

func (d *Desk) token(w http.ResponseWriter, r *http.Request) error {
	form, err := formOf(w, r)
	if err != nil {
		return err
	}
	if err := d.checkResource(form); err != nil {
		return err
	}
	var tokens Tokens
	switch form.Get("grant_type") {
	case byCode:
		tokens, err = d.redeem(r, form)
	case byRefresh:
		tokens, err = d.refresh(r, form)
	case byDevice:
		tokens, err = d.pollDevice(r, form)
	default:
		err = refuse(unsupportedGrant, "grant_type must be %s, %s or %s", byCode, byRefresh, byDevice)
	}
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, tokens)
}

func (d *Desk) device(w http.ResponseWriter, r *http.Request) error {
	form, err := formOf(w, r)
	if err != nil {
		return err
	}
	answer, err := d.beginDevice(r, form)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, answer)
}

func (d *Desk) revoked(w http.ResponseWriter, r *http.Request) error {
	form, err := formOf(w, r)
	if err == nil {
		err = d.revoke(r, form.Get("token"))
	}
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, struct{}{})
}
