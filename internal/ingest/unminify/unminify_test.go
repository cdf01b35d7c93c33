package unminify

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/event/payload"
	"sett/internal/event/sourcemap"
	"sett/internal/store"
	"sett/internal/store/sourcemapdb"
	"sett/internal/store/storetest"
)

const shopURL = "https://shop.example.test/assets/shop.js"

func shopMap(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/shop.js.map")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// shopStack is what a browser reports of the error of the bundle in testdata.
var shopStack = []Frame{
	{shopURL, "i", 1, 184},
	{shopURL, "f", 1, 298},
	{shopURL, "", 1, 357},
	{shopURL, "e", 1, 125},
	{shopURL, "p", 1, 351},
	{shopURL, "globalThis.startShop", 1, 443},
	{"node:internal/modules/esm/module_job", "ModuleJob.run", 325, 25},
}

type desk struct {
	*storetest.Desk
	maps *Maps
	now  time.Time
}

func newDesk(t *testing.T, s *store.Store) *desk {
	d := &desk{Desk: storetest.NewDesk(t, s), now: storetest.Noon}
	d.maps = New(s.SourceMaps, func() time.Time { return d.now })
	t.Cleanup(d.maps.Close)
	return d
}

func engines(t *testing.T, f func(t *testing.T, d *desk)) {
	t.Helper()
	storetest.Engines(t, func(t *testing.T, s *store.Store) { f(t, newDesk(t, s)) })
}

func (d *desk) save(u sourcemapdb.Upload) int64 {
	d.T.Helper()
	u.ProjectID = d.ProjectID
	id, err := d.SourceMaps.Save(d.T.Context(), d.now, u)
	if err != nil {
		d.T.Fatal(err)
	}
	d.maps.Forget()
	return id
}

func (d *desk) origins(b Build, frames ...Frame) []Origin {
	d.T.Helper()
	b.ProjectID = d.ProjectID
	origins, err := d.maps.Lookup(b).Origins(d.T.Context(), frames)
	if err != nil {
		d.T.Fatal(err)
	}
	return origins
}

func (o Origin) String() string {
	return fmt.Sprintf("%s %s:%d:%d %d", o.Method, o.File, o.Line, o.Column, o.Reason)
}

func texts(origins []Origin) (all []string) {
	for _, o := range origins {
		all = append(all, o.String())
	}
	return all
}

func TestOriginsOfABundle(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		d.save(sourcemapdb.Upload{Revision: "7", URL: shopURL, Map: shopMap(t)})
		origins := d.origins(Build{Revision: "7"}, shopStack...)
		want := []string{
			"totalOfCart src/cart.js:4:11 0",
			"payOrder src/checkout.js:5:18 0",
			" src/checkout.js:10:21 0",
			"emit node_modules/tiny-emitter/index.js:2:10 0",
			"openCheckout src/checkout.js:10:10 0",
			"globalThis.startShop src/index.js:4:10 0",
			fmt.Sprintf("ModuleJob.run node:internal/modules/esm/module_job:325:25 %d", NotMinified),
		}
		if diff := cmp.Diff(want, texts(origins)); diff != "" {
			t.Errorf("origins (-want +got):\n%s", diff)
		}
		lines := []sourcemap.Line{
			{Number: 1, Text: "/** Returns what the items of a cart cost. */"},
			{Number: 2, Text: "export function totalOfCart(cart) {"},
			{Number: 3, Text: "  if (!cart.items.length) {"},
			{Number: 4, Text: "    throw new RangeError('the cart is empty')"},
			{Number: 5, Text: "  }"},
			{Number: 6, Text: "  return cart.items.reduce((sum, item) => sum + item.price, 0)"},
			{Number: 7, Text: "}"},
			{Number: 8, Text: ""},
		}
		if diff := cmp.Diff(lines, origins[0].Source); diff != "" {
			t.Errorf("source (-want +got):\n%s", diff)
		}
		if !origins[3].Vendored() || origins[0].Vendored() || origins[0].Minified != shopStack[0] {
			t.Errorf("%+v", origins)
		}
	})
}

