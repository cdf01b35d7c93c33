package statuspage

import (
	"bytes"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"sett/internal/sett/status"
	"sett/internal/sett/status/locale"
)

var cardAddress = regexp.MustCompile(`<meta property="og:image" content="([^"]+)">`)

// pictureOf returns the address of the picture of a page, below its host.
func pictureOf(t *testing.T, body, host string) string {
	t.Helper()
	found := cardAddress.FindStringSubmatch(body)
	if len(found) == 0 || !strings.HasPrefix(found[1], host+"/") {
		t.Fatalf("no picture at %s: %v", host, found)
	}
	return strings.TrimPrefix(found[1], host)
}

func TestPicturesOfLinks(t *testing.T) {
	t.Parallel()
	v := fullView()
	p := newPages(t)
	show(t, p, v)
	h := mux(p)
	const domain = "status.acme.example.test"
	var before []byte
	for _, path := range []string{"/", "/incidents/4", "/incidents/1"} {
		page := want(t, ask(t, h, "GET", path, "", "Host", domain), 200, `<meta name="twitter:card" content="summary_large_image">`).Body.String()
		picture := pictureOf(t, page, "https://"+domain)
		w := want(t, ask(t, h, "GET", picture, "", "Host", domain), 200)
		body := w.Body.Bytes()
		if _, err := png.Decode(bytes.NewReader(body)); err != nil || w.Header().Get("Content-Type") != "image/png" || w.Header().Get("Cache-Control") != forEver[0] {
			t.Errorf("%s: %v, %v", path, err, w.Header())
		}
		again := ask(t, h, "GET", picture, "", "Host", domain, "If-None-Match", w.Header().Get("Etag"))
		if again.Code != 304 || bytes.Equal(before, body) {
			t.Errorf("%s: status %d for what is known", path, again.Code)
		}
		before = body
	}
	old := want(t, ask(t, h, "GET", "/s/card.000000000000.png", "", "Host", domain), 200)
	if old.Header().Get("Cache-Control") != publicly[0] {
		t.Errorf("a picture of an earlier state is kept: %v", old.Header())
	}
	for _, name := range []string{"card-99.000000000000.png", "card-x.png", "cardinal.png", "card-04.0.png"} {
		want(t, ask(t, h, "GET", "/s/"+name, "", "Host", domain), 404)
	}
	if n := len(p.cards.kept); n != 3 {
		t.Errorf("%d pictures are kept, want 3", n)
	}
}

func TestPicturesOfPagesWithAPasswordAreNotShown(t *testing.T) {
	t.Parallel()
	v := fullView()
	v.Page.PasswordHash, v.Page.PasswordKey = "hash of open sesame", []byte("key")
	p := newPages(t)
	show(t, p, v)
	for _, path := range []string{"/status/acme", "/status/acme/s/card.000000000000.png", "/status/acme/s/card-4.000000000000.png"} {
		w := want(t, ask(t, mux(p), "GET", path, ""), 401)
		if strings.Contains(w.Body.String(), "og:") || strings.Contains(w.Header().Get("Content-Type"), "image") {
			t.Errorf("%s shows more than the form", path)
		}
	}
	if front := string(p.index.Load().pages[0].rendered.Load().main.front.body); strings.Contains(front, "og:image") {
		t.Error("a page that needs a password names a picture that nothing can fetch")
	}
}

// What the fonts cannot write is said in English, or left out.
func TestCardsSayWhatIsTrue(t *testing.T) {
	t.Parallel()
	v := fullView()
	v.Page.Name, v.Page.Language, v.Page.Features.MixedCaption = "状態", locale.Japanese, "一部停止"
	v.Incidents[0].Name = "決済の障害"
	f := renderingOf(t, v).main
	if c := f.card(); c.Name != "" || c.Title != "Some systems are experiencing problems" || c.Place != "status.acme.example.test" {
		t.Errorf("%+v", c)
	}
	if c := f.cardOf(v.Incidents[0]); c.Title != "18 November 2026" || c.State != "Identified" {
		t.Errorf("%+v", c)
	}
	v.Page.Name, v.Page.Features = "Acme 🎉", status.StatusFeatures{}
	if c := renderingOf(t, v).main.card(); c.Name != "Acme" || c.Title != "Some systems are experiencing problems" {
		t.Errorf("%+v", c)
	}
}

func TestPicturesAreBounded(t *testing.T) {
	t.Parallel()
	v := fullView()
	p := newPages(t)
	show(t, p, v)
	f := p.index.Load().pages[0].rendered.Load().main
	for n := range mostCards + 3 {
		p.cards.keep(string(rune('a'+n)), newPlain(cardForm, nil))
	}
	if _, _, err := f.cardNamed("card.x.png"); err != nil || len(p.cards.kept) != mostCards || len(p.cards.order) != mostCards {
		t.Errorf("%d pictures, %v", len(p.cards.kept), err)
	}
}
