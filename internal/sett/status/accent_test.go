package status

import (
	"strings"
	"testing"

	"sett/internal/sett"
	"sett/internal/setttest/colour"
)

// Whatever the owner chooses, links and buttons can be read in light and in dark, and a color that can be read is left alone.
func TestAccentsCanBeRead(t *testing.T) {
	t.Parallel()
	for _, chosen := range []string{"#2f4fa8", "#ffffff", "#000000", "#ffff00", "#ff0000", "#00ff00", "#777777", "#9db4ff", "#0f0f0f", "#1d9bf0", "#123456"} {
		light, dark := Accents(chosen)
		for ground, s := range map[string]Shade{lightGround: light, darkGround: dark} {
			is := colour.Contrast(t, s.Color, ground)
			if is < 4.5 {
				t.Errorf("%s on %s: %s has a contrast of %.2f", chosen, ground, s.Color, is)
			}
			if s.Changed == (colour.Contrast(t, chosen, ground) >= 4.5) || !s.Changed && s.Color != chosen {
				t.Errorf("%s on %s is %+v", chosen, ground, s)
			}
		}
		if white, black := colour.Contrast(t, light.Color, "#ffffff"), colour.Contrast(t, dark.Color, "#11162b"); white < 4.5 || black < 4.5 {
			t.Errorf("%s: the texts of buttons have a contrast of %.2f and %.2f", chosen, white, black)
		}
	}
	if light, dark := Accents("#2f4fa8"); light.Changed || !dark.Changed {
		t.Errorf("%+v and %+v", light, dark)
	}
}

func TestAccentIsChecked(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{"": "", "#2F4FA8": "#2f4fa8", " #abc ": "#aabbcc"} {
		var p sett.Problems
		if got := checkAccent(&p, "accent", sent); got != want || len(p) > 0 {
			t.Errorf("%q: %q, %v", sent, got, p)
		}
	}
	for _, sent := range []string{"red", "#12", "#12345", "#1234567", "2f4fa8", "#gggggg", "#fff}", "url(x)", "#2f4fa8;", "#", "##fff", "#ééé"} {
		var p sett.Problems
		if checkAccent(&p, "accent", sent); len(p) != 1 || !strings.Contains(p[0], "must be a color such as") {
			t.Errorf("%q: %v", sent, p)
		}
	}
}

func TestStyleHasTheShades(t *testing.T) {
	t.Parallel()
	const css = "h1 { color: teal }"
	if got := (StatusFeatures{CustomCSS: css}).Style(); got != css {
		t.Errorf("without an accent color: %q", got)
	}
	got := StatusFeatures{CustomCSS: css, AccentColor: "#ffff00"}.Style()
	light, dark := Accents("#ffff00")
	if !strings.HasSuffix(got, css) || !strings.Contains(got, "--accent: "+light.Color) || !strings.Contains(got, "--accent: "+dark.Color) || dark.Color != "#ffff00" {
		t.Errorf("%q", got)
	}
}