// TestBacktrace is the same for the frames of a notice, whose URLs may begin with the root of the project.
func TestBacktrace(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	d.save(sourcemapdb.Upload{Revision: "master", URL: "~/assets/shop.js", Map: shopMap(t)})
	n, err := payload.Read(payload.Body{JSON: []byte(`{"error":{"class":"RangeError","backtrace":[
		{"file":"[PROJECT_ROOT]/assets/shop.js","method":"i","number":"1","column":184},{"file":"[PROJECT_ROOT]/assets/shop.js","method":"f","number":"1","column":298},
		{"file":"[PROJECT_ROOT]/assets/shop.js","method":"e","number":"1","column":125},{"file":"app.rb","method":"x","number":3}]},
		"server":{"project_root":"https://shop.example.test/"}}`)}, "")
	if err != nil {
		t.Fatal(err)
	}
	frames, origins, err := d.maps.Lookup(BuildOf(d.ProjectID, n)).Backtrace(t.Context(), n.Backtrace, 3)
	if err != nil || len(frames) != 4 || len(origins) != 3 {
		t.Fatalf("%d frames, %d origins, %v", len(frames), len(origins), err)
	}
	var got []string
	for _, f := range frames {
		got = append(got, fmt.Sprintf("%s %s:%d %s %d", f.Method, f.File, *f.Number, f.Context, len(f.Source)))
	}
	want := []string{"totalOfCart src/cart.js:4 app 8", "f src/checkout.js:5 app 10", "e node_modules/tiny-emitter/index.js:2 all 4", "x app.rb:3 all 0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
	if n.Backtrace[0].Method != "i" || n.Backtrace[0].File != "[PROJECT_ROOT]/assets/shop.js" {
		t.Errorf("the frames of the event have changed: %+v", n.Backtrace[0])
	}
}

// TestDebugIDs finds a map by the debug ID of a file, whatever its URL and revision are.
func TestDebugIDs(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	d.save(sourcemapdb.Upload{DebugID: "632254e2-b2c3-5981-b81f-29b495680eae", URL: "~/x.js", Map: shopMap(t)})
	n, err := payload.Read(payload.Body{JSON: []byte(`{"error":{},"details":{"debug_meta":{"images":[5,{"code_file":7},{"code_file":"http://localhost:18933/INJ.js","debug_id":"no"},
		{"code_file":"http://localhost:18933/inj.js?v=1","debug_id":"632254E2-B2C3-5981-B81F-29B495680EAE","type":"sourcemap"}]}}}`)}, "")
	if err != nil {
		t.Fatal(err)
	}
	b := BuildOf(d.ProjectID, n)
	if diff := cmp.Diff(map[string]string{"http://localhost:18933/inj.js": "632254e2-b2c3-5981-b81f-29b495680eae"}, b.DebugIDs); diff != "" {
		t.Errorf("debug IDs (-want +got):\n%s", diff)
	}
	if got := d.origins(b, Frame{"http://localhost:18933/inj.js", "i", 1, 184})[0].String(); got != "i src/cart.js:4:11 0" {
		t.Errorf("found %s", got)
	}
}

func TestReasons(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		at := Frame{shopURL, "i", 1, 184}
		want := func(b Build, f Frame, reason Reason, says ...string) {
			t.Helper()
			o := d.origins(b, f)[0]
			if o.Reason != reason {
				t.Errorf("%+v %+v: reason %d, want %d", b, f, o.Reason, reason)
			}
			for _, part := range says {
				if !strings.Contains(o.Why(), part) {
					t.Errorf("%q lacks %q", o.Why(), part)
				}
			}
			if !o.Mapped() && o.Frame != f {
				t.Errorf("without an origin, the frame is %+v", o.Frame)
			}
		}
		want(Build{Revision: "1"}, at, NoMaps, "No source maps")
		d.save(sourcemapdb.Upload{Revision: "1", URL: "https://cdn.example.test/v1/shop.js", Map: shopMap(t)})
		want(Build{Revision: "1"}, at, OtherURL, "the revision 1", shopURL, "https://cdn.example.test/v1/shop.js")
		want(Build{Revision: "2"}, at, NoUpload, "for the revision 2")
		want(Build{}, at, NoUpload, "has no revision", "master")
		want(Build{Revision: "1"}, Frame{"app/models/cart.rb", "total", 3, 7}, NotMinified)
		want(Build{Revision: "1"}, Frame{"https://shop.example.test/assets/shop.js", "total", 0, 7}, NotMinified)
		want(Build{Revision: "1"}, Frame{"/srv/shop.js", "total", 3, 0}, NoColumn, "no column")
		d.save(sourcemapdb.Upload{Revision: "2", URL: shopURL, Map: shopMap(t)})
		want(Build{Revision: "2"}, Frame{shopURL, "i", 3, 5}, NoMapping, "line 3, column 5")
		want(Build{Revision: "2"}, Frame{shopURL, "i", 1, 1}, NoMapping, "line 1, column 1")
		want(Build{Revision: "2"}, at, Found)
		d.save(sourcemapdb.Upload{Revision: "3", URL: shopURL, Map: []byte(`{"version":3,"sources":["../src/a.js",null],"mappings":"AAAA,KCAA"}`), Files: []sourcemapdb.File{{URL: "https://shop.example.test/src/b.js"}}})
		want(Build{Revision: "3"}, Frame{shopURL, "i", 1, 3}, NoSource, "sourcesContent")
		want(Build{Revision: "3"}, Frame{shopURL, "i", 1, 7}, NoMapping)
		d.save(sourcemapdb.Upload{Revision: "4", URL: shopURL, Map: []byte(`{"version":3`)})
		want(Build{Revision: "4"}, at, Damaged, "damaged")
		d.save(sourcemapdb.Upload{Revision: "5", URL: shopURL, Map: []byte(`{"version":3,"sources":["../src/a.js"],"mappings":"AAAA"}`), Files: []sourcemapdb.File{{URL: "https://shop.example.test/src/a.js", Content: []byte("one\ntwo")}}})
		o := d.origins(Build{Revision: "5"}, Frame{shopURL, "i", 1, 1})[0]
		if diff := cmp.Diff([]sourcemap.Line{{Number: 1, Text: "one"}, {Number: 2, Text: "two"}}, o.Source); diff != "" || o.Reason != Found {
			t.Errorf("of a file beside the map (-want +got), reason %d:\n%s", o.Reason, diff)
		}
	})
}

