package app

import (
	"net/mail"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSenderOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, from, name, address string }{
		{"https://sett.example.org/errors", "", "sett", "sett@sett.example.org"},
		{"http://127.0.0.1:8080", "", "sett", "sett@localhost"},
		{"http://[::1]:8080", "", "sett", "sett@localhost"},
		{"https://sett.example.org", "it@example.org", "", "it@example.org"},
		{"https://sett.example.org", `"Ops, all" <it@example.org>`, "Ops, all", "it@example.org"},
	} {
		got, err := senderOf(Config{BaseURL: c.base, MailFrom: c.from})
		if err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		if diff := cmp.Diff(mail.Address{Name: c.name, Address: c.address}, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c, diff)
		}
	}
}
