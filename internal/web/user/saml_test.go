package user_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/xml"
	"html"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/beevik/etree"
	"github.com/crewjam/saml"
	dsig "github.com/russellhaering/goxmldsig"

	"sett/internal/app"
	"sett/internal/serve/idp"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
	"sett/internal/sett/signin"
	"sett/internal/setttest"
	"sett/internal/store/accountdb"
)

// provider is an identity provider of the account of a server, at which Ann is signed in.
type provider struct {
	t *testing.T
	s *setttest.Server
	saml.IdentityProvider
	session  saml.Session
	encrypts bool // as providers do that read the metadata of sett; others have to be given its certificate
}

// newProvider makes an identity provider the one of the server's account, which has verified the domain example.test.
func newProvider(t *testing.T, s *setttest.Server) *provider {
	t.Helper()
	i := &provider{t: t, s: s, session: saml.Session{ID: "1", Index: "1", NameID: annsEmail, NameIDFormat: string(saml.EmailAddressNameIDFormat)}}
	i.MetadataURL, i.SSOURL = url.URL{Scheme: "https", Host: "id.test", Path: "/metadata"}, url.URL{Scheme: "https", Host: "id.test", Path: "/sso"}
	i.ServiceProviderProvider = i
	i.sign(issuerKey())
	i.use(s.Setup.AccountID, "example.test")
	return i
}

// sign has the provider sign with a key, with a certificate of it in its metadata.
func (i *provider) sign(key *rsa.PrivateKey, err error) {
	i.t.Helper()
	if err != nil {
		i.t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "id.test"}, NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		i.t.Fatal(err)
	}
	if i.Certificate, err = x509.ParseCertificate(der); err != nil {
		i.t.Fatal(err)
	}
	i.Key = key
}

// use makes the provider that of an account with a domain.
func (i *provider) use(account, domain string) {
	i.t.Helper()
	store, ctx := i.s.App.Store().Accounts, i.t.Context()
	err := store.ChangeDirectory(ctx, account, func(d *directory.Settings) error {
		d.Metadata, d.JustInTime = i.document(), true
		return nil
	})
	if err != nil {
		i.t.Fatal(err)
	}
	if err := store.AddDomain(ctx, account, directory.Domain{Name: domain, Proof: "p"}); err != nil {
		i.t.Fatal(err)
	}
	if err := store.VerifyDomain(ctx, i.s.Clock.Now(), account, domain); err != nil {
		i.t.Fatal(err)
	}
}

func (i *provider) document() string {
	i.t.Helper()
	text, err := xml.Marshal(i.Metadata())
	if err != nil {
		i.t.Fatal(err)
	}
	return string(text)
}

// GetServiceProvider returns what sett says of itself, or what people enter at providers that do not read it.
func (i *provider) GetServiceProvider(_ *http.Request, _ string) (*saml.EntityDescriptor, error) {
	if i.encrypts {
		return i.metadataOf(i.s, i.s.Setup.AccountID), nil
	}
	start := i.s.App.BaseURL() + i.start()
	sp := saml.SPSSODescriptor{AssertionConsumerServices: []saml.IndexedEndpoint{{Binding: saml.HTTPPostBinding, Location: start + "/acs"}}}
	return &saml.EntityDescriptor{EntityID: start, SPSSODescriptors: []saml.SPSSODescriptor{sp}}, nil
}

func (i *provider) start() string { return "/auth/saml/" + i.s.Setup.AccountID }

var refreshTo = regexp.MustCompile(`0; url=(\S+)`)

// leave begins a sign-in, and returns where the browser is sent.
func (i *provider) leave(b *browser) string {
	i.t.Helper()
	got := b.get(i.start() + "?next=%2Fme%2Fsessions").want(200)
	to := refreshTo.FindStringSubmatch(got.Header.Get("Refresh"))
	if to == nil {
		i.t.Fatalf("the page leads nowhere: %v", got.Header)
	}
	return html.UnescapeString(to[1])
}

