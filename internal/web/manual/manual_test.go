package manual_test

import (
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sett/internal/sett/accounts"
	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
	"sett/internal/store/accountdb"
)

var (
	links     = regexp.MustCompile(`href="(/[^"]*)"`)
	ids       = regexp.MustCompile(` id="([^"]*)"`)
	toNowhere = regexp.MustCompile(`href="[^/#"][^":]*"|href="[^":]*\.md[#"]`) // neither a path, nor a heading, nor elsewhere
	marks     = regexp.MustCompile(`SETT_(ADDRESS|HOST|KEY|PROJECT)\b`)
)

// Every link inside of the manual leads to a page that there is, and to a heading that it has.
func TestLinksOfTheManualLeadSomewhere(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := visitor.New(t, s)
	pages := map[string]string{}
	queue := []string{"/docs"}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		at, mark, _ := strings.Cut(path, "#")
		if _, seen := pages[at]; !seen {
			got := b.Get(at)
			if to := got.Header.Get("Location"); got.Status != http.StatusOK && !(got.Status == http.StatusSeeOther && strings.HasPrefix(to, "/login")) {
				t.Errorf("a link leads to %s, which answers %d", at, got.Status)
			}
			pages[at] = got.Body
			if at == "/docs" || strings.HasPrefix(at, "/docs/") && at != "/docs/api" && at != "/docs/webhooks" {
				got.CheckPage()
				for _, m := range links.FindAllStringSubmatch(got.Body, -1) {
					queue = append(queue, m[1])
				}
				if wrong := toNowhere.FindString(got.Body); wrong != "" {
					t.Errorf("%s has a link that leads nowhere: %s", at, wrong)
				}
				if left := marks.FindString(got.Body); left != "" {
					t.Errorf("%s still says %s", at, left)
				}
			}
		}
		if mark != "" && mark != "main" && !strings.Contains(pages[at], ` id="`+mark+`"`) {
			t.Errorf("a link leads to %s, which has no such heading: %v", path, ids.FindAllStringSubmatch(pages[at], -1))
		}
	}
	if len(pages) < 14 {
		t.Errorf("only %d pages are linked", len(pages))
	}
	b.Get("/docs/nope").Want(404).CheckPage()
}

// chapterPicture matches the address of a picture in a chapter.
var chapterPicture = regexp.MustCompile(` (?:src|srcset)="([^"]+)"`)

// Chapters show their pictures in light and dark. Browsers get one when its reader opens it, so a chapter costs the same with it.
func TestPicturesOfTheManual(t *testing.T) {
	t.Parallel()
	b, found := visitor.New(t, setttest.Start(t, "sqlite")), 0
	for _, chapter := range []string{"quick-start", "uptime", "status-pages", "integrations", "events"} {
		page := b.Get("/docs/"+chapter).Want(200, "<details><summary>Picture: ", `loading="lazy"`).Lacks("<p><img")
		for _, m := range chapterPicture.FindAllStringSubmatch(page.Body[strings.Index(page.Body, "<details>"):], -1) {
			if strings.HasSuffix(m[1], ".png") {
				found++
				if got := b.Get(m[1]).Want(200); got.Header.Get("Content-Type") != "image/png" || !strings.Contains(got.Header.Get("Cache-Control"), "immutable") {
					t.Errorf("%s is sent with %v", m[1], got.Header)
				}
			}
		}
	}
	if found != 10 {
		t.Errorf("the chapters show %d pictures, want 10", found)
	}
}

