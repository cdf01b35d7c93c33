package card

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
)

func sample() Card {
	return Card{Name: "Acme status", Title: "Some systems are experiencing problems", Place: "status.acme.example.test", Ink: "#b2760f", Accent: "#126e82"}
}

func drawn(t testing.TB, c Card) image.Image {
	t.Helper()
	body, err := c.PNG()
	if err != nil {
		t.Fatal(err)
	}
	if len(body) > 100<<10 {
		t.Errorf("the picture has %d bytes", len(body))
	}
	picture, err := png.Decode(bytes.NewReader(body))
	if err != nil || picture.Bounds() != image.Rect(0, 0, Width, Height) {
		t.Fatalf("%v, %v", picture.Bounds(), err)
	}
	return picture
}

// inked counts the pixels of a part that are not the ground.
func inked(picture image.Image, part image.Rectangle) (n int) {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if color.RGBAModel.Convert(picture.At(x, y)) != color.Color(ground) {
				n++
			}
		}
	}
	return n
}

// However long its texts are, a card has a margin, and nothing runs into the last line.
func TestTextsStayWithinTheCard(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"short": "Up", "words": strings.Repeat("words and words ", 40), "one word": strings.Repeat("W", 5000), "wide and narrow": strings.Repeat("i WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW ", 9),
	} {
		c := sample()
		c.Name, c.Title, c.State, c.Place = Readable(text), Readable(text), Readable(text), Readable(text)
		picture := drawn(t, c)
		for edge, part := range map[string]image.Rectangle{
			"left": image.Rect(0, band, margin, Height), "right": image.Rect(Width-margin+1, band, Width, Height), "bottom": image.Rect(0, Height-48, Width, Height),
		} {
			if n := inked(picture, part); n > 0 {
				t.Errorf("%s: %d pixels in the margin at the %s", name, n, edge)
			}
		}
		if inked(picture, image.Rect(margin, titleTop, Width-margin, Height-100)) == 0 {
			t.Errorf("%s: the title is missing", name)
		}
	}
}

func TestLogosAreDrawn(t *testing.T) {
	t.Parallel()
	logo := image.NewRGBA(image.Rect(0, 0, 10, 10))
	for n := range logo.Pix {
		logo.Pix[n] = 0xff * byte(n%2)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, logo); err != nil {
		t.Fatal(err)
	}
	place := image.Rect(margin+20, headLine-40, margin+logoMost-20, headLine-20)
	for body, want := range map[string]int{b.String(): place.Dx() * place.Dy(), "no picture": 0} {
		c := sample()
		c.Name, c.Logo = "", []byte(body)
		if n := inked(drawn(t, c), place); n != want {
			t.Errorf("%d pixels, want %d", n, want)
		}
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Störung bei Zahlungen – heute": "Störung bei Zahlungen – heute", "Всё работает": "Всё работает", "Λειτουργεί": "Λειτουργεί",
		"Cafe\u0301": "Café", " two\n lines\t": "two lines", "🎉 Party\ufe0f ✅": "Party", "状態": "", "Shop 状態": "", "مرحبا": "", "🎉": "", "": "", "a\x00\u202eb": "ab",
	} {
		if got := Readable(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if n := len([]rune(Readable(strings.Repeat("x", 100_000)))); n != longest {
		t.Errorf("%d characters are looked at", n)
	}
}

// All that a card shows is in its key.
func TestKeysOfCards(t *testing.T) {
	t.Parallel()
	keys := map[string]bool{sample().Key(): true}
	keys[sample().Key()] = true
	for _, change := range []func(*Card){
		func(c *Card) { c.Name += "!" }, func(c *Card) { c.Title += "!" }, func(c *Card) { c.State += "!" }, func(c *Card) { c.Place += "!" },
		func(c *Card) { c.Ink = "#000000" }, func(c *Card) { c.Accent = "#000000" }, func(c *Card) { c.Logo = []byte{1} },
	} {
		c := sample()
		change(&c)
		keys[c.Key()] = true
	}
	if len(keys) != 8 {
		t.Errorf("%d different keys", len(keys))
	}
}

// BenchmarkPNG is what it costs to draw a card.
func BenchmarkPNG(b *testing.B) {
	c := sample()
	c.Title = strings.Repeat("Some payments fail in Europe ", 5)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.PNG(); err != nil {
			b.Fatal(err)
		}
	}
}
