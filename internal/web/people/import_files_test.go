package people_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"sett/internal/sett/move"
	"sett/internal/setttest/visitor"
)

// giveFiles sends a form with files as a browser does, and returns where it leads and what it says.
func giveFiles(b *visitor.Browser, path string, fields map[string]string, files map[string]string) (status int, location, body string) {
	b.T.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			b.T.Fatal(err)
		}
	}
	for name, text := range files {
		part, err := w.CreateFormFile("files", name)
		if err == nil {
			_, err = io.WriteString(part, text)
		}
		if err != nil {
			b.T.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.T.Fatal(err)
	}
	r, err := http.NewRequestWithContext(b.T.Context(), http.MethodPost, b.Base+path, &form)
	if err != nil {
		b.T.Fatal(err)
	}
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err := b.Client.Do(r)
	if err != nil {
		b.T.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.Body.Close() != nil {
		b.T.Fatal(err)
	}
	location, _, _ = strings.Cut(answer.Header.Get("Location"), "?")
	return answer.StatusCode, location, string(text)
}

// Files are looked at and imported from the page. No variable of the server is in what comes, and no text of a file stays.
func TestFilesMoveInByPage(t *testing.T) {
	h := open(t)
	t.Setenv("MOVED_SECRET", "of-this-server")
	files := map[string]string{
		"web.yaml":  "endpoints: [{name: Shop, url: 'https://shop.example.org/${MOVED_SECRET}', conditions: ['[STATUS] == 200']}]",
		"more.yaml": "endpoints: [{name: Mail, url: 'tcp://mail.example.org:25', conditions: ['[CONNECTED] == true']}]",
	}
	h.owner.Get(h.root+"/imports?source=gatus").Want(http.StatusOK, `enctype="multipart/form-data"`, `type="file" multiple`, "1 MiB").CheckPage()
	status, looked, body := giveFiles(h.owner, h.root+"/imports", map[string]string{"from": "gatus", "project": "Websites"}, files)
	if status != http.StatusSeeOther {
		t.Fatalf("a look: %d %s", status, body)
	}
	ended(h.owner, looked).Want(http.StatusOK, "Nothing was written.", "MOVED_SECRET", "Write its value into the file", "web.yaml", "Choose them again").Lacks("of-this-server", "run the command")
	h.owner.Post(looked+"/start", "token", "t").Want(http.StatusUnprocessableEntity, "Files are missing")
	status, moved, body := giveFiles(h.owner, looked+"/start", nil, files)
	if status != http.StatusSeeOther {
		t.Fatalf("an import: %d %s", status, body)
	}
	ended(h.owner, moved).Want(http.StatusOK, "This came", `<th scope="row">sites</th><td class="right" data-label="Found">2</td><td class="right" data-label="New">2</td>`)
	h.owner.Get("/projects").Want(http.StatusOK, "Websites")

	_, broken, _ := giveFiles(h.owner, h.root+"/imports", map[string]string{"from": "openstatus", "project": "Other"}, map[string]string{"a.yaml": "a: ["})
	ended(h.owner, broken).Want(http.StatusOK, "Failed", "a.yaml is no configuration of OpenStatus", ">Go on</button>")
}

func TestFilesAreRefusedWithReasons(t *testing.T) {
	t.Parallel()
	h := open(t)
	fields := map[string]string{"from": "gatus", "project": "Websites"}
	for want, files := range map[string]map[string]string{
		"Files are missing or empty; choose the YAML files": {"empty.yaml": ""},
		"Files must have at most 1 MiB together":            {"a.yaml": strings.Repeat("#", move.MostFileBytes), "b.yaml": "#"},
	} {
		if status, _, body := giveFiles(h.owner, h.root+"/imports", fields, files); status != http.StatusUnprocessableEntity || !strings.Contains(body, want) {
			t.Errorf("%d, want %q in %s", status, want, body)
		}
	}
	if status, _, body := giveFiles(h.owner, h.root+"/imports", map[string]string{"from": "gatus"}, map[string]string{"a.yaml": "#"}); !strings.Contains(body, "Project can&#39;t be blank.") {
		t.Errorf("without a project: %d %s", status, body)
	}
}
