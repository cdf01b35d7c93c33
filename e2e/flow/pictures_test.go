package flow

import (
	"flag"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sett/e2e/rig"
)

// makePictures has the pictures made anew (make pictures).
var makePictures = flag.Bool("pictures", false, "make the pictures of the README and the manual anew, in docs/pictures")

// picturesDir is where they are; mostBytes is how large one may be.
const (
	picturesDir = rig.Repository + "/docs/pictures"
	mostBytes   = 120 << 10
)

// picture is a page of the demo that the README or the manual shows.
type picture struct {
	name, address string
	shows         string // text on the page, so that it is not one that says what went wrong
	width, height int64
	schemes       []string
}

// file is the name of the picture in a scheme of colours.
func (p picture) file(scheme string) string {
	if len(p.schemes) == 1 {
		return p.name + ".png"
	}
	return p.name + "-" + scheme + ".png"
}

// reader is a user of the demo who reads pages without a browser, which takes seconds less.
type reader struct{ web *http.Client }

// read returns a page.
func (v reader) read(t testing.TB, address string) string {
	t.Helper()
	answer, err := v.web.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v", address, answer.StatusCode, err)
	}
	return string(page)
}

// follow returns the address of the first link on a page with some words in it.
func (v reader) follow(t testing.TB, base, path, words string) string {
	t.Helper()
	link := regexp.MustCompile(`<a href="([^"]+)">(?:<strong>[^<]*</strong>)?[^<]*` + words).FindStringSubmatch(v.read(t, base+path))
	if link == nil {
		t.Fatalf("%s has no link to %q", path, words)
	}
	return base + html.UnescapeString(link[1])
}

// openPictures signs in to the demo whose clock stands still, so that its pages look the same whenever they are opened.
func openPictures(t *testing.T) (signIn string, v reader, all []picture) {
	base, signIn := serveDemo(t)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v = reader{&http.Client{Jar: jar, Timeout: time.Minute}}
	v.read(t, signIn)
	project, both := base+"/projects/1", []string{"light", "dark"}
	return signIn, v, []picture{
		{"error", v.follow(t, base, "/projects/1/faults?q=has:comment+balance+is:unresolved", "gift card"), "applying a gift card", 1280, 900, both},
		{"uptime", v.follow(t, base, "/projects/1/sites", "checkout.acme.test"), "checkout.acme.test", 1280, 900, both},
		{"status", base + "/status/acme", "Acme", 1000, 900, both},
		{"phone", project + "/faults", `<table class="faults">`, 390, 780, []string{"light"}},
		{"notified", project + "/settings/notified", "Who is notified", 1440, 720, both},
		{"events", project + "/insights?q=stats+count()+by+bin(1h)", "stats count() by bin(1h)", 1000, 700, both},
	}
}

// The README and the manual show each picture that there is, and no other. Its page shows what it did when the picture was taken, and it is not large.
func TestPictures(t *testing.T) {
	t.Parallel()
	signIn, v, pictures := openPictures(t)
	var wanted []string
	for _, p := range pictures {
		if !strings.Contains(v.read(t, p.address), p.shows) {
			t.Errorf("the page of the picture %s does not show %q: %s", p.name, p.shows, p.address)
		}
		for _, scheme := range p.schemes {
			wanted = append(wanted, p.file(scheme))
		}
	}
	slices.Sort(wanted)
	checkTaken(t, signIn, pictures)
	shown := picturesOfPages(t)
	var kept []string
	files, err := os.ReadDir(picturesDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name() != takenFile {
			kept = append(kept, f.Name())
		}
		if about, err := f.Info(); err != nil || about.Size() > mostBytes {
			t.Errorf("%s has more than %d bytes (%v)", f.Name(), mostBytes, err)
		}
	}
	if !slices.Equal(shown, wanted) || !slices.Equal(kept, wanted) {
		t.Errorf("README and manual show %q, there are %q, and make pictures takes %q", shown, kept, wanted)
	}
}

// picturesOfPages are the pictures that the README and the manual show. The manual names the light one of each, and shows the dark one beside it.
func picturesOfPages(t *testing.T) (shown []string) {
	t.Helper()
	pages, err := filepath.Glob(rig.Repository + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, rig.Repository+"/README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`pictures/([a-z0-9-]+\.png)`).FindAllStringSubmatch(string(text), -1) {
			shown = append(shown, m[1])
			if stem, light := strings.CutSuffix(m[1], "-light.png"); light {
				shown = append(shown, stem+"-dark.png")
			}
		}
	}
	slices.Sort(shown)
	return slices.Compact(shown)
}