// TestTooManyFiles looks for maps of a bounded number of files.
func TestTooManyFiles(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	d.save(sourcemapdb.Upload{Revision: "1", URL: "*", Map: shopMap(t)})
	var frames []Frame
	for i := range mostFiles + 2 {
		frames = append(frames, Frame{fmt.Sprintf("https://a.test/%d.js", i), "i", 1, 184})
	}
	origins := d.origins(Build{Revision: "1"}, frames...)
	if origins[mostFiles-1].Reason != Found || origins[mostFiles].Reason != TooMany || !strings.Contains(origins[mostFiles].Why(), "50 files") {
		t.Errorf("%d, then %d", origins[mostFiles-1].Reason, origins[mostFiles].Reason)
	}
}

// TestOfFilesOnlySoMuchIsRead has each of many frames come from another line of a large file.
func TestOfFilesOnlySoMuchIsRead(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	text := `{"version":3,"sources":["a.js"],"sourcesContent":["` + strings.Repeat(`\n`, mostRead/8) + `"],"mappings":"AAAA"}`
	d.save(sourcemapdb.Upload{Revision: "1", URL: shopURL, Map: []byte(text)})
	origins := d.origins(Build{Revision: "1"}, slices.Repeat([]Frame{{shopURL, "i", 1, 1}}, 20)...)
	if origins[7].Reason != Found || origins[8].Reason != NoSource || !origins[19].Mapped() {
		t.Errorf("%v", texts(origins))
	}
}

func TestDeclares(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"function total(cart) {\n  total(x)": true, "export default async function* total (": true, "const total = (a) => a": true, "  total: function (a) {": true,
		"  async total(cart) {": true, "class total {": true, "": false, "total(cart)": false, "subtotal = () => 1": false, "total == x => y": false,
		"const total = 5": false, strings.Repeat("total ", mostUsesOfName+1): false, "function total() {" + strings.Repeat("\ntotal", mostUsesOfName-1): true,
	} {
		if declares(text, "total") != want {
			t.Errorf("%.60q declares a function: %t", text, !want)
		}
	}
	if declares("function () {", "") {
		t.Error("a function without a name has one")
	}
}

