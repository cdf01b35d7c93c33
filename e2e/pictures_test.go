package e2e

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// makePictures has the pictures of the README made anew: go test . -run Pictures -pictures
var makePictures = flag.Bool("pictures", false, "make the pictures of the README anew, in docs/pictures")

// picturesDir is where they are; mostBytes is how large one may be.
const (
	picturesDir = "../docs/pictures"
	mostBytes   = 120 << 10
)

// The README shows each picture that there is, and no other, and none of them is large.
func TestPicturesOfTheReadme(t *testing.T) {
	t.Parallel()
	if *makePictures {
		takePictures(t)
	}
	readme, err := os.ReadFile("../README.md")
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
	if !slices.Equal(shown, kept) || len(kept) > 8 {
		t.Errorf("the README shows %q, and there are %q", shown, kept)
	}
}

// takePictures takes them of the demo whose clock stands still, so that they are the same whenever they are taken.
func takePictures(t *testing.T) {
	base, signIn := serveDemo(t)
	b := openDemoTab(t, signIn)
	errors := base + "/projects/1/faults"
	fault := b.follow(t, errors+"?q=has:comment+balance+is:unresolved", "gift card")
	site := b.follow(t, base+"/projects/1/sites", "checkout.acme.test")
	for _, p := range []struct {
		name, address string
		width, height int64
		schemes       []string
	}{
		{"error", fault, 1280, 900, []string{"light", "dark"}},
		{"uptime", site, 1280, 900, []string{"light", "dark"}},
		{"status", base + "/status/acme", 1000, 900, []string{"light", "dark"}},
		{"phone", errors, 390, 780, []string{"light"}},
	} {
		b.do(t, chromedp.Navigate(p.address))
		for _, scheme := range p.schemes {
			b.look(t, scheme, p.width)
			b.do(t, chromedp.EmulateViewport(p.width, p.height))
			shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
			if err != nil {
				t.Fatal(err)
			}
			name := p.name + "-" + scheme + ".png"
			if len(p.schemes) == 1 {
				name = p.name + ".png"
			}
			if err := os.WriteFile(filepath.Join(picturesDir, name), fewColours(t, shot), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// follow returns where the first link with some words on a page leads.
func (b *tab) follow(t testing.TB, address, words string) (to string) {
	t.Helper()
	b.do(t, chromedp.Navigate(address))
	return evaluate[string](t, b, `([...document.querySelectorAll("main a")].find(a => a.textContent.includes("`+words+`")) || {href: ""}).href`)
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
