package channel

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseMailServer(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]MailServer{
		"smtp://mail.example.org":                     {Host: "mail.example.org", Port: "587", Security: StartTLS},
		"smtp://mail.example.org:25/":                 {Host: "mail.example.org", Port: "25", Security: StartTLS},
		"smtp://ann:p%40ss@mail.example.org":          {Host: "mail.example.org", Port: "587", User: "ann", Password: "p@ss", Security: StartTLS},
		"smtp://ann%40example.org:x@mail.example.org": {Host: "mail.example.org", Port: "587", User: "ann@example.org", Password: "x", Security: StartTLS},
		"smtps://ann:pass@mail.example.org":           {Host: "mail.example.org", Port: "465", User: "ann", Password: "pass", Security: ImplicitTLS},
		"smtps://[2001:db8::1]:1465":                  {Host: "2001:db8::1", Port: "1465", Security: ImplicitTLS},
		"smtp://relay:25?tls=none":                    {Host: "relay", Port: "25", Security: NoTLS},
		"smtp://ann:pass@localhost:1025?tls=none":     {Host: "localhost", Port: "1025", User: "ann", Password: "pass", Security: NoTLS},
		"smtp://ann:pass@[::1]:1025?tls=none":         {Host: "::1", Port: "1025", User: "ann", Password: "pass", Security: NoTLS},
		"stdout:":                                     {Print: true},
	} {
		got, err := ParseMailServer(address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", address, diff)
		}
	}
}

func TestParseMailServerRefuses(t *testing.T) {
	t.Parallel()
	const (
		noAddress = "is not the URL of a mail server; write smtp://user:password@host:587, smtps:// for implicit TLS, or stdout: to print emails"
		oneOfTwo  = "has only a user or only a password; write both as smtp://user:password@host:587, with special characters percent-encoded, or neither"
		question  = "has an unknown query; only ?tls=none is supported, with smtp://"
		clear     = "would send the password unencrypted; remove ?tls=none, or the user and password"
	)
	for address, want := range map[string]string{
		"":                                   noAddress,
		"mail.example.org":                   noAddress,
		"mail:hush":                          noAddress,
		"http://mail.example.org":            noAddress,
		"smtp://":                            noAddress,
		"smtp://:587":                        noAddress,
		"smtp://mail:0":                      noAddress,
		"smtp://mail:99999":                  noAddress,
		"smtp://mail:smtp":                   noAddress,
		"smtp://mail/inbox":                  noAddress,
		"smtp://mail#top":                    noAddress,
		"smtp://u:p#ss@mail":                 noAddress,
		"stdout":                             noAddress,
		"stdout:x":                           noAddress,
		"smtp://ann@mail":                    oneOfTwo,
		"smtp://:pass@mail":                  oneOfTwo,
		"smtp://mail?tls=maybe":              question,
		"smtp://mail?tls=none&x=1":           question,
		"smtps://mail?tls=none":              question,
		"smtp://ann:pass@mail?tls=none":      clear,
		"smtp://ann:pass@10.0.0.1?tls=none":  clear,
		"smtp://a:b@localhost.evil?tls=none": clear,
	} {
		s, err := ParseMailServer(address)
		if err == nil {
			t.Errorf("%q was taken as %+v", address, s)
			continue
		}
		if diff := cmp.Diff(want, err.Error()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", address, diff)
		}
	}
}

// Whatever is wrong with an address, its password is not in the error.
func TestParseMailServerKeepsSecrets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := "x9" + rapid.StringMatching(`[a-z0-9:/@%#? ]{6,20}`).Draw(t, "secret")
		address := rapid.SampledFrom([]string{"smtp://ann:", "smtps://", "smtp://ann@", ""}).Draw(t, "start") + secret +
			rapid.SampledFrom([]string{"@mail:x", "@mail?tls=none", "@mail?x", ""}).Draw(t, "end")
		if _, err := ParseMailServer(address); err != nil && strings.Contains(err.Error(), secret) {
			t.Fatalf("the error shows the secret: %v", err)
		}
	})
}
