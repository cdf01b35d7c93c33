package flow

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"sett/e2e/rig/browser"
)

// takenFile, beside the pictures, has what each page showed when its picture was taken.
const takenFile = "taken.txt"

// shownOnPage is what makes a page look as it does, but for what differs between machines: fonts, and the places and sizes that follow from them. Those are the
// texts in their order; and of every visible element its kind, the styles that a style sheet sets, and the shapes of charts.
const shownOnPage = `(() => {
	const styles = ["display", "position", "color", "backgroundColor", "backgroundImage", "borderTopColor", "borderTopStyle", "borderTopWidth", "borderLeftWidth", "borderTopLeftRadius",
		"fontSize", "fontWeight", "fontStyle", "textDecorationLine", "textTransform", "textAlign", "opacity", "fill", "stroke", "paddingTop", "paddingLeft", "columnGap", "rowGap", "flexDirection", "float"];
	const shapes = ["d", "points", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "width", "height", "viewBox", "transform", "style"];
	const texts = [], looks = [];
	const read = e => {
		if (!e.checkVisibility({checkOpacity: true, checkVisibilityCSS: true})) return;
		const style = getComputedStyle(e);
		looks.push(e.localName + " " + styles.map(name => style[name]).join(";") + " " + shapes.map(name => e.getAttribute(name) ?? "").join(";"));
		for (const n of e.childNodes) {
			if (n.nodeType === Node.ELEMENT_NODE) read(n);
			else if (n.nodeType === Node.TEXT_NODE && n.data.trim()) texts.push(n.data.trim().replace(/\s+/g, " "));
		}
		if (e.localName === "input" && e.type !== "hidden") texts.push("[" + (e.value || e.placeholder) + "]");
	};
	read(document.body);
	return {texts, looks};
})()`

// checkTaken compares what the pages show with what they showed when their pictures were taken, and the pictures with those that were taken then. With
// -pictures, it takes them.
func checkTaken(t *testing.T, signIn string, pictures []picture) {
	t.Helper()
	b, now := openDemoTab(t, signIn), &strings.Builder{}
	utc := emulation.SetTimezoneOverrideParams{TimezoneID: "UTC"} // pages say times in that of their reader
	if _, err := chromedp.Call(b.Ctx, emulation.SetTimezoneOverride, utc); err != nil {
		t.Fatal(err)
	}
	b.Do(t, chromedp.Navigate(pictures[0].address)) // its script keeps the time zone in a cookie
	for _, p := range pictures {
		b.Do(t, chromedp.Navigate(p.address))
		var texts []string
		for _, scheme := range p.schemes {
			b.Look(t, scheme, p.width)
			b.Do(t, chromedp.EmulateViewport(p.width, p.height))
			shown := browser.Evaluate[struct{ Texts, Looks []string }](t, b, shownOnPage)
			texts = shown.Texts
			if *makePictures {
				takePicture(t, b, p.file(scheme))
			}
			fmt.Fprintf(now, "%s %s, %d elements that look like %s\n", p.file(scheme), sumOfPicture(t, p.file(scheme)), len(shown.Looks), sum([]byte(strings.Join(shown.Looks, "\n"))))
		}
		for _, text := range texts {
			fmt.Fprintf(now, "\t%s\n", text)
		}
	}
	file := filepath.Join(picturesDir, takenFile)
	if *makePictures {
		if err := os.WriteFile(file, []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	then, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(then), "\n"), strings.Split(now.String(), "\n")); diff != "" {
		t.Errorf("pictures are old: run make pictures, and look at what it has changed (-when they were taken +now):\n%s", diff)
	}
}

func sum(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data))[:12] }

func sumOfPicture(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(picturesDir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return "is missing"
	}
	if err != nil {
		t.Fatal(err)
	}
	return sum(data)
}

// takePicture takes a picture of what a browser shows.
func takePicture(t *testing.T, b *browser.Tab, name string) {
	t.Helper()
	shot, err := chromedp.Run(b.Ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(picturesDir, name), fewColours(t, shot), 0o644); err != nil {
		t.Fatal(err)
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
