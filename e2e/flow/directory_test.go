package flow

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/crewjam/saml"

	"sett/e2e/rig"
	"sett/internal/setttest/nameserver"
)

// names are the TXT records that the name server of a walker knows.
type names struct{ records sync.Map }

func (n *names) answer(name string) (a nameserver.Answer) {
	if text, ok := n.records.Load(strings.TrimSuffix(name, ".")); ok {
		a.TXT = []string{text.(string)}
	}
	return a
}

const zoe = "zoe@acme.test"

// directory lets the directory of a company manage an account: it adds a person, who signs in at its identity provider. The owner gives a group of it
// a role. The person whom the directory removes is out at the next click.
func (w *walker) directory() {
	w.open("/")
	w.follow(`nav.side a[href$="/people"]`)
	w.follow(`main nav a[href$="/directory"]`)
	page := w.here()
	w.verifyDomain()
	w.fill("password-token", rig.OwnersPassword)
	w.press("Create token")
	w.read("Copy it now: it will not be shown again.")
	d := company{w.t, w.text("#scim-address"), w.text("code.secret")}

	id := d.add()
	d.ask(http.MethodPost, "/Groups", `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "displayName": "Operations", "members": [{"value": "`+id+`"}]}`)
	w.open(page)
	w.run(chromedp.SetValue(chromedp.CSS(`[aria-label="Role of Operations"]`), "Admin"))
	w.lead(chromedp.Click(chromedp.CSS(`[aria-label="Save Operations"]`)))
	w.read("Saved.")
	w.trust(newProvider(w.t, w.s.Base))
	w.accessible("directory")
	w.follow(`main nav a[href$="/people"]`)
	w.read("Zoe Ash", zoe, "Admin", "The directory of your company can add, change and remove people too.")
	w.signOut()

	w.follow(`a[href="/auth/saml"]`)
	w.fill("email", zoe)
	w.press("Continue")
	if !w.scripts {
		w.follow("#SAMLSubmitButton")
	}
	w.await(fmt.Sprintf(`document.querySelector(".me")?.textContent.includes(%q)`, zoe))
	d.ask(http.MethodPatch, "/Users/"+id, `{"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": [{"op": "Replace", "path": "active", "value": "False"}]}`)
	w.follow(`nav.side a[href="/projects"]`)
	w.want(at("/login"))

	w.signIn(rig.OwnersEmail, rig.OwnersPassword)
	w.open(strings.Replace(page, "/directory", "/people", 1))
	w.want(`!` + shows("main", zoe))
}

// verifyDomain adds the domain of the company, and publishes the record that the page shows.
func (w *walker) verifyDomain() {
	w.t.Helper()
	w.fill("domain", "acme.test")
	w.press("Add domain")
	w.refused("Verify")
	w.read("has no TXT record with this text yet")
	w.names.records.Store(w.text("td code"), w.text("td br + code"))
	w.press("Verify")
	w.read("verified")
}

// trust saves the identity provider of the account.
func (w *walker) trust(i *provider) {
	w.t.Helper()
	w.fill("metadata_url", i.MetadataURL.String(), "password-saml", rig.OwnersPassword)
	w.lead(click(`//form[contains(@action, "/saml")]//button[normalize-space()="Save"]`))
	w.read(i.MetadataURL.String(), "Turn off SAML")
}

// company is the directory of a company, which asks as Okta and Entra ID do.
type company struct {
	t              *testing.T
	address, token string
}

// add adds Zoe, and returns the ID that she got.
func (c company) add() string {
	c.t.Helper()
	c.ask(http.MethodGet, "/Users?filter="+url.QueryEscape(fmt.Sprintf("userName eq %q", zoe)), "")
	answer := c.ask(http.MethodPost, "/Users", `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "`+zoe+`", "name": {"givenName": "Zoe", "familyName": "Ash"},
		"emails": [{"primary": true, "value": "`+zoe+`", "type": "work"}], "displayName": "Zoe Ash", "locale": "en-US", "externalId": "00ub0oNGTSWTBKOLGLNR", "groups": [], "active": true}`)
	var made struct{ ID string }
	if err := json.Unmarshal(answer, &made); err != nil || made.ID == "" {
		c.t.Fatalf("the new person is %s: %v", answer, err)
	}
	return made.ID
}

// ask sends a request that must not fail, and returns the answer.
func (c company) ask(method, path, body string) []byte {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.address+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Content-Type", "application/scim+json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= http.StatusBadRequest {
		c.t.Fatalf("%s %s: %d %s (%v)", method, path, answer.StatusCode, text, err)
	}
	return text
}

// provider is an identity provider at which Zoe is signed in.
type provider struct {
	saml.IdentityProvider
	sett string // address
}

func newProvider(t *testing.T, sett string) *provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	i := &provider{sett: sett}
	if i.Certificate, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { i.Handler().ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	i.Key, i.MetadataURL, i.SSOURL = key, url.URL{Scheme: at.Scheme, Host: at.Host, Path: "/metadata"}, url.URL{Scheme: at.Scheme, Host: at.Host, Path: "/sso"}
	i.ServiceProviderProvider, i.SessionProvider = i, i
	i.OnError = func(w http.ResponseWriter, _ *http.Request, status int, err error) {
		t.Errorf("the identity provider: %v", err)
		w.WriteHeader(status)
	}
	return i
}

// GetSession returns that of Zoe.
func (*provider) GetSession(http.ResponseWriter, *http.Request, *saml.IdpAuthnRequest) *saml.Session {
	return &saml.Session{ID: "1", Index: "1", NameID: zoe, NameIDFormat: string(saml.EmailAddressNameIDFormat)}
}

// GetServiceProvider returns what sett says of itself; its ID is an address at which that is.
func (i *provider) GetServiceProvider(r *http.Request, id string) (*saml.EntityDescriptor, error) {
	ask, err := http.NewRequestWithContext(r.Context(), http.MethodGet, id+"/metadata", nil)
	if err != nil || !strings.HasPrefix(id, i.sett) {
		return nil, fmt.Errorf("%s is not at %s: %w", id, i.sett, err)
	}
	answer, err := http.DefaultClient.Do(ask)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var found saml.EntityDescriptor
	return &found, xml.NewDecoder(answer.Body).Decode(&found)
}
