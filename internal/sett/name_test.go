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
	} {
		var p Problems
		if CheckName(&p, "name", name); strings.Join(p, "; ") != want {
			t.Errorf("%q: %q, want %q", name, p, want)
		}
	}
}

func TestCheckEmail(t *testing.T) {
	t.Parallel()
	const wrong = "email must be an email address such as you@example.org"
	for address, want := range map[string]string{
		"ann@example.org":                      "",
		"ann+sett@localhost":                   "",
		strings.Repeat("a", 253) + "@b":        "",
		strings.Repeat("a", 254) + "@b":        "email is too long (maximum is 255 characters)",
		"":                                     wrong,
		"ann":                                  wrong,
		"@example.org":                         wrong,
		"ann@":                                 wrong,
		"ann@example@org":                      wrong,
		"ann @example.org":                     wrong,
		"ann@example.org\r\nBcc:b@example.org": wrong + "; email must not contain control characters",
	} {
		var p Problems
		if CheckEmail(&p, "email", address); strings.Join(p, "; ") != want {
			t.Errorf("%q: %q, want %q", address, p, want)
		}
	}
}
