package sentryapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sett/internal/setttest"
)

// upload sends the chunks that are missing of a bundle, and returns how many these were and the answer to the last request.
func upload(t *testing.T, s *setttest.Server, text []byte, chunks [][]byte, more map[string]any) (sent int, said map[string]any) {
	t.Helper()
	body := bundleRequest(text, chunks, more)
	said = call(t, s, "POST", assemblePath, body, http.StatusOK)
	if said["state"] != "not_found" {
		return 0, said
	}
	missing, _ := json.Marshal(said["missingChunks"]) // was JSON
	var parts []part
	for i, c := range chunks {
		if !bytes.Contains(missing, []byte(hash(c))) {
			continue
		}
		if i%2 == 0 {
			parts = append(parts, part{"file_gzip", hash(c), packed(t, c)})
		} else {
			parts = append(parts, part{"file", hash(c), c})
		}
	}
	contentType, form := form(t, parts...)
	if got := ask(t, s, s.Token, "POST", chunkPath, contentType, form); got.status != http.StatusOK || len(got.body) > 0 {
		t.Fatalf("chunks: status %d %s", got.status, got.body)
	}
	return len(parts), call(t, s, "POST", assemblePath, body, http.StatusOK)
}

func split(text []byte, size int) (chunks [][]byte) {
	for len(text) > size {
		chunks, text = append(chunks, text[:size]), text[size:]
	}
	return append(chunks, text)
}

func TestABundleIsUploadedOnce(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		other := s.Post("/v2/projects?account_id="+s.Setup.AccountID, map[string]any{"project": map[string]any{"name": "Shop two"}}).Want(http.StatusCreated).JSON()
		text := archive(t, map[string]string{"~/a.js": smallMap, "~/b.js": smallMap + " "})
		chunks := split(text, 200)
		both := map[string]any{"version": "1", "projects": []string{"shop", "shop-two"}}
		sent, said := upload(t, s, text, chunks, both)
		if sent != len(chunks) || said["state"] != "ok" || fmt.Sprint(said["missingChunks"]) != "[]" {
			t.Errorf("%d of %d chunks were sent, %v", sent, len(chunks), said)
		}
		if sent, said := upload(t, s, text, chunks, both); sent != 0 || said["state"] != "ok" {
			t.Errorf("%d chunks were sent again, %v", sent, said)
		}
		if sent, said := upload(t, s, text, chunks, map[string]any{"version": "2"}); sent == 0 || said["state"] != "ok" {
			t.Errorf("%d chunks were sent for another release, %v", sent, said)
		}
		maps := s.App.Store().SourceMaps
		for project, revision := range map[int64]string{s.Setup.ProjectID: "2", int64(other["id"].(float64)): "1"} {
			for _, url := range []string{"https://a.test/a.js?v=1", "/b.js"} {
				if found, ok, err := maps.Find(t.Context(), project, "", revision, url); !ok || err != nil || found.Sources != 1 {
					t.Errorf("%s of revision %s of project %d: %t %+v %v", url, revision, project, ok, found, err)
				}
			}
		}
		if err := maps.DeleteRevision(t.Context(), s.Setup.ProjectID, "2"); err != nil {
			t.Fatal(err)
		}
		if sent, said := upload(t, s, text, chunks, map[string]any{"version": "2"}); sent == 0 || said["state"] != "ok" {
			t.Errorf("%d chunks were sent after the maps were deleted, %v", sent, said)
		}
	})
}

func TestBundlesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	broken := archive(t, map[string]string{"~/a.js": smallMap, "~/b.js": "{", "~/c.js": `{"version":2}`})
	for name, c := range map[string]struct {
		text []byte
		more map[string]any
		want string
	}{
		"no archive":       {[]byte("SYSB and no more"), nil, "not a ZIP archive"},
		"another checksum": {archive(t, nil), map[string]any{"checksum": strings.Repeat("0", 40)}, "another checksum"},
		"broken maps":      {broken, map[string]any{"version": "9"}, "2 of 3 source maps cannot be used, and the others are stored. ~/"},
	} {
		for range 2 { // the same again: the chunks were dropped
			sent, said := upload(t, s, c.text, [][]byte{c.text}, c.more)
			if detail, _ := said["detail"].(string); said["state"] != "error" || !strings.Contains(detail, c.want) || sent != 1 {
				t.Errorf("%s: %d chunks, %v", name, sent, said)
			}
		}
	}
	if _, ok, err := s.App.Store().SourceMaps.Find(t.Context(), s.Setup.ProjectID, "", "9", "/a.js"); !ok || err != nil {
		t.Errorf("the map that can be used: %t %v", ok, err)
	}
	empty := archive(t, nil)
	if _, said := upload(t, s, empty, [][]byte{empty}, nil); said["state"] != "ok" {
		t.Errorf("a bundle without maps: %v", said)
	}
	for body, status := range map[string]int{
		`{}`: 422, `{"checksum":"x","chunks":[]}`: 422, bundleRequest(empty, nil, nil): 422, `[]`: 422, `{`: 400,
		bundleRequest(empty, [][]byte{empty}, map[string]any{"projects": []string{"nowhere"}}): 404,
	} {
		if got := call(t, s, "POST", assemblePath, body, status); got["detail"] == "" {
			t.Errorf("%s: %v", body, got)
		}
	}
}

func TestChunksThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	bomb := packed(t, make([]byte, 9<<20))
	many := make([]part, 65)
	for i := range many {
		many[i] = part{"file", hash([]byte{byte(i)}), []byte{byte(i)}}
	}
	for name, c := range map[string]struct {
		parts  []part
		status int
	}{
		"another hash": {[]part{{"file", hash([]byte("a")), []byte("b")}}, 400},
		"no hash":      {[]part{{"file", "a", []byte("a")}}, 400},
		"no gzip":      {[]part{{"file_gzip", hash([]byte("a")), []byte("a, which is longer than a header")}}, 400},
		"a bomb":       {[]part{{"file_gzip", hash(make([]byte, 9<<20)), bomb}}, 413},
		"a long one":   {[]part{{"file", hash(make([]byte, 9<<20)), make([]byte, 9<<20)}}, 413},
		"other fields": {[]part{{"chunk", "a", []byte("a")}}, 422},
		"many":         {many, 413},
	} {
		contentType, body := form(t, c.parts...)
		got := ask(t, s, s.Token, "POST", chunkPath, contentType, body)
		if got.status != c.status || !strings.HasPrefix(string(got.body), `{"detail":"`) {
			t.Errorf("%s: status %d %s, want %d", name, got.status, got.body, c.status)
		}
	}
	contentType, body := form(t, part{"file", hash([]byte("a")), []byte("a")})
	for end := range body[:len(body)-4] {
		if got := ask(t, s, s.Token, "POST", chunkPath, contentType, body[:end]); got.status != http.StatusBadRequest {
			t.Fatalf("cut at %d: status %d %s", end, got.status, got.body)
		}
	}
	if got := ask(t, s, s.Token, "POST", chunkPath, "application/json", body); got.status != http.StatusBadRequest {
		t.Errorf("no form: status %d %s", got.status, got.body)
	}
	said := call(t, s, "GET", chunkPath, "", http.StatusOK)
	if said["url"] != s.App.BaseURL()+chunkPath || said["chunkSize"] != float64(8<<20) || said["hashAlgorithm"] != "sha1" {
		t.Errorf("the options are %v", said)
	}
}

// Chunks of one user are of no use to another, who may not see the projects that they are for.
func TestChunksOfOthersAreMissing(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	text := archive(t, map[string]string{"~/a.js": smallMap})
	body := bundleRequest(text, [][]byte{text}, nil)
	contentType, chunk := form(t, part{"file", hash(text), text})
	if got := ask(t, s, s.Key, "POST", chunkPath, contentType, chunk); got.status != http.StatusOK {
		t.Fatalf("status %d %s", got.status, got.body)
	}
	if said := call(t, s, "POST", assemblePath, body, http.StatusOK); said["state"] != "not_found" {
		t.Errorf("the owner has the chunk of a client with the key: %v", said)
	}
	if got := ask(t, s, s.Key, "POST", assemblePath, "application/json", []byte(body)); !strings.Contains(string(got.body), `"state":"ok"`) {
		t.Errorf("the client with the key: %s", got.body)
	}
}

