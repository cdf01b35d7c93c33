package ingest

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/searchdb"
	"sett/internal/store/sourcemapdb"
)

const shopURL = "https://shop.example.test/assets/shop.js"

// shopMap is the map of the bundle of package unminify, whose names change with each build as the bundle has them.
func shopMap(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("unminify/testdata/shop.js.map")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (o *office) saveMap(t testing.TB, u sourcemapdb.Upload) int64 {
	t.Helper()
	u.ProjectID, u.Map = o.setup.ProjectID, shopMap(t)
	id, err := o.store.SourceMaps.Save(t.Context(), o.now, u)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// shopError is an error of the bundle; frames are methods and columns.
func shopError(revision, url string, frames ...string) string {
	var trace []string
	for _, f := range frames {
		method, column, _ := strings.Cut(f, ":")
		trace = append(trace, fmt.Sprintf(`{"file":%q,"method":%q,"number":"1","column":%s}`, url, method, column))
	}
	return fmt.Sprintf(`{"error":{"class":"RangeError","message":"the cart is empty","backtrace":[%s]},"server":{"revision":%q}}`, strings.Join(trace, ","), revision)
}

// groups returns where the faults of the project come from, the newest first.
func (o *office) groups(t testing.TB) (places []string) {
	t.Helper()
	found, _, err := o.store.Search.ListFaults(t.Context(), o.now, o.setup.ProjectID, searchdb.Filter{}, searchdb.Page{Page: sett.Page{Size: 100}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		n, err := o.store.Faults.NewestNotice(t.Context(), f.ProjectID, f.ID)
		if err != nil || n == nil {
			t.Fatal(n, err)
		}
		parts, err := o.store.Faults.ListParts(t.Context(), f.ProjectID, f.ID)
		var g faults.Grouping
		if err != nil || len(parts) != 1 || json.Unmarshal([]byte(parts[0].Grouping), &g) != nil {
			t.Fatal(parts, err)
		}
		places = append(places, fmt.Sprintf("%s:%s %s, sent as %s", g.File, g.Line, g.Method, n.Backtrace[0].Method))
	}
	return places
}

// TestProjectsWithoutMapsPayNothing: their frames are not even kept.
func TestProjectsWithoutMapsPayNothing(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	for want := range 2 {
		p, err := o.keys.Project(t.Context(), o.setup.APIKey)
		if err != nil || p.SourceMaps != (want == 1) || (new(Ingest).unminifier(p) != nil) != (want == 1) {
			t.Errorf("%d maps: %+v, %v", want, p, err)
		}
		o.saveMap(t, sourcemapdb.Upload{Revision: "1", URL: shopURL})
		o.push(6 * time.Second)
	}
}

func TestOriginalFramesGroup(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	report := func(body string) {
		t.Helper()
		if w := o.post(t, "/v1/notices/js", strings.NewReader(body), nil); w.Code != 201 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	report(shopError("1", shopURL, "i:184", "f:298")) // before there is a map
	o.saveMap(t, sourcemapdb.Upload{Revision: "1", URL: shopURL})
	o.saveMap(t, sourcemapdb.Upload{Revision: "2", URL: "~/assets/shop-2.js"})
	o.push(6 * time.Second) // another node uploaded: within seconds it is used
	report(shopError("1", shopURL, "i:184", "f:298"))
	report(shopError("2", "https://eu.example.test/assets/shop-2.js", "q:184", "z:298"))
	report(shopError("2", "https://eu.example.test/assets/shop-2.js", "t:125", "p:351")) // first a frame of a library
	report(shopError("3", shopURL, "i:184"))                                             // of which there is no map
	for want, got := range map[string]bool{"src/cart.js:4 , sent as q": true, "src/checkout.js:10 , sent as t": true} {
		if strings.Contains(strings.Join(o.groups(t), "\n"), want) != got {
			t.Errorf("the groups lack %s: %q", want, o.groups(t))
		}
	}
	if got := o.groups(t); len(got) != 3 {
		t.Errorf("%d groups, want 3: %q", len(got), got)
	}
}
