package web

import (
	"encoding/json"
	"net/http"
	"net/url"

	"sett/internal/auth"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/store"
)

// audited returns a request under whose context a change leaves an entry in the audit log, in the transaction that makes it.
// Where the path names a project, team or account it tells the fields of the form. What people change of their own is
// told without them: what there is to tell of that, the store says.
func (p *Pages) audited(r *http.Request, route serve.Route, scope sett.Scope) *http.Request {
	var asked *http.Request // whose form the handler will have read
	entry := func(changes json.RawMessage) sett.AuditEntry {
		return auth.AuditEntry(asked, route, scope, nil, changes, p.Now(), p.Proxies)
	}
	ctx := r.Context()
	switch {
	case scope.AccountID == "":
		ctx = store.WithPersonalAudit(ctx, func() sett.AuditEntry {
			e := entry(sett.MaskedFields(nil))
			e.User = sett.Person{} // whose own it is
			return e
		})
	case route.Method != http.MethodGet:
		ctx = store.WithAudit(ctx, func() sett.AuditEntry { return entry(sett.MaskedFields(fieldsIn(asked.PostForm))) })
	}
	asked = r.WithContext(ctx)
	return asked
}

// fieldsIn returns the fields of a form by their names; one that was sent more than once is a list.
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