func TestFilesThatComeAlone(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	for name, stored := range map[string]bool{"~/x/app.js.map": true, "~/x/app.js": false} {
		contentType, body := form(t, part{"file", "app.js", []byte(smallMap)}, part{"name", "", []byte(name)})
		got := ask(t, s, s.Token, "POST", "/api/0/projects/acme/shop/releases/1.0%2B5/files/", contentType, body)
		if got.status != http.StatusCreated || !strings.Contains(string(got.body), hash([]byte(smallMap))) {
			t.Errorf("%s: status %d %s", name, got.status, got.body)
		}
		if stored {
			if _, ok, err := s.App.Store().SourceMaps.Find(t.Context(), s.Setup.ProjectID, "", "1.0+5", "https://a.test/x/app.js"); !ok || err != nil {
				t.Errorf("%s is found: %t, %v", name, ok, err)
			}
		}
	}
	contentType, body := form(t, part{"file", "x.js.map", []byte("{")})
	if got := ask(t, s, s.Token, "POST", "/api/0/organizations/acme/releases/1/files/", contentType, body); got.status != http.StatusUnprocessableEntity {
		t.Errorf("a broken map: status %d %s", got.status, got.body)
	}
	said := call(t, s, "POST", "/api/0/projects/acme/shop/files/difs/assemble/", `{"aa":{"name":"x","chunks":["aa"]}}`, http.StatusOK)
	if one, _ := said["aa"].(map[string]any); one["state"] != "error" {
		t.Errorf("debug files: %v", said)
	}
}

// An upload applies to the next error, although the server has just seen that there was none.
func TestUploadsApplyAtOnce(t *testing.T) {
	t.Parallel()
	uploads := map[string]func(t *testing.T, s *setttest.Server){
		"a bundle": func(t *testing.T, s *setttest.Server) {
			t.Helper()
			text := archive(t, map[string]string{"~/a.js": smallMap})
			if _, said := upload(t, s, text, split(text, 200), map[string]any{"version": "1"}); said["state"] != "ok" {
				t.Fatal(said)
			}
		},
		"a file": func(t *testing.T, s *setttest.Server) {
			t.Helper()
			contentType, body := form(t, part{"file", "a.js.map", []byte(smallMap)}, part{"name", "", []byte("~/a.js.map")})
			if got := ask(t, s, s.Token, "POST", "/api/0/projects/acme/shop/releases/1/files/", contentType, body); got.status != http.StatusCreated {
				t.Fatal(got.status)
			}
		},
	}
	for name, send := range uploads {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := setttest.Start(t, "sqlite")
			report := func(faults int) {
				t.Helper()
				const event = `{"platform":"javascript","release":"1","exception":{"values":[{"type":"E","value":"x","stacktrace":{"frames":[{"filename":"https://a.test/a.js","function":"t","lineno":1,"colno":1,"in_app":true}]}}]}}`
				if got := ask(t, s, "", "POST", fmt.Sprintf("/api/%d/store/?sentry_key=%s", s.Setup.ProjectID, s.Setup.APIKey), "application/json", []byte(event)); got.status != http.StatusOK {
					t.Fatalf("%d %s", got.status, got.body)
				}
				var list struct{ Results []struct{ ID int64 } }
				s.Get(fmt.Sprintf("/v2/projects/%d/faults", s.Setup.ProjectID)).Into(&list)
				if len(list.Results) != faults {
					t.Errorf("%d errors, want %d", len(list.Results), faults)
				}
			}
			report(1)
			report(1)
			send(t, s)
			report(2) // grouped by the original frame
		})
	}
}