// answer is what the provider does with a request: change may change the assertion before it is signed, and forge the response afterwards.
func (i *provider) answer(address string, change func(*saml.Assertion), forge func(*etree.Element)) url.Values {
	i.t.Helper()
	i.Clock = dsig.NewFakeClockAt(i.s.Clock.Now())
	r := httptest.NewRequestWithContext(i.t.Context(), http.MethodGet, address, nil)
	request, err := saml.NewIdpAuthnRequest(&i.IdentityProvider, r)
	if err != nil {
		i.t.Fatal(err)
	}
	if err := request.Validate(); err != nil {
		i.t.Fatal(err)
	}
	if err := (saml.DefaultAssertionMaker{}).MakeAssertion(request, &i.session); err != nil {
		i.t.Fatal(err)
	}
	if change != nil {
		change(request.Assertion)
	}
	if err := request.MakeResponse(); err != nil {
		i.t.Fatal(err)
	}
	if forge != nil {
		forge(request.ResponseEl)
	}
	doc := etree.NewDocument()
	doc.SetRoot(request.ResponseEl)
	text, err := doc.WriteToBytes()
	if err != nil {
		i.t.Fatal(err)
	}
	return url.Values{"SAMLResponse": {base64.StdEncoding.EncodeToString(text)}, "RelayState": {request.RelayState}}
}

// post brings a response back as browsers do: from another site, so without the cookies of sett.
func (i *provider) post(b *browser, form url.Values) *answer {
	i.t.Helper()
	other := newBrowser(i.t, i.s)
	got := other.do("POST", i.start()+"/acs", form, "Origin", "https://id.test", "Sec-Fetch-Site", "cross-site")
	if got.Status != http.StatusSeeOther {
		return got
	}
	return b.get(got.Header.Get("Location"))
}

// through signs Ann in with the browser.
func (i *provider) through(b *browser) *answer {
	i.t.Helper()
	return i.post(b, i.answer(i.leave(b), nil, nil))
}

// drop removes the signature of an element.
func drop(e *etree.Element) {
	for _, child := range e.ChildElements() {
		if child.Tag == "Signature" {
			e.RemoveChild(child)
		}
	}
}

func assertionIn(response *etree.Element) *etree.Element {
	for _, child := range response.ChildElements() {
		if child.Tag == "Assertion" {
			return child
		}
	}
	return nil
}

func TestSAMLSignsIn(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		i, b := newProvider(t, s), newBrowser(t, s)
		b.get("/login").want(200, "Sign in with the single sign-on of your account").CheckPage()
		b.get("/auth/saml").want(200).CheckPage()
		b.post("/auth/saml", "email", "joe@elsewhere.test").want(422, "No account has single sign-on for this address.")
		b.post("/auth/saml", "email", "joe@Example.test").leads(i.start())

		i.through(b).leads("/me/sessions")
		b.get("/me/sessions").want(200, "by SAML")
		want := map[string]accounts.Role{"owner@example.test": accounts.Owner, annsEmail: accounts.Member}
		if got := rolesOf(t, s); got[annsEmail] != want[annsEmail] || len(got) != 2 {
			t.Errorf("the account has %v", got)
		}
		i.through(newBrowser(t, s)).leads("/me/sessions") // again, and as the same user
		if got := rolesOf(t, s); len(got) != 2 {
			t.Errorf("the account has %v", got)
		}

		onlyAssertion := i.answer(i.leave(b), nil, drop) // as Entra ID does
		i.post(b, onlyAssertion).leads("/me/sessions")
	})
}

