// Package colour is for tests of styles. It takes two colours as style sheets write them, and returns
// how well one can be read on the other (WCAG 2.2). It knows no page and reads no style sheet, so that
// tests of every room that draws something can use it.
package colour

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// Contrast returns the contrast of two colours such as #fff or #1c1a17, from 1 to 21 (WCAG 2.2, contrast ratio).
func Contrast(t testing.TB, a, b string) float64 {
	t.Helper()
	la, lb := luminance(t, a), luminance(t, b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(t testing.TB, colour string) float64 {
	t.Helper()
	hex := strings.TrimPrefix(colour, "#")
	if len(hex) == 3 {
		hex = fmt.Sprintf("%[1]c%[1]c%[2]c%[2]c%[3]c%[3]c", hex[0], hex[1], hex[2])
	}
	n, err := strconv.ParseUint(hex, 16, 24)
	if err != nil {
		t.Fatalf("%q is no colour", colour)
	}
	linear := func(shift int) float64 {
		c := float64(n>>shift&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(16) + 0.7152*linear(8) + 0.0722*linear(0)
}
