package user_test

import (
	"encoding/xml"
	"html"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/beevik/etree"
	"github.com/crewjam/saml"
	"github.com/crewjam/saml/xmlenc"

	"sett/internal/setttest"
	"sett/internal/store/accountdb"
)

// metadataOf returns what a server says of itself to the provider of an account.
func (i *provider) metadataOf(s *setttest.Server, account string) *saml.EntityDescriptor {
	i.t.Helper()
	answer, err := http.Get(s.App.BaseURL() + "/auth/saml/" + account + "/metadata") //nolint:noctx // of this process
	if err != nil {
		i.t.Fatal(err)
	}
	defer answer.Body.Close()
	found := new(saml.EntityDescriptor)
	if err := xml.NewDecoder(answer.Body).Decode(found); err != nil {
		i.t.Fatal(err)
	}
	return found
}

// certificate returns the one for which the provider of an account encrypts.
func (i *provider) certificate(s *setttest.Server, account string) string {
	i.t.Helper()
	for _, key := range i.metadataOf(s, account).SPSSODescriptors[0].KeyDescriptors {
		if key.Use == "encryption" {
			return key.KeyInfo.X509Data.X509Certificates[0].Data
		}
	}
	i.t.Fatal("the metadata has no key")
	return ""
}

// Assertions that are encrypted for sett are read, on all nodes; the signature within still counts.
func TestSAMLEncrypted(t *testing.T) {
	t.Parallel()
	s := setttest.StartLogged(t, "postgres", slog.New(slog.DiscardHandler))
	i := newProvider(t, s)
	i.encrypts = true
	encrypted := func(r *etree.Element) *etree.Element {
		found := r.FindElement("./EncryptedAssertion")
		if found == nil || assertionIn(r) != nil {
			t.Fatal("the assertion is not encrypted")
		}
		return found
	}
	i.signInAs(nil)
	i.AssertionEncrypter = xmlenc.OAEP() // AES-256-CBC, and no signature around it: as Entra ID does
	b := newBrowser(t, s)
	i.post(b, i.answer(i.leave(b), nil, func(r *etree.Element) { encrypted(r); drop(r) })).leads("/me/sessions")

	const says = "encrypted response of the identity provider could not be read, or has no valid signature"
	refused := func(what string, forge func(*etree.Element)) {
		t.Helper()
		b := newBrowser(t, s)
		got := i.post(b, i.answer(i.leave(b), nil, forge))
		if got.Status != 403 || !strings.Contains(html.UnescapeString(got.Body), says) {
			t.Errorf("%s: %d", what, got.Status)
		}
	}
	refused("a changed text", func(r *etree.Element) {
		drop(r)
		value := encrypted(r).FindElement("./EncryptedData/CipherData/CipherValue")
		text := strings.TrimSpace(value.Text())
		value.SetText(strings.Map(func(c rune) rune {
			if c == 'A' {
				return 'B'
			}
			return c
		}, text))
	})
	right, wrong := i.Key, i.Certificate
	i.sign(newIssuerKey())
	refused("the signature of another one", drop)
	i.Key, i.Certificate = right, wrong

	// Each account has its own key, which stays, on all nodes.
	account := s.Setup.AccountID
	own := i.certificate(s, account)
	if again := i.certificate(s.Moved(t, s.Config), account); again != own {
		t.Error("another node has another key")
	}
	other, _, err := s.App.Store().Accounts.AddAccount(t.Context(), s.Clock.Now(), "Other", accountdb.NewUser{Email: "boss@other.test", Name: "Boss"})
	if err != nil {
		t.Fatal(err)
	}
	if i.certificate(s, other) == own {
		t.Error("another account has the same key")
	}
}
