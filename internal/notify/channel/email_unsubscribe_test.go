package channel

import (
	"strings"
	"testing"

	"sett/internal/setttest/mailserver"
)

// Mail programs end mails by one click over HTTPS alone.
func TestMailsThatCanBeEnded(t *testing.T) {
	t.Parallel()
	s := mailserver.Start(t, mailserver.Options{})
	email := emailTo(t, s, "smtp", "", "")
	page := "://sett.example.org/errors/unsubscribe/12345.67890." + strings.Repeat("x", 80)
	for address, want := range map[string][2]string{
		"":             {"", ""},
		"https" + page: {"<https" + page + ">", "List-Unsubscribe=One-Click"},
		"http" + page:  {"<http" + page + ">", ""},
	} {
		m := hello
		m.Unsubscribe = address
		if err := email.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		h := s.Next(t).Header
		if got := [2]string{h.Get("List-Unsubscribe"), h.Get("List-Unsubscribe-Post")}; got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
	for _, bad := range []string{"https://a.test/\r\nBcc: b@example.test", "https://a.test/>, <mailto:b@example.test", "https://a.test/ b"} {
		m := hello
		m.Unsubscribe = bad
		checkFailure(t, email.Send(t.Context(), m), true, "is not the URL of a page")
	}
}
