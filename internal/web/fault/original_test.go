package fault_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"sett/internal/store/sourcemapdb"
)

const shopURL = "https://shop.example.test/assets/shop.js"

func minified(revision, url string) string {
	frame := func(method string, column int) string {
		return fmt.Sprintf(`{"file":%q,"method":%q,"number":"1","column":%d}`, url, method, column)
	}
	return fmt.Sprintf(`{"error":{"class":"RangeError","message":"the cart is empty","backtrace":[%s,%s,%s],"causes":[{"class":"Cause","backtrace":[%s]}]},"server":{"revision":%q}}`,
		frame("i", 184), frame("f", 298), frame("e", 125), frame("f", 298), revision)
}

func (o *shop) saveMap(revision, url string) {
	o.t.Helper()
	text, err := os.ReadFile("../../ingest/unminify/testdata/shop.js.map")
	if err == nil {
		_, err = o.App.Store().SourceMaps.Save(o.t.Context(), o.Clock.Now(), sourcemapdb.Upload{ProjectID: o.Setup.ProjectID, Revision: revision, URL: url, Map: text})
	}
	if err != nil {
		o.t.Fatal(err)
	}
	o.Clock.Push(6e9) // findings of before are not believed for longer
}

func TestOriginalCode(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.Do("PUT", fmt.Sprintf("/v2/projects/%d", o.Setup.ProjectID), `{"project":{"source_url":"https://git.example.test/blob/[sha]/[file]#L[line]"}}`).Want(204)
	f := o.report(minified("1", shopURL))
	o.member.Get(o.path(f)).Want(200, "Is this code minified?", "/settings/source-maps", shopURL+":1").CheckPage()
	o.saveMap("2", shopURL)
	o.member.Get(o.path(f)).Want(200, "No source map is uploaded for the revision 1.", "position=1%3A184").Lacks("Is this code minified?").CheckPage()
	o.saveMap("1", "https://cdn.example.test/shop.js")
	o.member.Get(o.path(f)).Want(200, "has the URL "+shopURL, "The most similar one is https://cdn.example.test/shop.js").CheckPage()

	o.saveMap("1", shopURL)
	page := o.member.Get(o.path(f)).Want(200, "totalOfCart", "src/cart.js:4", "payOrder", "src/checkout.js:5", `<i class="hk">throw</i> <i class="hk">new</i> RangeError(`, shopURL+":1:184 in i",
		"https://git.example.test/blob/1/src/cart.js#L4")
	page.Lacks("tiny-emitter/index.js").CheckPage()
	o.member.Get(o.path(f)+"?trace=all").Want(200, "node_modules/tiny-emitter/index.js:2", "callback()").CheckPage()
	o.member.Get(o.path(f)+"?trace=raw").Want(200, shopURL+":1 in i").Lacks("totalOfCart")
	o.member.Get(o.path(f)+".md").Want(200, "src/cart.js:4 in totalOfCart", "> 4      throw new RangeError(", "src/checkout.js:5 in f")
	o.member.Get(o.path(f)+".txt").Want(200, shopURL+":1 in i")

	newest := o.report(minified("1", shopURL)) // grouped by the original frame, so another error than before
	if newest.ID == f.ID || newest.NoticesCount < 1 {
		t.Errorf("error %d after %d", newest.ID, f.ID)
	}
	o.member.Get(o.path(newest)).Want(200, "Place: src/cart.js:4").CheckPage()
	o.member.Get(o.list()+"?q=file%3Asrc%2Fcart.js").Want(200, o.path(newest))
}

// TestPublicLinksShowNoOriginalCode: source maps contain the source of the whole program.
func TestPublicLinksShowNoOriginalCode(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.saveMap("1", shopURL)
	f := o.report(minified("1", shopURL))
	o.member.Get(o.path(f)).Want(200, "totalOfCart")
	_, link, _ := strings.Cut(o.member.Post(o.path(f)+"/share").Want(200).Body, `<code class="secret">`)
	link, _, _ = strings.Cut(link, "</code>")
	page := o.anonymous.Get(link[strings.Index(link, "/share/"):]).Want(200, "RangeError")
	for _, secret := range []string{"totalOfCart", "the original", "throw new"} {
		if strings.Contains(page.Body, secret) {
			t.Errorf("a public link shows %q", secret)
		}
	}
}
