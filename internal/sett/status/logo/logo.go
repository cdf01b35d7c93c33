// Package logo reads the picture that the owner of a status page uploads. It takes a file of a stranger (PNG, JPEG or WebP), and returns a
// small picture that this package has drawn and encoded itself, or the reason why the file is refused. Nothing of the file itself is kept:
// no metadata, no scripts and no bytes behind the picture. SVG is refused, because it can contain scripts.
package logo

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// Image is a logo that can be shown.
type Image struct {
	Body          []byte
	Name          string // a file name with a hash of the body
	Width, Height int    // in pixels
	Ink           Ink
}

// Ink says on which ground a picture with transparent parts cannot be seen.
type Ink string

// The inks.
const (
	AnyInk   Ink = ""      // opaque, or visible on both
	DarkInk  Ink = "dark"  // needs a light ground
	LightInk Ink = "light" // needs a dark ground
)

// Limits of files, and of what is kept of them.
const (
	MostBytes  = 512 << 10
	mostSide   = 5000      // pixels
	mostPixels = 4_000_000 // 16 MB once decoded
	keptWidth  = 640
	keptHeight = 160
	quality    = 90
)

// Type returns the media type of a file that Read has named.
func Type(name string) string {
	if strings.HasSuffix(name, ".jpg") {
		return "image/jpeg"
	}
	return "image/png"
}

// format is a kind of file that Read accepts.
type format struct {
	begins, at8 string // its first bytes, and those at the eighth
	config      func(*bytes.Reader) (image.Config, error)
	decode      func(*bytes.Reader) (image.Image, error)
}

func formats() []format {
	return []format{
		{"\x89PNG\r\n\x1a\n", "", func(r *bytes.Reader) (image.Config, error) { return png.DecodeConfig(r) }, func(r *bytes.Reader) (image.Image, error) { return png.Decode(r) }},
		{"\xff\xd8\xff", "", func(r *bytes.Reader) (image.Config, error) { return jpeg.DecodeConfig(r) }, func(r *bytes.Reader) (image.Image, error) { return jpeg.Decode(r) }},
		{"RIFF", "WEBP", func(r *bytes.Reader) (image.Config, error) { return webp.DecodeConfig(r) }, func(r *bytes.Reader) (image.Image, error) { return webp.Decode(r) }},
	}
}

func (f format) of(data []byte) bool {
	return bytes.HasPrefix(data, []byte(f.begins)) && (f.at8 == "" || len(data) > 8 && bytes.HasPrefix(data[8:], []byte(f.at8)))
}

// Read returns the logo in a file. Its error continues a sentence that begins with what was sent: "must be …".
func Read(data []byte) (Image, error) {
	if len(data) > MostBytes {
		return Image{}, fmt.Errorf("is too large (maximum is %d KiB)", MostBytes>>10)
	}
	for _, f := range formats() {
		if f.of(data) {
			return f.read(data)
		}
	}
	if start := strings.ToLower(string(data[:min(len(data), 1000)])); strings.Contains(start, "<svg") || strings.Contains(start, "<?xml") {
		return Image{}, errors.New("must be a PNG, JPEG or WebP image. SVG can contain scripts: export the logo as PNG, for example 600 pixels wide")
	}
	return Image{}, errors.New("must be a PNG, JPEG or WebP image")
}

func (f format) read(data []byte) (Image, error) {
	config, err := f.config(bytes.NewReader(data))
	if err != nil || config.Width <= 0 || config.Height <= 0 {
		return Image{}, errors.New("cannot be read: the image is damaged. Export it again")
	}
	if config.Width > mostSide || config.Height > mostSide || config.Width*config.Height > mostPixels {
		return Image{}, fmt.Errorf("has %d × %d pixels, which is too many (maximum is %d million). 600 pixels wide are enough", config.Width, config.Height, mostPixels/1_000_000)
	}
	picture, err := f.decode(bytes.NewReader(data))
	if err != nil {
		return Image{}, errors.New("cannot be read: the image is damaged. Export it again")
	}
	return encoded(fitted(picture))
}

// fitted draws a picture anew, smaller if it is larger than what is kept.
func fitted(picture image.Image) *image.NRGBA {
	from := picture.Bounds()
	scale := min(1, keptWidth/float64(from.Dx()), keptHeight/float64(from.Dy()))
	to := image.Rect(0, 0, max(1, int(float64(from.Dx())*scale+0.5)), max(1, int(float64(from.Dy())*scale+0.5)))
	drawn := image.NewNRGBA(to)
	draw.CatmullRom.Scale(drawn, to, picture, from, draw.Src, nil)
	return drawn
}

// encoded returns the smaller encoding of a picture: only PNG has transparent parts.
func encoded(drawn *image.NRGBA) (Image, error) {
	var body bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&body, drawn); err != nil {
		return Image{}, fmt.Errorf("cannot be encoded: %w", err)
	}
	ending := ".png"
	if drawn.Opaque() {
		var photo bytes.Buffer
		if err := jpeg.Encode(&photo, drawn, &jpeg.Options{Quality: quality}); err == nil && photo.Len() < body.Len()/2 {
			body, ending = photo, ".jpg"
		}
	}
	sum := sha256.Sum256(body.Bytes())
	return Image{
		Body: body.Bytes(), Name: fmt.Sprintf("logo.%x%s", sum[:6], ending), Width: drawn.Rect.Dx(), Height: drawn.Rect.Dy(), Ink: inkOf(drawn),
	}, nil
}

// The luma below and above which a picture is not seen well on a dark or light ground, of 255.
const (
	darkLuma  = 90
	lightLuma = 190
)

// inkOf looks at the visible parts of a picture.
func inkOf(drawn *image.NRGBA) Ink {
	var luma, visible, all float64
	for at := 0; at+3 < len(drawn.Pix); at += 4 {
		p := drawn.Pix[at : at+4]
		share := float64(p[3]) / 255
		luma += share * float64(color.GrayModel.Convert(color.RGBA{p[0], p[1], p[2], 255}).(color.Gray).Y)
		visible, all = visible+share, all+1
	}
	switch {
	case visible == 0 || visible > 0.95*all:
		return AnyInk
	case luma/visible < darkLuma:
		return DarkInk
	case luma/visible > lightLuma:
		return LightInk
	}
	return AnyInk
}
