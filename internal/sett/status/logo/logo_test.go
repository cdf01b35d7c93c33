package logo

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

// pngOf encodes a picture of one color with a transparent half.
func pngOf(t testing.TB, width, height int, ink color.Color) []byte {
	t.Helper()
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for x := range width / 2 {
		for y := range height {
			picture.Set(x, y, ink)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t testing.TB, width, height int) []byte {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		for y := range height {
			picture.Set(x, y, color.RGBA{uint8(x * y), uint8(x), uint8(y * 7), 255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, picture, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// onePixel is a WebP file of one pixel.
func onePixel(t testing.TB) []byte {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestPicturesAreDrawnAnew(t *testing.T) {
	t.Parallel()
	secret := append(pngOf(t, 1280, 320, color.NRGBA{20, 20, 20, 255}), "<script>alert(1)</script>"...)
	for name, c := range map[string]struct {
		file          []byte
		width, height int
		ink           Ink
		ending        string
	}{
		"a large PNG with more behind it": {secret, 640, 160, DarkInk, ".png"},
		"a small light one":               {pngOf(t, 40, 40, color.White), 40, 40, LightInk, ".png"},
		"a colorful one":                  {pngOf(t, 40, 40, color.NRGBA{200, 120, 40, 255}), 40, 40, AnyInk, ".png"},
		"a tall one":                      {pngOf(t, 2, 1600, color.White), 1, 160, LightInk, ".png"},
		"a photo":                         {jpegOf(t, 900, 900), 160, 160, AnyInk, ".jpg"},
		"WebP":                            {onePixel(t), 1, 1, AnyInk, ".png"},
	} {
		got, err := Read(c.file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Width != c.width || got.Height != c.height || got.Ink != c.ink || !strings.HasPrefix(got.Name, "logo.") || !strings.HasSuffix(got.Name, c.ending) {
			t.Errorf("%s: %d × %d, ink %q, %s", name, got.Width, got.Height, got.Ink, got.Name)
		}
		config, format, err := image.DecodeConfig(bytes.NewReader(got.Body))
		if err != nil || config.Width != got.Width || "image/"+format != Type(got.Name) {
			t.Errorf("%s: %s of %d pixels: %v", name, format, config.Width, err)
		}
		if bytes.Contains(got.Body, []byte("script")) {
			t.Errorf("%s: what is behind the picture is kept", name)
		}
	}
}

// bomb is the head of a PNG that claims to be very large.
func bomb(width, height uint32) []byte {
	head := binary.BigEndian.AppendUint32([]byte("IHDR"), width)
	head = append(binary.BigEndian.AppendUint32(head, height), 8, 6, 0, 0, 0)
	file := binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n"), 13)
	return binary.BigEndian.AppendUint32(append(file, head...), crc32.ChecksumIEEE(head))
}

func TestHostileFilesAreRefused(t *testing.T) {
	t.Parallel()
	whole := pngOf(t, 40, 40, color.White)
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"nothing":             {nil, "must be a PNG, JPEG or WebP image"},
		"SVG":                 {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), "SVG can contain scripts"},
		"SVG behind XML":      {[]byte("<?xml version=\"1.0\"?>\n<!-- x --><SVG/>"), "SVG can contain scripts"},
		"HTML":                {[]byte("<html><script>"), "must be a PNG, JPEG or WebP image"},
		"GIF":                 {[]byte("GIF89a"), "must be a PNG, JPEG or WebP image"},
		"half a PNG":          {whole[:len(whole)/2], "is damaged"},
		"the start of a JPEG": {[]byte("\xff\xd8\xff\xe0"), "is damaged"},
		"the start of a WebP": {[]byte("RIFF\x10\x00\x00\x00WEBPVP8 "), "is damaged"},
		"wide":                {bomb(60_000, 60_000), "which is too many"},
		"many pixels":         {bomb(2001, 2000), "which is too many"},
		"no pixels":           {bomb(0, 10), "is damaged"},
		"too many bytes":      {append(whole, make([]byte, MostBytes)...), "is too large (maximum is 512 KiB)"},
	} {
		if got, err := Read(c.file); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %+v, %v; want %q", name, got.Name, err, c.says)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(pngOf(f, 8, 8, color.White))
	f.Add(jpegOf(f, 8, 8))
	f.Add(onePixel(f))
	f.Add(bomb(9, 9))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Read(data)
		if err == nil && (got.Width < 1 || got.Width > keptWidth || got.Height < 1 || got.Height > keptHeight) {
			t.Errorf("%d × %d", got.Width, got.Height)
		}
	})
}
