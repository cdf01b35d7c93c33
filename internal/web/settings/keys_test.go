package settings_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
)

func TestKey(t *testing.T) {
	t.Parallel()
	h := open(t)
	page, first := h.root+"/keys", h.Setup.APIKey
	h.member.Get(page).Want(200, `id="key">`+first+"<", h.App.BaseURL())
	h.member.Post(page).Want(403)
	h.member.Post(page+"/revoke", "key", first, "hours", "0").Want(403)
	h.admin.Post(page+"/revoke", "key", first, "hours", "0").Want(409, "This is the last key of the project without an end and with full scope.").CheckPage()
	h.Clock.Push(time.Minute)
	h.admin.Post(page).Leads(page + "?done=key_made")
	keys, err := h.App.Store().Accounts.ProjectKeys(t.Context(), h.Setup.ProjectID)
	if err != nil || len(keys) != 2 || keys[1].Key != first || h.project().Token != keys[0].Key {
		t.Fatalf("keys are %+v, %v", keys, err)
	}
	h.admin.Get(page).Want(200, `id="key">`+keys[0].Key+"<", first).CheckPage()
	h.member.Get(page).Lacks("/keys/revoke").CheckPage()
	report := func(key string, status int) {
		t.Helper()
		h.Client.Key = key
		h.Client.Post("/v1/notices", `{"error":{"class":"Timeout"}}`).Want(status)
	}
	report(first, 201)
	report(keys[0].Key, 201)
	h.admin.Post(page+"/revoke", "key", first, "hours", "5").Want(422, "Choose when the key stops working").CheckPage()
	h.admin.Post(page+"/revoke", "key", "unknown", "hours", "0").Want(404)
	h.admin.Post(page+"/revoke", "key", first, "hours", "1").Leads(page + "?done=key_ends")
	report(first, 201)
	h.admin.Post(page+"/revoke", "key", keys[0].Key, "hours", "0").Want(409)
	if n, err := h.App.Store().Accounts.DropEndedKeys(t.Context(), h.Clock.Now().Add(59*time.Minute)); n != 0 || err != nil {
		t.Errorf("%d keys ended early, %v", n, err)
	}
	if n, err := h.App.Store().Accounts.DropEndedKeys(t.Context(), h.Clock.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("%d keys ended, %v", n, err)
	}
	h.Clock.Push(time.Minute) // what intake remembers of keys is over
	report(first, 403)
	report(keys[0].Key, 201)
	h.admin.Post(page).Leads(page + "?done=key_made")
	h.admin.Post(page+"/revoke", "key", keys[0].Key, "hours", "0").Leads(page + "?done=key_revoked")
	report(keys[0].Key, 403)
	entries, _, err := h.App.Store().Accounts.ListAudit(t.Context(), h.Setup.AccountID, accountdb.AuditFilter{Actions: []string{"revokeKey"}, Page: sett.Page{Size: 10}})
	if err != nil || len(entries) != 2 || strings.Contains(string(entries[0].Changes), keys[0].Key) {
		t.Errorf("the audit log has %+v, %v", entries, err)
	}
	for range accounts.MostProjectKeys - 1 {
		h.admin.Post(page).Leads(page + "?done=key_made")
	}
	h.admin.Post(page).Want(409, "A project may have 10 keys.").CheckPage()
}

func TestKeyScope(t *testing.T) {
	t.Parallel()
	h := open(t)
	page, first := h.root+"/keys", h.Setup.APIKey
	h.admin.Get(fmt.Sprintf("/projects/%d/setup?language=js", h.Setup.ProjectID)).Want(200, "Create an “errors only” key", first).CheckPage()
	h.admin.Post(page+"/scope", "key", first, "scope", "notices").Want(409, "This is the last key of the project without an end and with full scope.").CheckPage()
	h.admin.Post(page, "scope", "deploys").Want(422).CheckPage()
	h.Clock.Push(time.Minute)
	h.admin.Post(page, "scope", "notices", "label", strings.Repeat("x", 256)).Want(422, "label must have at most 255 characters").CheckPage()
	h.admin.Post(page, "scope", "notices", "label", " <b>Web ").Leads(page + "?done=key_made")
	h.admin.Get(page).Want(200, "&lt;b&gt;Web</span>").CheckPage()
	keys, err := h.App.Store().Accounts.ProjectKeys(t.Context(), h.Setup.ProjectID)
	if err != nil || len(keys) != 2 || keys[0].Key != first || keys[1].Scope != accounts.ScopeNotices || h.project().Token != first {
		t.Fatalf("keys are %+v, %v", keys, err)
	}
	narrow := keys[1].Key
	h.admin.Get(page).Want(200, `id="key">`+first+"<", narrow, "Errors only", "Allow everything").CheckPage()
	h.admin.Get(fmt.Sprintf("/projects/%d/setup?language=js", h.Setup.ProjectID)).Want(200, narrow, "The key above can only report errors.").CheckPage()
	h.admin.Post(page+"/revoke", "key", first, "hours", "0").Want(409)
	h.member.Post(page+"/scope", "key", narrow, "scope", "all").Want(403)
	h.admin.Post(page+"/scope", "key", "unknown", "scope", "all").Want(404)
	deploy := func(status int) {
		t.Helper()
		h.Client.Key = narrow
		h.Client.Post("/v1/deploys", `{"deploy":{"environment":"production"}}`).Want(status)
	}
	deploy(403)
	h.admin.Post(page+"/scope", "key", narrow, "scope", "all").Leads(page + "?done=key_scoped")
	deploy(201)
	h.admin.Post(page+"/scope", "key", first, "scope", "notices").Leads(page + "?done=key_scoped")
	if h.project().Token != narrow {
		t.Error("people are shown a key that may report errors only")
	}
	h.admin.Post(page+"/scope", "key", narrow, "scope", "notices").Want(409)
	deploy(201)
}
