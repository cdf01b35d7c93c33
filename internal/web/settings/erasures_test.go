package settings_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestErasures(t *testing.T) {
	t.Parallel()
	h := open(t)
	for _, class := range []string{"A", "A", "B"} {
		h.Do("POST", "/v1/notices", `{"error":{"class":"`+class+`"},"request":{"context":{"user_id":"<7>"}}}`).Want(http.StatusCreated)
	}
	page := h.root + "/erasures"
	h.member.Get(page).Want(403)
	h.member.Post(page+"/preview", "user", "<7>").Want(403)
	h.member.Post(page, "user", "<7>").Want(403)
	h.admin.Get(page).Want(200, "No user was erased").CheckPage()
	h.admin.Post(page+"/preview", "user", " ").Want(422, "User can&#39;t be blank.").CheckPage()
	h.admin.Post(page, "user", strings.Repeat("x", 300)).Want(422, "User may be at most 256 bytes long.").CheckPage()
	h.admin.Post(page+"/preview", "user", "absent").Want(200, "No events found.").CheckPage()
	h.admin.Post(page+"/preview", "user", "<7>").Want(200, "3 events in 2 errors", `value="&lt;7&gt;"`, "Erase user").CheckPage()
	if entries := h.audited("previewErasure"); len(entries) != 0 {
		t.Errorf("a preview is in the audit log: %+v", entries)
	}
	h.admin.Post(page, "user", "<7>").Leads(page + "?done=user_erased")
	h.admin.Get(page+"?done=user_erased").Want(200, "User erased.", "&lt;…", "admin@example.test").Lacks("&lt;7").CheckPage()
	h.admin.Post(page+"/preview", "user", "<7>").Want(200, "No events found.")
	if entries := h.audited("eraseUser"); len(entries) != 1 || string(entries[0].Changes) != `{"erasure":{"user":"\u003c…"}}` {
		t.Errorf("audit log: %+v", entries)
	}
}
