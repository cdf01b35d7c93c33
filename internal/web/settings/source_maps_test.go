package settings_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"sett/internal/sett"
	"sett/internal/store/sourcemapdb"
)

const shopURL = "https://shop.example.test/assets/shop.js"

func (h *house) saveMap(revision, url string) int64 {
	h.t.Helper()
	text, err := os.ReadFile("../../ingest/unminify/testdata/shop.js.map")
	if err != nil {
		h.t.Fatal(err)
	}
	id, err := h.App.Store().SourceMaps.Save(h.t.Context(), h.Clock.Now(), sourcemapdb.Upload{ProjectID: h.Setup.ProjectID, Revision: revision, URL: url, Map: text, Sources: 4, Contained: 3, DebugID: map[bool]string{true: "d-1"}[revision == ""]})
	if err != nil {
		h.t.Fatal(err)
	}
	return id
}

func TestSourceMaps(t *testing.T) {
	t.Parallel()
	h := open(t)
	page := h.root + "/source-maps"
	h.member.Get(page).Want(200, "/docs/source-maps").CheckPage()
	id := h.saveMap("<1>", shopURL)
	h.saveMap("<1>", "~/other.js")
	h.saveMap("", "~/debug.js")
	h.admin.Get(page).Want(200, "3 source maps", "&lt;1&gt;", "none: found by debug ID", "?revision=%3C1%3E").CheckPage()
	h.member.Get(page).Want(200, "&lt;1&gt;").Lacks("/delete")
	revision := page + "/revision?revision=%3C1%3E"
	h.admin.Get(revision).Want(200, shopURL, "~/other.js", "4, 3 with content").CheckPage()
	h.member.Get(revision).Want(200, shopURL).Lacks("/delete")
	h.admin.Get(page + "/revision?revision=2").Want(404)
	h.admin.Get(revision + "&page=x").Want(422)

	h.member.Post(fmt.Sprintf("%s/%d/delete", page, id)).Want(403)
	h.member.Post(page+"/revision/delete", "revision", "").Want(403)
	h.admin.Post(fmt.Sprintf("%s/%d/delete", page, id)).Leads(page + "?done=source_map_deleted")
	h.admin.Get(revision).Want(200, "~/other.js").Lacks(shopURL)
	h.admin.Post(fmt.Sprintf("%s/%d/delete", page, id)).Want(404)
	h.admin.Post(page+"/revision/delete", "revision", "<1>").Leads(page + "?done=source_maps_deleted")
	h.admin.Post(page+"/revision/delete", "revision", "<1>").Want(404)
	h.admin.Get(page).Want(200, "1 source map,").Lacks("&lt;1&gt;")
	for action, says := range map[string]string{"dropSourceMap": "", "dropSourceMapRevision": `"revision"`} {
		if entries := h.audited(action); len(entries) != 1 || !strings.Contains(string(entries[0].Changes), says) {
			t.Errorf("audit log of %s: %+v", action, entries)
		}
	}
	found, _, err := h.App.Store().SourceMaps.List(t.Context(), h.Setup.ProjectID, sett.Optional[string]{}, sett.Page{Size: 10})
	if err != nil || len(found) != 1 {
		t.Errorf("%d maps are left, %v", len(found), err)
	}
}

func TestURLTester(t *testing.T) {
	t.Parallel()
	h := open(t)
	test := func(query string, says ...string) {
		t.Helper()
		h.member.Get(h.root+"/source-maps?"+query).Want(200, says...).CheckPage()
	}
	test("url=https://a.test/x.js", "No source maps are uploaded for this project.")
	h.saveMap("1", shopURL)
	h.saveMap("", "~/debug.js")
	h.Clock.Push(6e9) // another process uploaded: the page sees it within seconds
	test("url="+shopURL+"&revision=1", "of the revision", "applies", ">1</a>")
	test("url="+shopURL+"&revision=1&position=1:184", "src/cart.js:4:11", "the cart is empty", `class="at"`)
	test("url="+shopURL+"&revision=1&position=9:1", "nothing at line 9, column 1")
	test("url=https://b.test/shop.js&revision=1", "has the URL https://b.test/shop.js", "The most similar one is "+shopURL)
	test("url="+shopURL, "has no revision", "master")
	test("url=https://b.test/y.js&debug_id=D-1&position=1:184", "~/debug.js", "src/cart.js:4:11", "none: found by debug ID")
	test("url=/styles.css", "Source maps apply to JavaScript")
	for query, says := range map[string]string{"url=": "URL is missing", "url=a.js&position=7": "Line and column must be", "url=a.js&position=0:1": "must be two numbers", "url=" + strings.Repeat("x", 3000): "URL is too long"} {
		h.member.Get(h.root+"/source-maps?"+query).Want(422, says).CheckPage()
	}
}
