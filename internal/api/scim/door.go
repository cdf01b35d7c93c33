// Package scim lets the directory of an account, such as Okta or Entra ID, manage who is in it (SCIM 2.0, RFC 7643 and 7644). A request with
// the account's token comes in; people and groups of the directory change, and with them members, roles and teams. Who leaves the directory
// is out at the next request. It never reaches another account, and never removes the last owner.
package scim

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/elimity-com/scim"
	"github.com/elimity-com/scim/errors"
	"github.com/elimity-com/scim/optional"
	"github.com/elimity-com/scim/schema"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/store/accountdb"
)

// Path is where directories ask, below the base URL.
const Path = "/scim/v2"

// Options are what a Door needs.
type Options struct {
	Accounts *accountdb.Store
	Log      *slog.Logger
	Now      func() time.Time
	Proxies  serve.Proxies
	BaseURL  string
}

// Door answers directories.
type Door struct {
	Options
	server scim.Server
	pace   *pace
}

// New returns a Door.
func New(o Options) (*Door, error) {
	d := &Door{Options: o, pace: newPace()}
	server, err := scim.NewServer(&scim.ServerArgs{
		ServiceProviderConfig: &scim.ServiceProviderConfig{
			DocumentationURI: optional.NewString(o.BaseURL + "/docs/directory"), MaxResults: mostResults, SupportFiltering: true, SupportPatch: true,
			AuthenticationSchemes: []scim.AuthenticationScheme{{
				Type: scim.AuthenticationTypeOauthBearerToken, Name: "Token", Description: "The token of the account's directory, as Bearer.", Primary: true,
			}},
		},
		ResourceTypes: []scim.ResourceType{
			{ID: optional.NewString("User"), Name: "User", Endpoint: "/Users", Schema: parts(schema.CoreUserSchema(), userAttributes), Handler: people{d}},
			{ID: optional.NewString("Group"), Name: "Group", Endpoint: "/Groups", Schema: parts(schema.CoreGroupSchema(), groupAttributes), Handler: groups{d}},
		},
	}, scim.WithBaseURL(o.BaseURL+Path))
	if err != nil {
		return nil, fmt.Errorf("set up SCIM: %w", err)
	}
	d.server = server
	return d, nil
}

// parts returns a schema with the attributes that are stored.
func parts(s schema.Schema, names []string) schema.Schema {
	var some schema.Attributes
	for _, name := range names {
		if a, ok := s.Attributes.ContainsAttribute(name); ok {
			some = append(some, a)
		}
	}
	s.Attributes = some
	return s
}

// Bounds of a request.
const (
	mostResults = 200     // people or groups in an answer
	longestBody = 4 << 20 // bytes
)

// Routes are those that directories ask.
func (d *Door) Routes() (routes []serve.Route) {
	add := func(method, path, name, doc string) {
		rt := serve.Route{Method: method, Path: Path + path, Name: name, Tag: "SCIM", Permission: accounts.Public, Doc: doc, Media: "application/scim+json"}
		rt.Raw = method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
		rt.Handle = serve.AnswerErrorsAs(d.answer(rt), func(status int, message string) any {
			return errors.ScimError{Status: status, Detail: message}
		})
		routes = append(routes, rt)
	}
	add("GET", "/ServiceProviderConfig", "scimConfig", "What the server supports.")
	add("GET", "/Schemas", "scimSchemas", "The schemas of people and groups.")
	add("GET", "/Schemas/{schema_id}", "scimSchema", "A schema.")
	add("GET", "/ResourceTypes", "scimTypes", "The kinds of resources.")
	add("GET", "/ResourceTypes/{type_name}", "scimType", "A kind of resources.")
	for _, of := range []struct{ path, noun, what, id string }{{"/Users", "User", "a person", "person_id"}, {"/Groups", "Group", "a group", "group_id"}} {
		one := of.path + "/{" + of.id + "}"
		add("GET", of.path, "scimList"+of.noun+"s", "List "+strings.TrimPrefix(of.path, "/")+" of the directory.")
		add("POST", of.path, "scimCreate"+of.noun, "Create "+of.what+" of the directory.")
		add("GET", one, "scimGet"+of.noun, "Get "+of.what+" of the directory.")
		add("PUT", one, "scimReplace"+of.noun, "Replace "+of.what+" of the directory.")
		add("PATCH", one, "scimPatch"+of.noun, "Change "+of.what+" of the directory.")
		add("DELETE", one, "scimDelete"+of.noun, "Remove "+of.what+" of the directory.")
	}
	return routes
}

