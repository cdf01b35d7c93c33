package web

import (
	"encoding/json"
	"net/http"
	"net/url"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
)

// audited returns a request with a context in which changes write an entry to the audit log, in their transaction. If the path
// names a project, team or account, the entry contains the fields of the form. Changes of a user's own account are recorded
// without them; the store adds the details.
func (p *Pages) audited(r *http.Request, route serve.Route, scope accounts.Scope) *http.Request {
	var asked *http.Request // its form is read by the handler
	entry := func(changes json.RawMessage) accounts.AuditEntry {
		return auth.AuditEntry(asked, route, scope, nil, changes, p.Now(), p.Proxies)
	}
	ctx := r.Context()
	switch {
	case scope.AccountID == "":
		ctx = accountdb.WithPersonalAudit(ctx, func() accounts.AuditEntry {
			e := entry(sett.MaskedFields(nil))
			e.User = sett.Person{} // the user changes their own account
			return e
		})
	case route.Method != http.MethodGet:
		ctx = accountdb.WithAudit(ctx, func() accounts.AuditEntry { return entry(sett.MaskedFields(fieldsIn(asked.PostForm))) })
	}
	asked = r.WithContext(ctx)
	return asked
}

// fieldsIn returns the fields of a form by name; a field that was sent more than once is a list.
func fieldsIn(form url.Values) map[string]any {
	fields := map[string]any{}
	for name, values := range form {
		if len(values) == 1 {
			fields[name] = values[0]
			continue
		}
		var list []any
		for _, v := range values {
			list = append(list, v)
		}
		fields[name] = list
	}
	return fields
}