// Each response that is not what it should be is refused, with what to do.
func TestSAMLRefuses(t *testing.T) {
	t.Parallel()
	s := setttest.StartLogged(t, "sqlite", slog.New(slog.DiscardHandler))
	i := newProvider(t, s)
	const unsigned = "has no valid signature"
	evil := func(e *etree.Element) { e.FindElement("./Subject/NameID").SetText("owner@example.test") }
	for name, c := range map[string]struct {
		change func(*saml.Assertion)
		forge  func(*etree.Element)
		says   string
	}{
		"unsigned":                    {nil, func(r *etree.Element) { drop(r); drop(assertionIn(r)) }, unsigned},
		"changed after it was signed": {nil, func(r *etree.Element) { drop(r); evil(assertionIn(r)) }, unsigned},
		"a wrapped signature": {nil, func(r *etree.Element) {
			drop(r)
			signed := assertionIn(r)
			r.RemoveChild(signed)
			forged := signed.Copy()
			drop(forged)
			evil(forged)
			forged.CreateAttr("ID", "forged")
			forged.CreateElement("Advice").AddChild(signed)
			r.AddChild(forged)
		}, "cannot be used"},
		"two assertions": {nil, func(r *etree.Element) {
			drop(r)
			second := assertionIn(r).Copy()
			evil(second)
			r.AddChild(second)
		}, "cannot be used"},
		"for another application": {func(a *saml.Assertion) {
			a.Conditions.AudienceRestrictions = []saml.AudienceRestriction{{Audience: saml.Audience{Value: "https://other.test"}}}
		}, nil, "answered for another application"},
		"to another address": {func(a *saml.Assertion) {
			a.Subject.SubjectConfirmations[0].SubjectConfirmationData.Recipient = "https://other.test/acs"
		}, nil, "answered for another application"},
		"to another request": {func(a *saml.Assertion) {
			a.Subject.SubjectConfirmations[0].SubjectConfirmationData.InResponseTo = "id-other"
		}, nil, "does not belong to this sign-in"},
		"of another provider": {func(a *saml.Assertion) { a.Issuer.Value = "https://other.test" }, nil, "comes from another identity provider"},
		"a passing name":      {func(a *saml.Assertion) { a.Subject.NameID.Format = string(saml.TransientNameIDFormat) }, nil, "sends another NameID at each sign-in"},
		"of another domain":   {func(a *saml.Assertion) { a.Subject.NameID.Value = "ann@elsewhere.test" }, nil, "has not verified the domain elsewhere.test"},
	} {
		b := newBrowser(t, s)
		form := i.answer(i.leave(b), c.change, c.forge)
		if got := i.post(b, form); got.Status != http.StatusForbidden || !strings.Contains(html.UnescapeString(got.Body), c.says) {
			t.Errorf("%s: %d, without %q: %.3000s", name, got.Status, c.says, got.Body)
		}
		if got := rolesOf(t, s); len(got) != 1 {
			t.Errorf("%s: the account has %v", name, got)
		}
	}
}

// A comment, which no signature covers, cuts no name short.
func TestSAMLCommentInName(t *testing.T) {
	t.Parallel()
	s := setttest.StartLogged(t, "sqlite", slog.New(slog.DiscardHandler))
	i, b := newProvider(t, s), newBrowser(t, s)
	form := i.answer(i.leave(b), func(a *saml.Assertion) { a.Subject.NameID.Value = "owner@example.test.evil.test" }, func(r *etree.Element) {
		name := assertionIn(r).FindElement("./Subject/NameID")
		name.SetText("owner@example.test")
		name.AddChild(etree.NewComment("-"))
		name.AddChild(etree.NewText(".evil.test"))
	})
	i.post(b, form).want(403, "domain example.test.evil.test")
	b.get("/me/sessions").leads("/login?next=%2Fme%2Fsessions")
}

