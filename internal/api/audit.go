package api

import (
	"encoding/json"
	"io"
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
)

func (a *API) auditRoutes() []serve.Route {
	return []serve.Route{
		{
			Method: "GET", Path: "/v2/accounts/{account_id}/audit_log", Name: "listAuditLog", Tag: "Accounts", Permission: accounts.ReadAudit,
			Query: auditQuery{}, Result: serve.List[AuditEntry]{}, Handle: a.listAuditLog,
			Doc: "List the changes in an account, newest first. Entries are kept even if the objects they refer to are deleted. Changes that users make to their own profile, such as a password, appear in each of their accounts. Only for owners.",
		},
	}
}

// AuditEntry is one change as the audit log shows it.
type AuditEntry struct {
	ID        int64             `json:"id"`
	CreatedAt time.Time         `json:"created_at"`
	User      sett.Person       `json:"user" doc:"Who made the change, with their name at that time. The id 0 is the operator of the server, on the command line, or the directory of the account."`
	Token     *string           `json:"token" doc:"Name of the personal token that was used; null for none."`
	Action    string            `json:"action" doc:"The operationId of the operation, such as updateProject; or a change on the pages of the user, such as changePassword, or by the operator on the command line, such as createAccount."`
	Subject   *string           `json:"subject" doc:"Name of the project, team or account in the path before the change; null if the path has none."`
	Object    *string           `json:"object" doc:"What the object of the path, such as the fault or the site, was called before the change; null if the path has none."`
	Target    map[string]string `json:"target" doc:"The ids in the path, such as project_id."`
	Query     keptJSON          `json:"query" doc:"The query parameters of the request."`
	Changes   keptJSON          `json:"changes" doc:"The body of the request, or the details of a change on a page, such as the name of a token. Secrets are shown as [hidden], and values that are too long end with …"`
	Address   string            `json:"address" doc:"IP address of the client."`
	UserAgent string            `json:"user_agent"`
}

// keptJSON is a JSON object that is shown as it was stored.
type keptJSON struct{ json.RawMessage }

// JSONSchema describes it.
func (keptJSON) JSONSchema() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": true}
}

func viewAudit(e accounts.AuditEntry) AuditEntry {
	return AuditEntry{
		ID: e.ID, CreatedAt: e.At, User: e.User, Token: nullText(e.Token), Action: e.Action, Subject: nullText(e.Subject), Object: nullText(e.Object), Target: e.Target,
		Query: keptJSON{e.Query}, Changes: keptJSON{e.Changes}, Address: e.Address, UserAgent: e.UserAgent,
	}
}

// auditQuery says which entries are listed.
type auditQuery struct {
	UserID        int64     `query:"user_id" doc:"Only changes by this user, even if they have left."`
	Action        string    `query:"action" doc:"Only this operation, such as updateProject."`
	CreatedAfter  timeParam `query:"created_after" doc:"Only changes at or after this time; Unix seconds or RFC 3339."`
	CreatedBefore timeParam `query:"created_before" doc:"Only changes before this time; Unix seconds or RFC 3339."`
}

func (a *API) listAuditLog(w http.ResponseWriter, r *http.Request) error {
	var q auditQuery
	var problems sett.Problems
	serve.ReadQuery(&problems, r, &q)
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	filter := accountdb.AuditFilter{UserID: q.UserID, From: q.CreatedAfter.Time, To: q.CreatedBefore.Time, Page: page.Page}
	if q.Action != "" {
		filter.Actions = []string{q.Action}
	}
	entries, marks, err := a.Accounts.ListAudit(r.Context(), r.PathValue("account_id"), filter)
	if err != nil {
		return err
	}
	list := serve.NewList(a.BaseURL, r, page, viewAll(entries, viewAudit), marks)
	return serve.WriteJSON(w, http.StatusOK, list)
}

// audited returns a request under whose context the store keeps an entry of the change that it makes. The body is copied
// while the handler reads it, and so is not larger than handlers take.
func (a *API) audited(r *http.Request, route serve.Route, scope accounts.Scope) *http.Request {
	asked, body := r, &copiedBody{ReadCloser: r.Body}
	entry := func() accounts.AuditEntry {
		return auth.AuditEntry(asked, route, scope, asked.URL.Query(), sett.MaskedBody(body.copied), a.Now(), a.Proxies)
	}
	r = r.WithContext(accountdb.WithAudit(r.Context(), entry))
	r.Body = body
	return r
}

// copiedBody keeps what is read of a body.
type copiedBody struct {
	io.ReadCloser
	copied []byte
}

func (b *copiedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.copied = append(b.copied, p[:n]...)
	return n, err
}
