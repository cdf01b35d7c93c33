package flow

import (
	"bytes"
	"flag"
	"html"
	"image"
	"image/color"
	"image/png"
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

	"github.com/chromedp/chromedp"

	"sett/e2e/rig"
)

// makePictures has the pictures of the README made anew (make pictures).
var makePictures = flag.Bool("pictures", false, "make the pictures of the README anew, in docs/pictures")

// picturesDir is where they are; mostBytes is how large one may be.
const (
	picturesDir = rig.Repository + "/docs/pictures"
	mostBytes   = 120 << 10
)

// picture is a page of the demo that the README shows.
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
	errors, both := base+"/projects/1/faults", []string{"light", "dark"}
	return signIn, v, []picture{
		{"error", v.follow(t, base, "/projects/1/faults?q=has:comment+balance+is:unresolved", "gift card"), "applying a gift card", 1280, 900, both},
		{"uptime", v.follow(t, base, "/projects/1/sites", "checkout.acme.test"), "checkout.acme.test", 1280, 900, both},
		{"status", base + "/status/acme", "Acme", 1000, 900, both},
		{"phone", errors, `<table class="faults">`, 390, 780, []string{"light"}},
	}
}

// The README shows each picture that there is, and no other. Its page still exists, and it is not large.
func TestPicturesOfTheReadme(t *testing.T) {
	t.Parallel()
	signIn, v, pictures := openPictures(t)
	if *makePictures {
		takePictures(t, signIn, pictures)
	}
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
	readme, err := os.ReadFile(rig.Repository + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, m := range regexp.MustCompile(`docs/pictures/([a-z0-9-]+\.png)`).FindAllStringSubmatch(string(readme), -1) {
		shown = append(shown, m[1])
	}
	slices.Sort(shown)
	shown = slices.Compact(shown)
	var kept []string
	files, err := os.ReadDir(picturesDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		kept = append(kept, f.Name())
		if about, err := f.Info(); err != nil || about.Size() > mostBytes {
			t.Errorf("%s has more than %d bytes (%v)", f.Name(), mostBytes, err)
		}
	}
	if !slices.Equal(shown, wanted) || !slices.Equal(kept, wanted) {
		t.Errorf("the README shows %q, there are %q, and make pictures takes %q", shown, kept, wanted)
	}
}

// takePictures takes all pictures with a browser.
func takePictures(t *testing.T, signIn string, pictures []picture) {
	t.Helper()
	b := openDemoTab(t, signIn)
	for _, p := range pictures {
		b.Do(t, chromedp.Navigate(p.address))
		for _, scheme := range p.schemes {
			b.Look(t, scheme, p.width)
			b.Do(t, chromedp.EmulateViewport(p.width, p.height))
			shot, err := chromedp.Run(b.Ctx, chromedp.CaptureScreenshot())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(picturesDir, p.file(scheme)), fewColours(t, shot), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// fewColours writes a picture with the 256 colours that most of its pixels have, and the nearest of them for the others.
func fewColours(t testing.TB, shot []byte) []byte {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	area, pixels := full.Bounds(), map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(full.At(x, y)).(color.RGBA) }
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			pixels[at(x, y)]++
		}
	}
	few := image.NewPaletted(area, commonest(pixels))
	known := map[color.RGBA]uint8{}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			c := at(x, y)
			if _, seen := known[c]; !seen {
				known[c] = uint8(few.Palette.Index(c))
			}
			few.SetColorIndex(x, y, known[c])
		}
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, few); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// commonest are the colours that most pixels have, in an order that depends on nothing else.
func commonest(pixels map[color.RGBA]int) (few color.Palette) {
	all := make([]color.RGBA, 0, len(pixels))
	for c := range pixels {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b color.RGBA) int {
		if d := pixels[b] - pixels[a]; d != 0 {
			return d
		}
		return (int(a.R)-int(b.R))<<16 + (int(a.G)-int(b.G))<<8 + int(a.B) - int(b.B)
	})
	for _, c := range all[:min(len(all), 256)] {
		few = append(few, c)
	}
	return few
}
