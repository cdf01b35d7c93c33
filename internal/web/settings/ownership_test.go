package settings_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestOwnership(t *testing.T) {
	t.Parallel()
	h := open(t)
	page := h.root + "/ownership" // where the forms are sent
	h.member.Post(page, "rules", "* @a").Want(403)
	h.admin.Get(h.root+"/access").Want(200, "Ownership").CheckPage()
	h.admin.Post(page+"/preview", "rules", "* @a").Want(200, "The project has no events yet.", "@a").CheckPage()

	h.Do("POST", "/v1/notices", `{"error":{"class":"<A>","backtrace":[{"file":"app/<b>.rb","number":"1","method":"m"}]}}`).Want(http.StatusCreated)
	h.admin.Post(page+"/preview", "rules", "# all\r\n* @backend gone@example.test\r\n").Want(200, "&lt;A&gt;", "app/&lt;b&gt;.rb", "@backend, gone@example.test", "line 2", "Unknown owners are ignored").CheckPage()
	h.admin.Post(page+"/preview", "rules", "/lib/ @backend").Want(200, "none").CheckPage()
	h.admin.Post(page+"/preview", "rules", "/lib/ backend").Want(422, "line 1", "neither an email address nor a team").CheckPage()
	if entries := h.audited("previewOwnership"); len(entries) != 0 {
		t.Errorf("a preview is in the audit log: %+v", entries)
	}
	h.admin.Post(page, "rules", "!app @a").Want(422, "negates").CheckPage()
	h.admin.Post(page, "rules", "* @backend", "notify_only_owners", "true").Leads(h.root + "/access?done=saved")
	h.admin.Get(h.root+"/access").Want(200, "* @backend").CheckPage()
	if entries := h.audited("saveOwnership"); len(entries) != 1 || !strings.Contains(string(entries[0].Changes), "@backend") {
		t.Errorf("audit log: %+v", entries)
	}
	h.Do("GET", fmt.Sprintf("/v2/projects/%d/ownership", h.Setup.ProjectID), "").Want(http.StatusOK)
}