func TestPathOf(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"../../src/cart.js": "src/cart.js", `..\..\src\cart.js`: "src/cart.js", `.\src\a\..\b.js`: "src/b.js", `C:\build\src\a.js`: "C:/build/src/a.js", "/src/../../a.js": "/a.js", `webpack://shop/.\src\a.js?3f2a`: "src/a.js", "./a.js": "a.js", "src/a/../b.js": "src/b.js", "webpack:///./src/cart.js": "src/cart.js",
		"webpack://shop/./src/App.vue?3f2a": "src/App.vue", "webpack://@acme/shop/./src/a.js": "src/a.js", "webpack://shop/webpack/bootstrap": "webpack/bootstrap",
		"https://cdn.test/src/a.js": "src/a.js", "file:///home/ci/a.js": "/home/ci/a.js", "/home/ci/a.js": "/home/ci/a.js", "": "", "webpack://": "", "..": "..",
	} {
		if got := PathOf(source); got != want {
			t.Errorf("%q is %q, want %q", source, got, want)
		}
	}
}

// Sources that a map lists as not the application's are a library's, under either name of the list, and back-slashes are no part of a name.
func TestIgnoredSources(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		``: "app app", `,"ignoreList":[0]`: "all app", `,"x_google_ignoreList":[1]`: "app all", `,"ignoreList":[0,1,7]`: "all all", `,"ignoreList":null`: "app app", `,"ignoreList":[-1,"0",null]`: "app app",
	} {
		m, err := sourcemap.Parse([]byte(`{"version":3,"sources":["..\\src\\a.js","C:\\shop\\b.js"],"sourceRoot":"out","sourcesContent":["a","b"],"mappings":"AAAA,UCAA"`+list+`}`), sourcemap.Limits{Bytes: 1 << 16, Segments: 10, Sources: 10, Names: 10, Sections: 10, Depth: 2})
		if err != nil {
			t.Fatalf("%s: %v", list, err)
		}
		maps := New(nil, time.Now)
		d := &decoded{m: m, done: make(chan struct{})}
		close(d.done)
		maps.loaded[fileKey{}] = d
		l := maps.Lookup(Build{Root: "https://a.test"})
		l.files["https://a.test/a.js"] = &minified{}
		origins, err := l.Origins(t.Context(), []Frame{{"https://a.test/a.js", "x", 1, 1}, {"https://a.test/a.js", "y", 1, 11}})
		if err != nil || len(origins) != 2 {
			t.Fatal(origins, err)
		}
		if got := origins[0].Context() + " " + origins[1].Context(); got != want || origins[0].File != "src/a.js" || origins[1].File != "C:/shop/b.js" {
			t.Errorf("%s: %s, want %s; of %s and %s", list, got, want, origins[0].File, origins[1].File)
		}
	}
}

// FuzzOrigins has frames of strangers looked up in maps of strangers.
func FuzzOrigins(f *testing.F) {
	f.Add(shopMap(f), shopURL, "i", 1, 184)
	f.Add([]byte(`{"version":3,"sources":["../../a.js?x"],"mappings":"AAAA"}`), "[PROJECT_ROOT]a.js", "a.b c", 1, 1)
	f.Fuzz(func(t *testing.T, text []byte, file, method string, line, column int) {
		m, err := sourcemap.Parse(text, sourcemap.Limits{Bytes: 1 << 16, Segments: 1000, Sources: 100, Names: 100, Sections: 10, Depth: 2})
		if err != nil {
			return
		}
		maps := New(nil, time.Now)
		d := &decoded{m: m, done: make(chan struct{})}
		close(d.done)
		maps.loaded[fileKey{}] = d
		l := maps.Lookup(Build{Root: "https://a.test"})
		l.files[l.build.urlOf(file)] = &minified{}
		names, _ := m.Sources()
		for _, name := range names {
			l.texts[textKey{"", name}] = ""
		}
		origins, err := l.Origins(t.Context(), []Frame{{file, method, line, column}, {file, method, line, column}})
		if err != nil || len(origins) != 2 {
			t.Fatal(len(origins), err)
		}
		for _, o := range origins {
			if o.Mapped() && (o.File == "" || o.Line < 1 || o.Column < 1) {
				t.Errorf("%+v", o)
			}
			if o.Reason != Found && o.Reason != NotMinified && o.Why() == "" {
				t.Errorf("no explanation of %d", o.Reason)
			}
		}
	})
}
