package settings_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// fail reports an error that a function of a file ran into, which called lib/db.rb.
func (h *house) fail(file, method, line string) {
	h.t.Helper()
	h.Do("POST", "/v1/notices", fmt.Sprintf(`{"error":{"class":"Broken","message":"no","backtrace":[
		{"file":"[PROJECT_ROOT]/lib/db.rb","method":"query","number":"7"},{"file":"[PROJECT_ROOT]/app/%s","method":"%s","number":"%s"}]},"server":{"revision":"r1"}}`, file, method, line)).Want(http.StatusCreated)
}

// errors returns how many errors the project shows.
func (h *house) errors() int {
	h.t.Helper()
	page := h.admin.Get(fmt.Sprintf("/projects/%d/faults", h.Setup.ProjectID)).Want(200)
	found := map[string]bool{}
	for _, m := range regexp.MustCompile(`/faults/(\d+)[?"]`).FindAllStringSubmatch(page.Body, -1) {
		found[m[1]] = true
	}
	return len(found)
}

func TestGroupingRules(t *testing.T) {
	t.Parallel()
	h := open(t)
	page := h.root + "/grouping"
	h.member.Get(page).Want(403)
	h.member.Post(page, "rules", "").Want(403)
	h.member.Post(page+"/undo", "version", "1").Want(403)
	h.admin.Get(page).Want(200, "The project has no rules of its own yet.").CheckPage()
	h.admin.Post(page+"/preview", "rules", "library: lib/*").Want(200, "The project has no events yet.").CheckPage()

	h.fail("cart.rb", "pay", "3")
	h.fail("cart.rb", "pay", "3")
	h.fail("user.rb", "show", "9")
	if n := h.errors(); n != 1 {
		t.Fatalf("%d errors, want one", n)
	}
	h.admin.Post(page+"/preview", "rules", "app: src/*\nvendor/*").Want(422, "has an error in line 2: the colon is missing.", "app: src/*\nvendor/*").CheckPage()
	h.admin.Post(page, "rules", "librari: x").Want(422, "has an error in line 1", "is no kind of rule").CheckPage()
	h.admin.Post(page+"/preview", "rules", "app: lib/*").Want(200, "Nothing would change.").CheckPage()
	preview := h.admin.Post(page+"/preview", "rules", "library: lib/*").Want(200, "Tried on the newest 3 events", "Errors that become several", "2 events stay", "app/cart.rb:3 in pay", "1 event becomes a new error", "app/user.rb:9 in show").Lacks("Errors that become one")
	preview.CheckPage()
	if entries := h.audited("previewGroupingRules"); len(entries) != 0 {
		t.Errorf("a preview is in the audit log: %+v", entries)
	}

	// To part.
	h.admin.Post(page, "rules", "library: lib/*\r\n", "seen", "").Leads(page + "?done=regrouped")
	h.admin.Get(page).Want(200, "library: lib/*", "1 rule").CheckPage()
	h.fail("user.rb", "show", "9")
	h.fail("cart.rb", "pay", "3")
	if n := h.errors(); n != 2 {
		t.Fatalf("%d errors after the rules part them, want two", n)
	}
	h.admin.Post(page, "rules", "app: x", "seen", "").Want(409, "Another user has just changed the rules.")

	// To join again, with the past.
	h.admin.Post(page+"/preview", "rules", "app: lib/*", "seen", "library: lib/*").Want(200, "Errors that become one", "Save, and merge 1 error").CheckPage()
	h.admin.Post(page, "rules", "app: lib/*", "seen", "library: lib/*", "apply", "past").Leads(page + "?done=regrouped")
	if n := h.errors(); n != 1 {
		t.Fatalf("%d errors after they were merged, want one", n)
	}
	h.fail("user.rb", "show", "9")
	if n := h.errors(); n != 1 {
		t.Fatalf("%d errors after an event of those that were merged, want one", n)
	}

	// And back.
	shown := h.admin.Get(page).Want(200, "1 error", "Undo")
	version := regexp.MustCompile(`name="version" value="(\d+)"`).FindStringSubmatch(shown.Body)
	h.admin.Post(page+"/undo", "version", "0").Want(409, "The rules have been changed again since.")
	h.admin.Post(page+"/undo", "version", version[1]).Leads(page + "?done=regrouped_back")
	h.admin.Get(page).Want(200, `library: lib/*</textarea>`).CheckPage()
	if n := h.errors(); n != 2 {
		t.Fatalf("%d errors after it was undone, want two", n)
	}
	h.fail("user.rb", "show", "9")
	h.fail("cart.rb", "pay", "3")
	if n := h.errors(); n != 2 {
		t.Fatalf("%d errors later, want two", n)
	}
	if entries := h.audited("saveGroupingRules"); len(entries) != 2 || !strings.Contains(string(entries[0].Changes), "lib/*") {
		t.Errorf("audit log: %+v", entries)
	}
}