// A response is believed in its time, once, for who asked, and only if someone did.
func TestSAMLOnce(t *testing.T) {
	t.Parallel()
	s := setttest.StartLogged(t, "postgres", slog.New(slog.DiscardHandler))
	i, b := newProvider(t, s), newBrowser(t, s)

	old := i.answer(i.leave(b), nil, nil)
	s.Clock.Push(5 * time.Minute)
	i.post(b, old).want(403, "is 5 minutes old", "set both clocks")
	early := i.answer(i.leave(b), nil, func(r *etree.Element) {
		drop(r)
		r.CreateAttr("IssueInstant", s.Clock.Now().Add(7*time.Minute).UTC().Format(time.RFC3339))
	})
	i.post(b, early).want(403, "is 7 minutes ahead")

	form := i.answer(i.leave(b), nil, nil)
	var parsed saml.Response
	text, _ := base64.StdEncoding.DecodeString(form.Get("SAMLResponse"))
	if err := xml.Unmarshal(text, &parsed); err != nil {
		t.Fatal(err)
	}
	i.post(newBrowser(t, s), form).want(422, "expired or was already used") // in another browser
	i.post(b, form).want(403, "was used already")
	second := s.Moved(t, s.Config) // another node
	desk := idp.New(idp.Options{Accounts: second.App.Store().Accounts, Now: s.Clock.Now, BaseURL: s.App.BaseURL()})
	_, err := desk.Finish(t.Context(), s.Setup.AccountID, parsed.InResponseTo, form.Get("SAMLResponse"))
	if sett.CodeOf(err) != sett.Forbidden || !strings.Contains(err.Error(), "used already") {
		t.Errorf("another node: %v", err)
	}

	unasked := i.answer(i.leave(b), nil, nil)
	unasked.Del("RelayState")
	i.post(b, unasked).want(403, "did not start at sett", i.start())
	b.get("/me/sessions").leads("/login?next=%2Fme%2Fsessions")
}

// Who sends a person the address of the provider, of a sign-in that they began themselves, is not signed in as that person.
func TestSAMLByALink(t *testing.T) {
	t.Parallel()
	s := setttest.StartLogged(t, "sqlite", slog.New(slog.DiscardHandler))
	i, b := newProvider(t, s), newBrowser(t, s)
	for _, ticket := range []string{"", "?ticket=", "?ticket=x"} {
		i.post(newBrowser(t, s), i.answer(i.leave(b), nil, nil)).want(422, "expired or was already used")
		b.get(i.start()+"/done"+ticket).want(403, "has not signed you in, in this browser")
	}
	b.get("/me/sessions").leads("/login?next=%2Fme%2Fsessions")
}

// The provider of an account signs in no one of another account, whatever addresses it asserts.
func TestSAMLStaysInItsAccount(t *testing.T) {
	t.Parallel()
	s := setttest.StartLogged(t, "sqlite", slog.New(slog.DiscardHandler))
	i := newProvider(t, s)
	stranger := stranger(t, s) // stranger@example.test, in the domain of this account
	i.session.NameID = "stranger@example.test"
	b := newBrowser(t, s)
	i.through(b).want(403, "belongs to another account")
	stranger.get("/me/sessions").want(200)

	// Who is in both has to sign in, and confirm it.
	member := accountdb.NewUser{
		AccountID: s.Setup.AccountID, Email: annsEmail, Name: "Ann Other", Role: accounts.Member, Password: setttest.PasswordCost.Hash(annsPassword), Proven: true,
	}
	ann, err := s.App.Store().Accounts.CreateUser(t.Context(), s.Clock.Now(), member)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.App.Store().Accounts.AddAccount(t.Context(), s.Clock.Now(), "More", accountdb.NewUser{Email: annsEmail, Name: "Ann Other"}); err != nil {
		t.Fatal(err)
	}
	i.session.NameID = annsEmail
	i.through(b).leads("/login?next=%2Fauth%2Foidc%2Fconnect&done=connect")
	b.post("/login", "email", annsEmail, "password", annsPassword, "next", "/auth/oidc/connect").leads("/auth/oidc/connect")
	b.get("/auth/oidc/connect").want(200, "single sign-on").CheckPage()
	b.post("/auth/oidc/connect", "password", annsPassword).leads("/me/security?done=connected")
	i.through(newBrowser(t, s)).leads("/me/sessions")

	// Owners of this account alone, who have lost the domain, do not reach the other one; nor does another provider of theirs.
	store := s.App.Store().Accounts
	if err := store.RemoveDomain(t.Context(), s.Setup.AccountID, "example.test"); err != nil {
		t.Fatal(err)
	}
	i.through(newBrowser(t, s)).want(403, "has not verified the domain")
	i.MetadataURL.Host = "other.test"
	i.use(s.Setup.AccountID, "example.test")
	i.through(newBrowser(t, s)).leads("/login?next=%2Fauth%2Foidc%2Fconnect&done=connect")
	i.MetadataURL.Host = "id.test"
	i.use(s.Setup.AccountID, "example.test")
	i.through(newBrowser(t, s)).leads("/me/sessions")

	by := signin.Session{UserID: ann, ID: accounts.Operator}
	if err := store.ProposeSecondFactor(t.Context(), by, "secret"); err != nil {
		t.Fatal(err)
	}
	if err := store.ConfirmSecondFactor(t.Context(), s.Clock.Now(), by, "secret", 1, nil); err != nil {
		t.Fatal(err)
	}
	i.through(newBrowser(t, s)).leads("/login/2fa?next=%2Fme%2Fsessions")

	// Who has left the account is not let in by its provider, although they are still in the other one.
	if err := s.App.Store().Accounts.RemoveAccountUser(t.Context(), accounts.Operator, s.Setup.AccountID, ann); err != nil {
		t.Fatal(err)
	}
	i.through(newBrowser(t, s)).want(403, "belongs to another account")
	identity := accounts.Identity{Issuer: accountdb.SAMLIssuer(s.Setup.AccountID, i.MetadataURL.String()), Subject: annsEmail}
	if _, err := store.UserByIdentity(t.Context(), identity); sett.CodeOf(err) != sett.NotFound {
		t.Errorf("the identity of who left is still there: %v", err)
	}
}

