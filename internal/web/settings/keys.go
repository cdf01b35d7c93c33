package settings

import (
	"net/http"
	"strconv"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/web"
)

// keyPage shows the API keys of a project.
type keyPage struct {
	page
	Key       string // the key that is shown first
	Keys      []keyRow
	Graces    []web.Choice
	Scopes    []accounts.KeyScope
	ReportURL string
}

// keyRow is one key of the project.
type keyRow struct {
	accounts.ProjectKey
	Number int  // on the page
	Last   bool // the last full key: it can be neither revoked nor restricted
}

// OtherScope returns the scope to which the key can be changed.
func (k keyRow) OtherScope() accounts.KeyScope {
	if k.Scope == accounts.ScopeAll {
		return accounts.ScopeNotices
	}
	return accounts.ScopeAll
}

func (p *pages) keysPage(w http.ResponseWriter, r *http.Request) error {
	shown, err := p.newKeyPage(r)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "settings_keys", shown)
}

func (p *pages) newKeyPage(r *http.Request) (*keyPage, error) {
	keys, err := p.Accounts.ProjectKeys(r.Context(), web.Project(r))
	if err != nil {
		return nil, err
	}
	shown := &keyPage{page: p.newPage(r, "API keys", "keys"), ReportURL: p.ReportURL, Scopes: accounts.KeyScopes()}
	shown.Secret = true
	whole := 0
	for _, k := range keys {
		if k.Whole() {
			whole++
		}
	}
	for i, k := range keys {
		shown.Keys = append(shown.Keys, keyRow{k, i + 1, k.Whole() && whole == 1})
	}
	if len(keys) > 0 {
		shown.Key = keys[0].Key
	}
	for _, grace := range accounts.KeyGraces() {
		label := "in " + web.Span(grace)
		if grace == 0 {
			label = "immediately"
		}
		shown.Graces = append(shown.Graces, web.Choice{Value: strconv.Itoa(int(grace / time.Hour)), Label: label})
	}
	return shown, nil
}

func (p *pages) addKey(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	scope, err := accounts.ParseKeyScope(form.Get("scope"))
	var key accounts.ProjectKey
	if err == nil {
		key, err = accounts.ProjectKeyChange{Label: sett.Some(form.Get("label"))}.Apply(accounts.ProjectKey{Scope: scope})
	}
	if err == nil {
		_, err = p.Accounts.AddProjectKey(r.Context(), p.Now(), web.Project(r), key.Scope, key.Label)
	}
	if err != nil {
		return p.keysAgain(w, r, err)
	}
	return p.Done(w, to(r, "/keys"), "key_made")
}

func (p *pages) setKeyScope(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	scope, err := accounts.ParseKeyScope(form.Get("scope"))
	if err == nil {
		change := accounts.ProjectKeyChange{Scope: sett.Some(string(scope))}
		err = p.Accounts.ChangeProjectKey(r.Context(), web.Project(r), form.Get("key"), change)
	}
	if err != nil {
		return p.keysAgain(w, r, err)
	}
	p.Keys.Forget()
	return p.Done(w, to(r, "/keys"), "key_scoped")
}

func (p *pages) revokeKey(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	grace, err := graceIn(form.Get("hours"))
	if err == nil {
		err = p.Accounts.RevokeProjectKey(r.Context(), p.Now(), web.Project(r), form.Get("key"), grace)
	}
	if err != nil {
		return p.keysAgain(w, r, err)
	}
	p.Keys.Forget()
	if grace > 0 {
		return p.Done(w, to(r, "/keys"), "key_ends")
	}
	return p.Done(w, to(r, "/keys"), "key_revoked")
}

func (p *pages) keysAgain(w http.ResponseWriter, r *http.Request, err error) error {
	shown, broken := p.newKeyPage(r)
	if broken != nil {
		return broken
	}
	return p.Again(w, r, err, "settings_keys", shown)
}

// graceIn parses for how many hours a key still works: one of the options of the page.
func graceIn(text string) (time.Duration, error) {
	for _, grace := range accounts.KeyGraces() {
		if text == strconv.Itoa(int(grace/time.Hour)) {
			return grace, nil
		}
	}
	return 0, sett.Errorf(sett.Invalid, "Choose when the key stops working.")
}
