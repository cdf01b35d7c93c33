package sett

import (
	"strings"
	"testing"
)

func TestCheckName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Sett":                    "",
		strings.Repeat("ß", 255):  "",
		strings.Repeat("ß", 256):  "name is too long (maximum is 255 characters)",
		" \t":                     "name can't be blank; name must not contain control characters",
		"":                        "name can't be blank",
		"two\nlines":              "name must not contain control characters",
		"S\xe9tt":                 "name must be UTF-8",
		"\u00a0\u2003":            "name can't be blank",
		"Größe, 大きさ & \U0001f980": "",

		"a\u0085b\u009f":                          "name must not contain control characters",
		"\u0080":                                  "name can't be blank; name must not contain control characters",
		"two\u2028lines":                          "name must not contain control characters",
		"\u200b\u200c\u200d\u2060\ufeff\u00ad":    "name can't be blank",
		"\ufe0f\u3164\u2800 ":                     "name can't be blank",
		"\U0001f469\u200d\U0001f4bb \u2764\ufe0f": "", // emoji that are joined
		"می\u200cخواهم":                           "", // Persian needs what it joins not to be
		"شركة עברית":                              "",
	} {
		var p Problems
		if CheckName(&p, "name", name); strings.Join(p, "; ") != want {
			t.Errorf("%q: %q, want %q", name, p, want)
		}
	}
}

// Text that turns its own direction can look like any other.
func TestNamesReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	const want = "name must not contain characters that change the direction of the text"
	for _, r := range "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c" {
		var p Problems
		if CheckName(&p, "name", "a"+string(r)+"b"); strings.Join(p, "; ") != want {
			t.Errorf("%U: %q", r, p)
		}
	}
}
