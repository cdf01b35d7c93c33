package settings_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestScrubbing(t *testing.T) {
	t.Parallel()
	h := open(t)
	page := h.root + "/scrubbing"
	h.member.Get(page).Want(403)
	h.member.Post(page, "enabled", "true").Want(403)
	h.admin.Get(page).Want(200, "Nothing was removed").CheckPage()
	h.admin.Post(page+"/preview", "enabled", "true").Want(200, "The project has no events yet.").CheckPage()

	h.Do("POST", "/v1/notices", `{"error":{"class":"<A>","message":"CUST-1"},"request":{"params":{"password":"x","vat_id":"y","list":[{"vat_id":"z"}]}}}`).Want(http.StatusCreated)
	preview := h.admin.Post(page+"/preview", "enabled", "true", "defaults", "true", "names", "VAT-ID\n\n vat_id\n", "patterns", "CUST-[0-9]").Want(200,
		"&lt;A&gt;", "request.params.vat_id", "request.params.list.vat_id", "error.message", "name of a key", "pattern of the project", "VAT-ID").Lacks("request.params.password")
	preview.CheckPage()
	h.admin.Post(page+"/preview", "enabled", "true", "defaults", "true").Want(200, "Nothing else would be removed.").CheckPage()
	if entries := h.audited("previewScrubbing"); len(entries) != 0 {
		t.Errorf("a preview is in the audit log: %+v", entries)
	}

	h.Do("PUT", fmt.Sprintf("/v2/projects/%d", h.Setup.ProjectID), `{"project":{"user_search_field":"context.user_id"}}`).Want(http.StatusNoContent)
	h.admin.Post(page, "enabled", "true", "patterns", "(").Want(422, "not a regular expression", "missing closing").CheckPage()
	h.admin.Post(page, "enabled", "true", "names", "*").Want(422, "needs a letter or digit").CheckPage()
	h.admin.Post(page+"/preview", "patterns", "a*").Want(422, "matches the empty text").CheckPage()
	h.admin.Post(page, "enabled", "true", "defaults", "true", "names", "user_id\r\nvat_id", "keep", "csrf").Leads(page + "?done=saved")
	h.admin.Get(page).Want(200, "user_id\nvat_id", "csrf", "These rules remove context.user_id").CheckPage()
	if entries := h.audited("saveScrubbing"); len(entries) != 1 || !strings.Contains(string(entries[0].Changes), "vat_id") {
		t.Errorf("audit log: %+v", entries)
	}
}
