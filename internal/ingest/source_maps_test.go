package ingest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sett/internal/event/sourcemap/function"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/sourcemapdb"
)

const smallMap = `{"version":3,"sources":["../src/cart.js"],"names":[],"mappings":"AAAA"}`

// field is one of a form; name and value of a file begin with @.
type field struct{ name, value string }

func formOf(t testing.TB, fields ...field) (contentType string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range fields {
		create := func() (io.Writer, error) { return w.CreateFormField(f.name) }
		if name, ok := strings.CutPrefix(f.name, "@"); ok {
			create = func() (io.Writer, error) { return w.CreateFormFile(name, "file") }
		}
		part, err := create()
		if err == nil {
			_, err = io.WriteString(part, f.value)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), b.Bytes()
}

// upload sends a form without a key outside of it.
func (o *office) upload(t testing.TB, fields ...field) *httptest.ResponseRecorder {
	t.Helper()
	contentType, body := formOf(t, fields...)
	return o.send(t, contentType, body)
}

func (o *office) send(t testing.TB, contentType string, body []byte) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/source_maps", bytes.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	w := httptest.NewRecorder()
	o.ServeHTTP(w, r)
	return w
}

// uploaded returns the maps of a revision.
func (o *office) uploaded(t testing.TB, revision string) []sourcemapdb.Found {
	t.Helper()
	all, _, err := o.store.SourceMaps.List(t.Context(), o.setup.ProjectID, sett.Some(revision), sett.Page{Size: 100})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var unimportant = cmpopts.IgnoreFields(sourcemapdb.Found{}, "ID", "FileID", "FunctionsID", "UploadedAt", "UsedAt")

// recordedUpload returns a request that a plugin sent, with the project's key.
func recordedUpload(t testing.TB, name, key string) (contentType string, body []byte) {
	t.Helper()
	sent, err := os.ReadFile("testdata/source-map-" + name + ".http")
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(sent)))
	if err == nil {
		body, err = io.ReadAll(r.Body)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r.Header.Get("Content-Type"), bytes.ReplaceAll(body, []byte("hbp_0123456789abcdef"), []byte(key))
}

func TestUploadsOfPlugins(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]sourcemapdb.Found{
		"webpack": {Revision: "abc123", URL: "https://cdn.example.test/assets/main.js", Bytes: 624, Sources: 2, Contained: 2},
		"rollup":  {Revision: "abc123", URL: "https://cdn.example.test/assets/index.js", Bytes: 623, Sources: 2, Contained: 2},
	} {
		o := setup(t, accounts.Limits{})
		for range 2 { // a build that is repeated
			contentType, body := recordedUpload(t, name, o.setup.APIKey)
			wantOK(t, name, o.send(t, contentType, body))
		}
		if diff := cmp.Diff([]sourcemapdb.Found{want}, o.uploaded(t, "abc123"), unimportant); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestFieldsOfAnUpload(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	key, url, file := field{"api_key", o.setup.APIKey}, field{"minified_url", "https://Shop.test/a/main.js?v=1"}, field{"@source_map", smallMap}
	want := func(revision, url string) []sourcemapdb.Found {
		return []sourcemapdb.Found{{Revision: revision, URL: url, Bytes: int64(len(smallMap)), Sources: 1}}
	}
	const clean = "https://shop.test/a/main.js"
	for i, c := range []struct {
		fields []field
		want   []sourcemapdb.Found
	}{
		{[]field{key, url, file}, want("", clean)},
		{[]field{file, url, key}, want("", clean)},
		{[]field{{"source_map", smallMap}, url, key}, want("", clean)},
		{[]field{key, {"minified_url", "*/main.jsbundle"}, {"@minified_file", ""}, file}, want("", "*/main.jsbundle")},
		{[]field{key, {"minified_url", "index.android.bundle"}, file, {"unknown", "x"}}, want("", "index.android.bundle")},
		{[]field{key, url, file, {"@https://shop.test/src/cart.js", "source"}, {"@https://shop.test/src/cart.js", "again"}}, want("", clean)},
	} {
		revision := fmt.Sprintf(" r%d\n", i)
		wantOK(t, revision, o.upload(t, append(c.fields, field{"revision", revision})...))
		for j := range c.want {
			c.want[j].Revision = strings.TrimSpace(revision)
		}
		got := o.uploaded(t, strings.TrimSpace(revision))
		if diff := cmp.Diff(c.want, got, unimportant); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.fields, diff)
		}
		if i == 5 {
			source, ok, err := o.store.SourceMaps.OriginalFile(t.Context(), o.setup.ProjectID, got[0].ID, "https://shop.test/src/cart.js")
			if string(source) != "again" || !ok || err != nil {
				t.Errorf("the original file is %q %t %v", source, ok, err)
			}
		}
	}
	wantOK(t, "no revision", o.upload(t, key, url, file))
	if diff := cmp.Diff(want("master", clean), o.uploaded(t, "master"), unimportant); diff != "" {
		t.Errorf("without a revision (-want +got):\n%s", diff)
	}
	withID := `{"debugId":"8B8BCBE7-6a9a-4295-a0d9-026da186b79f",` + smallMap[1:]
	wantOK(t, "a debug id", o.upload(t, key, url, field{"@source_map", withID}, field{"revision", "debug"}))
	if got := o.uploaded(t, "debug"); len(got) != 1 || got[0].DebugID != "8b8bcbe7-6a9a-4295-a0d9-026da186b79f" {
		t.Errorf("with a debug ID: %+v", got)
	}
}

