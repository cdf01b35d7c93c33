package status

import (
	"fmt"
	"math"
	"strings"

	"sett/internal/sett"
)

// Shade is an accent colour as a page uses it in one colour scheme.
type Shade struct {
	Color   string  // #rrggbb
	Ratio   float64 // its lowest contrast with the grounds of the scheme
	Changed bool    // the chosen colour had too little contrast
}

// rgb is a colour in sRGB, from 0 to 255.
type rgb [3]float64

// The grounds of a status page that have the least contrast with an accent colour: raised buttons, in light and in dark. A test
// compares them with the style.
const (
	lightGround = "#f1efea"
	darkGround  = "#262320"
)

// leastContrast is the contrast that text needs (WCAG 2.2, 1.4.3); all that the accent colour is used for is text, or needs less.
const leastContrast = 4.5

// Accents returns the shades of a chosen colour that can be read in light and in dark: the colour itself where it has enough
// contrast, otherwise the nearest darker or lighter one that has.
func Accents(chosen string) (light, dark Shade) {
	return shade(chosen, lightGround, rgb{}), shade(chosen, darkGround, rgb{255, 255, 255})
}

// shade mixes a colour with another one until it has enough contrast.
func shade(chosen, ground string, towards rgb) Shade {
	from, on := parseColor(chosen), parseColor(ground)
	const steps = 100
	for n := range steps + 1 {
		mixed := from.mixed(towards, float64(n)/steps)
		if ratio := mixed.contrast(on); ratio >= leastContrast || n == steps {
			return Shade{mixed.hex(), ratio, n > 0}
		}
	}
	return Shade{}
}

// checkAccent notes a colour that cannot be read, and returns it in lower case with six digits.
func checkAccent(p *sett.Problems, field, color string) string {
	color = strings.ToLower(strings.TrimSpace(color))
	if len(color) == 4 && color[0] == '#' {
		color = "#" + strings.Repeat(color[1:2], 2) + strings.Repeat(color[2:3], 2) + strings.Repeat(color[3:4], 2)
	}
	digits, ok := strings.CutPrefix(color, "#")
	if color != "" && (!ok || len(digits) != 6 || strings.Trim(digits, "0123456789abcdef") != "") {
		p.Add(field, "must be a color such as #2f4fa8")
	}
	return color
}

// parseColor reads #rrggbb; what is none is black.
func parseColor(hex string) (c rgb) {
	var r, g, b int
	if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b); err != nil {
		return rgb{}
	}
	return rgb{float64(r), float64(g), float64(b)}
}

func (c rgb) hex() string {
	return fmt.Sprintf("#%02x%02x%02x", int(math.Round(c[0])), int(math.Round(c[1])), int(math.Round(c[2])))
}

func (c rgb) mixed(other rgb, share float64) rgb {
	for n := range c {
		c[n] = math.Round(c[n] + (other[n]-c[n])*share)
	}
	return c
}

// luminance is the relative luminance (WCAG 2.2).
func (c rgb) luminance() float64 {
	linear := func(v float64) float64 {
		if v /= 255; v > 0.04045 {
			return math.Pow((v+0.055)/1.055, 2.4)
		}
		return v / 12.92
	}
	return 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2])
}

func (c rgb) contrast(other rgb) float64 {
	a, b := c.luminance(), other.luminance()
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

// Style returns the CSS that a page adds to its own: the shades of its accent colour, and its custom CSS.
func (f StatusFeatures) Style() string {
	if f.AccentColor == "" {
		return f.CustomCSS
	}
	light, dark := Accents(f.AccentColor)
	return fmt.Sprintf(":root { --accent: %s; }\n@media (prefers-color-scheme: dark) { :root { --accent: %s; } }\nhtml { border-top: 4px solid var(--accent); }\n%s",
		light.Color, dark.Color, f.CustomCSS)
}