// Without joining just in time, only who is in the account already signs in.
func TestSAMLForMembersOnly(t *testing.T) {
	t.Parallel()
	s := setttest.StartLogged(t, "sqlite", slog.New(slog.DiscardHandler))
	i := newProvider(t, s)
	err := s.App.Store().Accounts.ChangeDirectory(t.Context(), s.Setup.AccountID, func(d *directory.Settings) error {
		d.JustInTime = false
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	i.through(newBrowser(t, s)).want(403, "You are not in this account yet")
	addAnn(t, s)
	i.through(newBrowser(t, s)).leads("/me/sessions")
}

// A provider that changes its certificate needs no one here: its metadata is read again. Another provider at the same URL is not believed.
func TestSAMLCertificateChanges(t *testing.T) {
	t.Parallel()
	s := setttest.StartLogged(t, "sqlite", slog.New(slog.DiscardHandler), func(c *app.Config) { c.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	i := newProvider(t, s)
	asked := 0
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_, _ = w.Write([]byte(i.document()))
	}))
	defer site.Close()
	settings := func() (d directory.Settings) {
		t.Helper()
		d, err := s.App.Store().Accounts.Directory(t.Context(), s.Setup.AccountID)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	err := s.App.Store().Accounts.ChangeDirectory(t.Context(), s.Setup.AccountID, func(d *directory.Settings) error {
		d.MetadataURL, d.ReadAt = site.URL, s.Clock.Now()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	i.through(newBrowser(t, s)).leads("/me/sessions")
	i.sign(newIssuerKey())
	i.through(newBrowser(t, s)).want(403, "has no valid signature") // within a minute, wrong signatures ask the provider once
	s.Clock.Push(2 * time.Minute)
	i.through(newBrowser(t, s)).leads("/me/sessions")
	if asked != 1 {
		t.Errorf("the provider was asked %d times", asked)
	}

	right := i.MetadataURL
	i.MetadataURL.Host = "evil.test"
	s.Clock.Push(25 * time.Hour)
	i.through(newBrowser(t, s)).want(403, "comes from another identity provider")
	if d := settings(); asked != 2 || !strings.Contains(d.Problem, "evil.test") {
		t.Errorf("asked %d times, with the problem %q", asked, d.Problem)
	}
	i.MetadataURL = right
	s.Clock.Push(25 * time.Hour)
	i.through(newBrowser(t, s)).leads("/me/sessions")
	if d := settings(); d.Problem != "" {
		t.Errorf("the problem is still %q", d.Problem)
	}
}