// asked is what the handlers of a request know and answer.
type asked struct {
	accountID string
	failed    error // what has no form in SCIM, such as a database that does not answer
}

type askedKey struct{}

func askedOf(r *http.Request) *asked {
	a, _ := r.Context().Value(askedKey{}).(*asked)
	return a
}

// answer has the library answer a request of a directory.
func (d *Door) answer(route serve.Route) serve.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		account, err := d.admit(r)
		if err != nil {
			if sett.CodeOf(err) == sett.Unauthenticated {
				w.Header().Set("WWW-Authenticate", `Bearer realm="sett"`)
			}
			return err
		}
		serve.SetPrincipal(r.Context(), "directory:"+account)
		r.Body = http.MaxBytesReader(w, r.Body, longestBody)
		if err := adapt(r); err != nil {
			return err
		}
		a := &asked{accountID: account}
		ctx := context.WithValue(r.Context(), askedKey{}, a)
		ctx = accountdb.WithDirectoryAudit(ctx, func() accounts.AuditEntry { return d.entry(r, route) })
		inner := r.WithContext(ctx)
		u := *r.URL
		u.Path, u.RawPath = strings.TrimPrefix(u.Path, Path), ""
		inner.URL = &u
		reply := &reply{header: http.Header{}}
		d.server.ServeHTTP(reply, inner)
		if a.failed != nil {
			return a.failed
		}
		return reply.send(w)
	}
}

// admit returns the account whose directory asks.
func (d *Door) admit(r *http.Request) (accountID string, err error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if token = strings.TrimSpace(token); !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", sett.Errorf(sett.Unauthenticated, "Send the token of the account's directory: Authorization: Bearer TOKEN.")
	}
	now := d.Now()
	accountID, used, err := d.Accounts.DirectoryByToken(r.Context(), auth.HashToken(token))
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		return "", sett.Errorf(sett.Unauthenticated, "This token is not valid. Create a new one on the page Directory of the account's settings.")
	case err != nil:
		return "", err
	case signin.SightingDue(now, used):
		// Without the note the token is as good: a full disk must not keep a directory from removing people.
		_ = d.Accounts.TouchDirectory(r.Context(), now, accountID)
	}
	return accountID, d.pace.take(accountID, now)
}

// entry is what the audit log keeps of a request; the directory is who made the change.
func (d *Door) entry(r *http.Request, route serve.Route) accounts.AuditEntry {
	return accounts.AuditEntry{
		At: d.Now(), Action: route.Name, User: sett.Person{Name: accounts.DirectoryName}, Token: "SCIM", Query: sett.MaskedQuery(nil), Changes: sett.MaskedFields(nil),
		Address: auth.AddressText(d.Proxies, r), UserAgent: accounts.CutAgent(r.UserAgent()),
	}
}

// reply keeps what the library answers, until it is known that nothing failed.
type reply struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *reply) Header() http.Header { return r.header }

func (r *reply) WriteHeader(status int) { r.status = status }

func (r *reply) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return r.body.Write(b)
}

func (r *reply) send(w http.ResponseWriter) error {
	for name, values := range r.header {
		w.Header()[name] = values
	}
	if r.status == http.StatusNoContent {
		w.Header().Del("Content-Type")
	}
	w.WriteHeader(max(r.status, http.StatusOK))
	if _, err := w.Write(r.body.Bytes()); err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return nil
}

// refusal returns an error in the form of RFC 7644, section 3.12. What has no form there is kept for the server's own answer.
func (a *asked) refusal(err error) error {
	switch sett.CodeOf(err) {
	case sett.NotFound:
		return errors.ScimError{Status: http.StatusNotFound, Detail: err.Error()}
	case sett.Conflict:
		return errors.ScimError{Status: http.StatusConflict, ScimType: errors.ScimTypeUniqueness, Detail: err.Error()}
	case sett.Invalid:
		return errors.ScimError{Status: http.StatusBadRequest, ScimType: errors.ScimTypeInvalidValue, Detail: err.Error()}
	case sett.Forbidden:
		return errors.ScimError{Status: http.StatusForbidden, Detail: err.Error()}
	default:
		a.failed = err
		return errors.ScimErrorInternal
	}
}
