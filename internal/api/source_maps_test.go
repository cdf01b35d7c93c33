package api_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
	"sett/internal/store/sourcemapdb"
)

const bundleURL = "https://shop.example.test/assets/shop.js"

func saveMap(t *testing.T, s *setttest.Server, revision, url string) {
	t.Helper()
	text, err := os.ReadFile("../ingest/unminify/testdata/shop.js.map")
	if err == nil {
		_, err = s.App.Store().SourceMaps.Save(t.Context(), s.Clock.Now(), sourcemapdb.Upload{ProjectID: s.Setup.ProjectID, Revision: revision, URL: url, Map: text, Sources: 4, Contained: 4})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestSourceMaps(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		path := projectPath(s.Setup.ProjectID, "/source_maps")
		list := func(query string) (got serve.List[api.SourceMap]) {
			t.Helper()
			s.Do("GET", path+query, "").Want(http.StatusOK).Into(&got)
			return got
		}
		if got := list(""); len(got.Results) != 0 {
			t.Fatalf("at first: %+v", got)
		}
		for _, revision := range []string{"1", "2", "2", ""} {
			saveMap(t, s, revision, bundleURL)
		}
		saveMap(t, s, "2", "~/other.js")
		all := list("")
		first := all.Results[0]
		if len(all.Results) != 4 || first.URL != "~/other.js" || first.Revision != "2" || first.SourcesCount != 4 || first.ContainedCount != 4 || first.Bytes == 0 || first.DebugID != nil || first.CreatedAt.IsZero() {
			t.Errorf("%+v", all)
		}
		if got := list("?revision=2&limit=1"); len(got.Results) != 1 || got.Results[0].ID != first.ID || got.Links.Next == "" || got.Links.Prev != "" {
			t.Errorf("a page: %+v", got)
		}
		if got := list("?revision="); len(got.Results) != 1 || got.Results[0].Revision != "" {
			t.Errorf("without a revision: %+v", got)
		}
		member, _ := s.AddUser(t, "member@example.test", accounts.Member)
		member.Do("GET", path, "").Want(http.StatusNotFound)
		member.Do("DELETE", path+"?revision=2", "").Want(http.StatusNotFound)
		if text := s.Do("DELETE", path, "").Want(http.StatusUnprocessableEntity).Errors(); !strings.Contains(text, "revision is missing") {
			t.Errorf("without a revision: %s", text)
		}
		s.Do("DELETE", path+"/999", "").Want(http.StatusNotFound)
		s.Do("DELETE", path+"/"+fmt.Sprint(first.ID), "").Want(http.StatusNoContent)
		s.Do("DELETE", path+"?revision=2", "").Want(http.StatusNoContent)
		s.Do("DELETE", path+"?revision=2", "").Want(http.StatusNotFound)
		if got := list(""); len(got.Results) != 2 {
			t.Errorf("in the end: %+v", got)
		}
	})
}

func TestOriginalBacktraces(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		saveMap(t, s, "1", bundleURL)
		s.Post("/v1/notices", `{"error":{"class":"RangeError","backtrace":[{"file":"`+bundleURL+`","method":"i","number":"1","column":184},{"file":"`+bundleURL+`","method":"f","number":"1","column":298}]},"server":{"revision":"1"}}`).Want(http.StatusCreated)
		var faults serve.List[api.Fault]
		s.Do("GET", projectPath(s.Setup.ProjectID, "/faults"), "").Want(http.StatusOK).Into(&faults)
		path := projectPath(s.Setup.ProjectID, "/faults/"+fmt.Sprint(faults.Results[0].ID)+"/notices")
		for query, want := range map[string]string{"": "", "?original_backtrace=true": "src/cart.js totalOfCart"} {
			var got serve.List[api.Notice]
			s.Do("GET", path+query, "").Want(http.StatusOK).Into(&got)
			n := got.Results[0]
			if n.Backtrace[0].File != bundleURL || n.Backtrace[0].Method != "i" {
				t.Errorf("%q changes the backtrace: %+v", query, n.Backtrace[0])
			}
			first := ""
			if len(n.OriginalBacktrace) > 0 {
				first = n.OriginalBacktrace[0].File + " " + n.OriginalBacktrace[0].Method
			}
			if first != want {
				t.Errorf("%q: the original backtrace begins with %q", query, first)
			}
		}
	})
}
