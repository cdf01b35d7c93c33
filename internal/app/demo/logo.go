package demo

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
)

// logo returns the mark of the company as a PNG in base64: an A in a square.
func logo() (string, error) {
	const side = 96
	mark := image.NewNRGBA(image.Rect(0, 0, side, side))
	ground, ink := color.NRGBA{0x12, 0x6e, 0x82, 255}, color.NRGBA{255, 255, 255, 255}
	for y := range side {
		for x := range side {
			mark.Set(x, y, ground)
			if isStroke(x-side/2, y-16) {
				mark.Set(x, y, ink)
			}
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, mark); err != nil {
		return "", fmt.Errorf("draw logo: %w", err)
	}
	return base64.StdEncoding.EncodeToString(file.Bytes()), nil
}

// isStroke reports whether a point is on the letter, which is 64 high; x is measured from its middle and y from its top.
func isStroke(x, y int) bool {
	if x < 0 {
		x = -x
	}
	if y < 0 || y >= 64 {
		return false
	}
	leg := x*2 - y
	return leg >= -12 && leg <= 12 || y >= 40 && y < 48 && leg < 0
}