func TestUploadsThatAreRefused(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	narrow, err := o.store.Accounts.AddProjectKey(t.Context(), o.now, o.setup.ProjectID, accounts.ScopeNotices, "")
	if err != nil {
		t.Fatal(err)
	}
	key, url, file := field{"api_key", o.setup.APIKey}, field{"minified_url", "https://shop.test/main.js"}, field{"@source_map", smallMap}
	for _, c := range []struct {
		fields []field
		status int
		says   string
	}{
		{[]field{url, file}, 403, "X-API-Key"},
		{[]field{{"api_key", "wrong"}, url, file}, 403, "This API key is unknown."},
		{[]field{{"api_key", "not a key"}, url, file}, 403, "This is not an API key"},
		{[]field{{"api_key", narrow}, url, file}, 403, "cannot upload source maps"},
		{[]field{key, file}, 422, "minified_url is missing"},
		{[]field{key, {"minified_url", "\xff"}, file}, 422, "minified_url must be UTF-8"},
		{[]field{key, url, file, {"revision", "\xff"}}, 422, "revision must be UTF-8"},
		{[]field{key, url, file, {"revision", strings.Repeat("x", 9000)}}, 422, "The field revision is too long"},
		{[]field{key, url}, 422, "source_map is missing"},
		{[]field{key, url, {"@source_map", ""}}, 422, "source_map is empty"},
		{[]field{key, url, {"@source_map", "(()=>{})()"}}, 422, "not valid JSON"},
		{[]field{{"@source_map", strings.Repeat(" ", mostEarly+1)}, url, key}, 413, "Send api_key first"},
		{[]field{key, url, {"@source_map", strings.Repeat(" ", sourcemapdb.LargestFile+1)}}, 413, "The source map has more than 33554432 bytes"},
		{[]field{key, url, file, {"@a.js", strings.Repeat(" ", mostOfFiles/2+1)}, {"@b.js", strings.Repeat(" ", mostOfFiles/2)}}, 413, "The original files have more than"},
		{append([]field{key, url, file}, slicesOf(field{"@a.js", ""}, sourcemapdb.MostFiles+1)...), 413, "more than 500 original files"},
		{append([]field{key, url, file}, slicesOf(field{"a", ""}, mostParts)...), 413, "more than 1000 fields"},
	} {
		wantError(t, o.upload(t, c.fields...), c.status, c.says)
	}
	wantError(t, o.send(t, "application/json", []byte("{}")), 400, "must be a form")
	contentType, body := formOf(t, key, url, file)
	wantError(t, o.send(t, contentType, body[:len(body)-20]), 400, "ends in the middle")
	wantError(t, o.post(t, "/v1/source_maps", bytes.NewReader(body), map[string]string{"Content-Type": contentType, "Content-Encoding": "gzip"}), 422, "must not be compressed")
	wantError(t, o.post(t, "/v1/source_maps", bytes.NewReader(make([]byte, maxUpload+1)), map[string]string{"Content-Type": contentType}), 413, "larger than 67108864 bytes")
	if total, err := o.store.SourceMaps.Total(t.Context(), o.setup.ProjectID); err != nil || total.Maps != 0 {
		t.Errorf("%+v of what was refused is stored, %v", total, err)
	}
}

func slicesOf(f field, n int) (all []field) {
	for range n {
		all = append(all, f)
	}
	return all
}

// With the minified file, the functions in it are known. A file that is too large or no JavaScript is passed over.
func TestMinifiedFiles(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	minified, err := os.ReadFile("unminify/testdata/shop.js")
	if err != nil {
		t.Fatal(err)
	}
	key, text := field{"api_key", o.setup.APIKey}, string(minified)
	large := text + strings.Repeat(" ", function.LargestFile)
	for revision, c := range map[string]struct {
		known  bool
		fields []field
	}{
		"key first": {true, []field{key, {"@minified_file", text}}}, "key last": {true, []field{{"@minified_file", text}, key}}, "none": {false, []field{key}},
		"large": {false, []field{key, {"@minified_file", large}}}, "large, key last": {false, []field{{"@minified_file", large}, key}},
		"no JavaScript": {false, []field{key, {"@minified_file", "<html>"}}}, "no file": {true, []field{key, {"minified_file", text}}},
	} {
		fields := append([]field{{"minified_url", shopURL}, {"revision", revision}, {"@source_map", string(shopMap(t))}}, c.fields...)
		wantOK(t, revision, o.upload(t, fields...))
		if got := o.uploaded(t, revision); len(got) != 1 || (got[0].FunctionsID != 0) != c.known {
			t.Errorf("%s: %+v", revision, got)
		}
	}
}

// TestDamagedUploads sends recorded uploads cut short and with other bytes in them: all are answered, and none with a failure of the server.
func TestDamagedUploads(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	random := rand.New(rand.NewPCG(1, 2))
	check := func(contentType string, body []byte) {
		t.Helper()
		if w := o.send(t, contentType, body); w.Code != 201 && (w.Code < 400 || w.Code >= 500) {
			t.Errorf("%d %s for %q", w.Code, w.Body, body)
		}
	}
	for _, name := range []string{"webpack", "rollup"} {
		contentType, body := recordedUpload(t, name, o.setup.APIKey)
		for end := 0; end < len(body); end += 7 {
			check(contentType, body[:end])
		}
		for range 300 {
			other := bytes.Clone(body)
			for range 1 + random.IntN(4) {
				other[random.IntN(len(other))] = byte(random.IntN(256))
			}
			check(contentType, other)
		}
	}
}