// Signed-in users see the key of one of their projects in the examples; others see none.
func TestExamplesHoldTheReadersKey(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	for _, path := range []string{"/docs/quick-start", "/docs/clients", "/docs/check-ins"} {
		visitor.New(t, s).Get(path).Want(200, s.App.BaseURL(), "YOUR_API_KEY", `href="/login?next=`+url.QueryEscape(path)+`"`).Lacks(s.Setup.APIKey)
	}
	host, port, _ := strings.Cut(s.App.Addr(), ":")
	visitor.New(t, s).Get("/docs/clients").Want(200, "host: &quot;"+host+"&quot;\n  port: "+port+"\n  secure: false") // Ruby's names the parts
	addUser(t, s, "olga@example.test", accounts.Owner)
	addUser(t, s, "member@example.test", accounts.Member)
	olga := visitor.New(t, s).SignIn("olga@example.test", password)
	olga.Get("/docs/clients").Want(200, s.Setup.APIKey, "The examples contain the API key of").Lacks("/login").CheckPage()
	for path, want := range map[string]string{"/docs/clients": "", "/docs/concepts": "gzip"} {
		if got := olga.Do(http.MethodGet, path, nil, "Accept-Encoding", "gzip").Header.Get("Content-Encoding"); got != want {
			t.Errorf("%s is sent as %q, want %q: pages with keys are not compressed", path, got, want)
		}
	}
	member := visitor.New(t, s).SignIn("member@example.test", password)
	member.Get(fmt.Sprint("/docs/clients?project=", s.Setup.ProjectID)).Want(200, "YOUR_API_KEY").Lacks(s.Setup.APIKey)
}

// code is an example of a page.
var code = regexp.MustCompile(`(?s)<pre[^>]*>(?:<code[^>]*>)?(.*?)(?:</code>)?</pre>`)

// The page that sets a project up says the same as the chapter about clients.
func TestSetupPageSaysWhatTheManualSays(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	addUser(t, s, "olga@example.test", accounts.Owner)
	b := visitor.New(t, s).SignIn("olga@example.test", password)
	known := map[string]bool{}
	for _, m := range code.FindAllStringSubmatch(b.Get("/docs/clients").Want(200).Body, -1) {
		known[strings.TrimSpace(html.UnescapeString(m[1]))] = true
	}
	for _, language := range accounts.Languages {
		setup := b.Get(fmt.Sprintf("/projects/%d/setup?language=%s", s.Setup.ProjectID, language)).Want(200)
		found := code.FindAllStringSubmatch(setup.Body, -1)
		if len(found) < 4 {
			t.Fatalf("%s has %d examples", language, len(found))
		}
		found = found[:len(found)-2] // the last two are about deploys and check-ins
		if language == "other" {
			found = found[2:] // there is nothing to install and to set up
		}
		for _, m := range found {
			if text := strings.TrimSpace(html.UnescapeString(m[1])); !known[text] {
				t.Errorf("for %s the setup page says what the manual does not:\n%s", language, text)
			}
		}
	}
}

const password = "seven lonely walruses"

func addUser(t *testing.T, s *setttest.Server, email string, role accounts.Role) {
	t.Helper()
	_, err := s.App.Store().Accounts.CreateUser(t.Context(), s.Clock.Now(), accountdb.NewUser{
		AccountID: s.Setup.AccountID, Email: email, Name: "Ann", Role: role, Password: setttest.PasswordCost.Hash(password),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// chapterLink is a link to a chapter in a page or a program.
var chapterLink = regexp.MustCompile(`"(/docs(?:/[a-z-]+)?(?:#[a-z-]+)?)"`)

// Every link of any page to the manual leads to a chapter, and to a heading that it has.
func TestLinksToTheManualLeadSomewhere(t *testing.T) {
	t.Parallel()
	b, found := visitor.New(t, setttest.Start(t, "sqlite")), map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || ext != ".html" && ext != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range chapterLink.FindAllStringSubmatch(string(text), -1) {
			found[m[1]] = true
			at, mark, _ := strings.Cut(m[1], "#")
			if got := b.Get(at); got.Status != http.StatusOK || mark != "" && !strings.Contains(got.Body, ` id="`+mark+`"`) {
				t.Errorf("%s links to %s, where there is nothing: status %d", path, m[1], got.Status)
			}
		}
		return err
	})
	if err != nil || len(found) < 10 {
		t.Errorf("only %d links to the manual were found: %v", len(found), err)
	}
}
