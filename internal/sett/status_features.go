package sett

import (
	"encoding/json"
	"strconv"
	"strings"
)

// featureNames returns the keys of a page's features.
func featureNames() []string {
	return []string{"home_link", "up_caption", "down_caption", "mixed_caption", "custom_css"}
}

// UnmarshalJSON notes keys that there are not: whoever misspells one would look for its effect in vain.
func (f *StatusFeaturesChange) UnmarshalJSON(data []byte) error {
	type fields StatusFeaturesChange // without this method
	if err := json.Unmarshal(data, (*fields)(f)); err != nil {
		return err
	}
	f.unknown = unknownKeys(data, featureNames())
	return nil
}

// used reports whether any feature is given a value.
func (f StatusFeaturesChange) used() bool {
	return f.HomeLink.Value+f.UpCaption.Value+f.DownCaption.Value+f.MixedCaption.Value+f.CustomCSS.Value != ""
}

// maxCustomCSS is how long custom styles are at most, in bytes.
const maxCustomCSS = 20_000

// checkCustomCSS notes what keeps styles from being added to a page: they must load nothing and end nothing. Comments and
// strings are looked at as all else is, so that nothing can hide in what only looks like one.
func checkCustomCSS(p *Problems, field, css string) {
	if len(css) > maxCustomCSS {
		p.Add(field, "is too long (maximum is %d bytes)", maxCustomCSS)
		return
	}
	if strings.Contains(css, "<") {
		p.Add(field, "must not contain the character <")
	}
	for _, text := range []string{strings.ToLower(css), strings.ToLower(withoutEscapes(css))} {
		if says := cssProblem(text); says != "" {
			p.Add(field, "%s", says)
			return
		}
	}
}

// cssProblem says what in styles, in lower case, could load something from elsewhere, or returns "".
func cssProblem(css string) string {
	if strings.Contains(css, "@import") {
		return "must not contain @import: put the styles themselves here"
	}
	for _, function := range []string{"image-set(", "image(", "src(", "cross-fade(", "expression("} {
		if strings.Contains(css, function) {
			return "must not contain " + function + "): use url() with data:image/"
		}
	}
	for rest := css; ; {
		_, after, found := strings.Cut(rest, "url(")
		if !found {
			return ""
		}
		rest = after
		if !strings.HasPrefix(strings.TrimLeft(after, " \t\r\n\f\"'"), "data:image/") {
			return "must not contain url() with anything but data:image/…: nothing may be loaded from elsewhere"
		}
	}
}

// withoutEscapes returns styles with every escape replaced by what it stands for (CSS Syntax Level 3 §4.3.7).
func withoutEscapes(css string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(css, `\`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		digits := 0
		for digits < min(6, len(after)) && strings.IndexByte("0123456789abcdefABCDEF", after[digits]) >= 0 {
			digits++
		}
		if digits == 0 {
			css = after // the next character stands for itself
			continue
		}
		if code, err := strconv.ParseUint(after[:digits], 16, 32); err == nil {
			b.WriteRune(rune(code))
		}
		css = after[digits:]
		if css != "" && strings.IndexByte(" \t\r\n\f", css[0]) >= 0 {
			css = css[1:]
		}
	}
}
