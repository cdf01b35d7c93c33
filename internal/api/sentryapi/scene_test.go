package sentryapi_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"testing"

	"github.com/klauspost/compress/gzip"

	"sett/internal/setttest"
)

// answer is what the server has answered.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// ask sends a request with a token.
func ask(t testing.TB, s *setttest.Server, token, method, path, contentType string, body []byte) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.Base+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{got.StatusCode, got.Header, text}
}

// call sends JSON with the owner's token, and returns what is answered, which must have a status.
func call(t testing.TB, s *setttest.Server, method, path, body string, status int) map[string]any {
	t.Helper()
	got := ask(t, s, s.Token, method, path, "application/json", []byte(body))
	if got.status != status {
		t.Fatalf("%s %s: status %d %s, want %d", method, path, got.status, got.body, status)
	}
	var object map[string]any
	if len(got.body) > 0 && got.body[0] == '{' {
		if err := json.Unmarshal(got.body, &object); err != nil {
			t.Fatal(err)
		}
	}
	return object
}

const smallMap = `{"version":3,"sources":["../src/cart.js"],"sourcesContent":["total()"],"names":[],"mappings":"AAAA"}`

// archive returns a bundle with one map for each URL of a minified file.
func archive(t testing.TB, maps map[string]string) []byte {
	t.Helper()
	files := map[string]any{}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	add := func(name, text string) {
		f, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(f, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for url, text := range maps {
		files[url] = map[string]any{"type": "source_map", "url": url + ".map"}
		add(url, text)
	}
	manifest, err := json.Marshal(map[string]any{"files": files})
	if err != nil {
		t.Fatal(err)
	}
	add("manifest.json", string(manifest))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return append([]byte("SYSB\x02\x00\x00\x00"), out.Bytes()...)
}

func hash(text []byte) string {
	sum := sha1.Sum(text)
	return hex.EncodeToString(sum[:])
}

// part is a chunk in a form.
type part struct {
	field, name string
	text        []byte
}

// form returns chunks as clients send them.
func form(t testing.TB, parts ...part) (contentType string, body []byte) {
	t.Helper()
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for _, p := range parts {
		f, err := w.CreateFormFile(p.field, p.name)
		if err == nil {
			_, err = f.Write(p.text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), out.Bytes()
}

func packed(t testing.TB, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(text)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// bundleRequest is the body that asks for a bundle of some chunks.
func bundleRequest(text []byte, chunks [][]byte, more map[string]any) string {
	body := map[string]any{"checksum": hash(text), "projects": []string{"shop"}}
	var hashes []string
	for _, c := range chunks {
		hashes = append(hashes, hash(c))
	}
	body["chunks"] = hashes
	for key, value := range more {
		body[key] = value
	}
	encoded, _ := json.Marshal(body) // texts always are JSON
	return string(encoded)
}

const (
	assemblePath = "/api/0/organizations/acme/artifactbundle/assemble/"
	chunkPath    = "/api/0/organizations/acme/chunk-upload/"
	releasesPath = "/api/0/organizations/acme/releases/"
)
