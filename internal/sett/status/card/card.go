// Package card draws the picture that chats and social networks show for a link to a status page or an incident. Texts come in, and a PNG
// goes out. Long texts are wrapped and cut. The fonts have Latin, Greek and Cyrillic letters: Readable says what they cannot write, so that
// the caller draws something else, and never boxes.
package card

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg" // logos are JPEG or PNG
	"image/png"
	"sync"

	scale "golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// Width and Height are those that most readers of such pictures recommend.
const (
	Width  = 1200
	Height = 630
)

// Card is what a picture shows. All texts must be readable; see Readable.
type Card struct {
	Name   string // of the page
	Title  string // the headline of the page, or the name of an incident
	State  string // of an incident; "" : none
	Place  string // the host of the page
	Ink    string // the color of the state, as #rrggbb
	Accent string // the color of the page, as #rrggbb
	Logo   []byte // PNG or JPEG; nil for none
}

// version grows with every change of how cards are drawn, so that old pictures are fetched again.
const version = 1

// Key names the content of the card.
func (c Card) Key() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %q", version, []any{c.Name, c.Title, c.State, c.Place, c.Ink, c.Accent, c.Logo}))
	return fmt.Sprintf("%x", sum[:6])
}

// The places of the picture.
const (
	margin    = 80
	band      = 16 // of the accent color, at the top
	logoMost  = 72 // the height of a logo
	headLine  = 150
	titleTop  = 216
	titleMost = 3 // lines
	footLine  = Height - 64
	dot       = 22 // the radius of the mark of the state
)

var (
	ground = color.RGBA{0xf7, 0xf6, 0xf3, 0xff}
	text   = color.RGBA{0x1c, 0x1a, 0x17, 0xff}
	quiet  = color.RGBA{0x54, 0x4e, 0x46, 0xff}
)

// The fonts are read when the first card is drawn.
var (
	regular = sync.OnceValues(func() (*sfnt.Font, error) { return opentype.Parse(goregular.TTF) })
	bold    = sync.OnceValues(func() (*sfnt.Font, error) { return opentype.Parse(gobold.TTF) })
)

// picture is a card that is being drawn.
type picture struct {
	*image.RGBA       // to draw on: it is faster than what embeds it
	err         error // the first
}

// PNG draws the card.
func (c Card) PNG() ([]byte, error) {
	p := &picture{RGBA: image.NewRGBA(image.Rect(0, 0, Width, Height))}
	draw.Draw(p.RGBA, p.Bounds(), image.NewUniform(ground), image.Point{}, draw.Src)
	draw.Draw(p.RGBA, image.Rect(0, 0, Width, band), image.NewUniform(parse(c.Accent)), image.Point{}, draw.Src)
	at := margin + p.logo(c.Logo)
	p.line(p.face(bold, 44), at, headLine, Width-margin-at, c.Name, text)
	p.title(c)
	p.line(p.face(regular, 30), margin, footLine, Width-2*margin, c.Place, quiet)
	if p.err != nil {
		return nil, fmt.Errorf("draw card: %w", p.err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, p.RGBA); err != nil {
		return nil, fmt.Errorf("encode card: %w", err)
	}
	return b.Bytes(), nil
}

// title draws the mark of the state, the title and the state below it.
func (p *picture) title(c Card) {
	const size, leading = 64, 78
	ink, face := parse(c.Ink), p.face(bold, size)
	left := margin + 3*dot
	y := titleTop + size
	p.disc(margin+dot, y-size/3, dot, ink)
	for _, line := range wrap(face, c.Title, Width-margin-left, titleMost) {
		p.line(face, left, y, Width-margin-left, line, text)
		y += leading
	}
	p.line(p.face(bold, 36), left, y-14, Width-margin-left, c.State, ink)
}

// logo draws the logo beside the name and returns how wide it is, with the space after it. One that cannot be read is left out.
func (p *picture) logo(body []byte) int {
	if len(body) == 0 {
		return 0
	}
	logo, _, err := image.Decode(bytes.NewReader(body))
	if err != nil || logo.Bounds().Empty() {
		return 0
	}
	w, h := logo.Bounds().Dx(), logo.Bounds().Dy()
	w, h = min(Width/2, w*logoMost/h), logoMost
	top := headLine - 16 - h/2
	scale.CatmullRom.Scale(p.RGBA, image.Rect(margin, top, margin+w, top+h), logo, logo.Bounds(), scale.Over, nil)
	return w + 28
}

// face returns a font in a size, in pixels. It is nil after an error.
func (p *picture) face(of func() (*sfnt.Font, error), size float64) font.Face {
	f, err := of()
	if err == nil && p.err == nil {
		var face font.Face
		if face, err = opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone}); err == nil {
			return face
		}
	}
	if p.err == nil {
		p.err = err
	}
	return nil
}

// line draws a text on a line, cut to a width.
func (p *picture) line(face font.Face, x, y, width int, text string, ink color.Color) {
	if p.err != nil || text == "" {
		return
	}
	d := font.Drawer{Dst: p.RGBA, Src: image.NewUniform(ink), Face: face, Dot: fixed.P(x, y)}
	d.DrawString(cut(face, text, width))
}

// disc draws a filled circle.
func (p *picture) disc(x, y, r int, ink color.Color) {
	const k = 0.5523 // of the Bézier curves of a quarter
	cx, cy, rr := float32(x), float32(y), float32(r)
	v := vector.NewRasterizer(Width, Height)
	v.MoveTo(cx+rr, cy)
	v.CubeTo(cx+rr, cy+k*rr, cx+k*rr, cy+rr, cx, cy+rr)
	v.CubeTo(cx-k*rr, cy+rr, cx-rr, cy+k*rr, cx-rr, cy)
	v.CubeTo(cx-rr, cy-k*rr, cx-k*rr, cy-rr, cx, cy-rr)
	v.CubeTo(cx+k*rr, cy-rr, cx+rr, cy-k*rr, cx+rr, cy)
	v.ClosePath()
	v.Draw(p.RGBA, p.Bounds(), image.NewUniform(ink), image.Point{})
}

// parse reads a color as #rrggbb; what is none is gray.
func parse(hex string) color.RGBA {
	c := color.RGBA{0x93, 0x8c, 0x80, 0xff}
	var r, g, b uint8
	if n, err := fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b); n == 3 && err == nil {
		c.R, c.G, c.B = r, g, b
	}
	return c
}
