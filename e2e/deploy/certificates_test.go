package deploy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/internal/setttest/nameserver"
)

// secured is a sett that gets certificates from a pebble, for as long as ctx allows.
type secured struct {
	*rig.Server
	t             *testing.T
	ctx           context.Context
	pebble        *pebble
	entered       sync.Map // what TXT records say, by name
	plain, secure string   // addresses
	page          string   // path of the page that has a domain
}

// The names that end at the server.
const (
	ownName, pageName, unverifiedName = "sett.acme.example", "status.acme.example", "other.acme.example"
)

// newSecured starts one on a database; pebble looks for its answers at plain and secure, of which one may lead nowhere.
func newSecured(t *testing.T, database string, byHTTP, byTLS bool) *secured {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // building included
	t.Cleanup(cancel)
	s := &secured{t: t, plain: rig.FreeAddress(t), secure: rig.FreeAddress(t)}
	dns := nameserver.Listen(t, s.resolve)
	plain, secure := s.plain, s.secure
	if !byHTTP {
		plain = rig.FreeAddress(t)
	}
	if !byTLS {
		secure = rig.FreeAddress(t)
	}
	s.pebble = newPebble(ctx, t, dns, plain, secure)
	s.ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	s.Server = rig.Prepare(t, database)
	s.Flags = append(s.Flags, "--base-url", "https://"+ownName, "--status-host", "pages.example", "--resolver", dns, "--location", "none", "--trusted-proxies", "127.0.0.1",
		"--acme-directory", s.pebble.directory, "--acme-ca-file", s.pebble.ca, "--acme-email", "Ops <ops@acme.example>")
	s.Process, s.Base = s.node(s.plain, s.secure), "http://"+s.plain
	return s
}

// node starts a process on the database.
func (s *secured) node(plain, secure string) *rig.Process {
	s.t.Helper()
	p := rig.Launch(s.t, append(slices.Clone(s.Flags), "--listen", plain, "--tls-listen", secure)...)
	p.Await(s.t)
	return p
}

func (s *secured) resolve(name string) nameserver.Answer {
	a := nameserver.Is("127.0.0.1")
	if text, ok := s.entered.Load(name); ok {
		a.TXT = []string{text.(string)}
	}
	return a
}

// addPages makes a page whose domain is verified, and one whose is not.
func (s *secured) addPages() {
	s.t.Helper()
	m, pages := s.Manage(s.t), "/v2/accounts/"+s.AccountID+"/status_pages"
	m.Do("POST", pages, map[string]any{"status_page": map[string]any{"name": "Other", "domain": unverifiedName}}, http.StatusCreated)
	m.Do("POST", pages, map[string]any{"status_page": map[string]any{"name": "Acme", "domain": pageName}}, http.StatusCreated)
	var all struct{ Results []statusPage }
	m.Get(pages, &all)
	i := slices.IndexFunc(all.Results, func(p statusPage) bool { return p.Name == "Acme" })
	s.page = pages + "/" + all.Results[i].ID
	for _, record := range all.Results[i].Records {
		if record.Type == "TXT" {
			s.entered.Store(record.Name, record.Value)
		}
	}
	m.Do("POST", s.page+"/verify_domain", nil, http.StatusOK)
	for served := ""; served != "200 OK"; served = s.check(pageName) {
		s.pause("the domain is not verified")
	}
}

// statusPage is what a test reads of one.
type statusPage struct {
	ID, Name string
	Records  []struct{ Type, Name, Value string } `json:"domain_records"`
}

// check asks as a proxy does whether a page is served at a domain.
func (s *secured) check(name string) string {
	r, err := http.Get(s.Base + "/status-domains/check?domain=" + name)
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	return r.Status
}

func (s *secured) pause(late string) {
	s.t.Helper()
	if s.ctx.Err() != nil {
		s.t.Fatal(late)
	}
	time.Sleep(20 * time.Millisecond)
}

// browse gets a page by HTTPS, wherever its name leads.
func (s *secured) browse(secure, host, path string) (body string, issued *x509.Certificate, err error) {
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: s.pebble.roots}, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", secure)
		},
	}}
	q, err := http.NewRequestWithContext(s.ctx, http.MethodGet, "https://"+host+path, nil)
	if err != nil {
		return "", nil, err
	}
	r, err := client.Do(q)
	if err != nil {
		return "", nil, err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	return string(text), r.TLS.PeerCertificates[0], err
}

// plainly asks for the page by its domain as a proxy does that was asked by a scheme, and returns where that leads.
func (s *secured) plainly(scheme string) (status int, location string) {
	s.t.Helper()
	q, err := http.NewRequestWithContext(s.ctx, http.MethodGet, s.Base+"/history?page=1", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	q.Host = pageName
	q.Header.Set("X-Forwarded-Proto", scheme)
	r, err := http.DefaultTransport.RoundTrip(q)
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	return r.StatusCode, r.Header.Get("Location")
}

// visit is many browsers that come at once, all of which see the page with one certificate.
func (s *secured) visit() *x509.Certificate {
	s.t.Helper()
	var all sync.WaitGroup
	issued := make([]*x509.Certificate, 8)
	for i := range issued {
		all.Go(func() {
			body, c, err := s.browse(s.secure, pageName, "/")
			if issued[i] = c; err != nil || !strings.Contains(body, "<h1>Acme</h1>") {
				s.t.Errorf("%v: %s", err, body)
			}
		})
	}
	all.Wait()
	for _, c := range issued {
		if c == nil || !c.Equal(issued[0]) {
			s.t.Fatal("not all have the same certificate")
		}
	}
	return issued[0]
}

// A verified domain has a certificate as soon as a visitor comes by HTTPS, other names have none, and a process that
// follows a killed one has it still.
func TestCertificatesOfDomains(t *testing.T) {
	t.Parallel()
	s := newSecured(t, "", true, true)
	s.addPages()
	for _, name := range []string{unverifiedName, "stranger.example", "pages.example", "status.acme.example.acme.example"} {
		if _, _, err := s.browse(s.secure, name, "/"); err == nil {
			t.Errorf("%s has a certificate", name)
		}
	}
	if n := s.pebble.orders(t); n != 0 {
		t.Errorf("pebble was asked for %d certificates of names without a verified domain", n)
	}
	if status, location := s.plainly("http"); status != http.StatusOK {
		t.Errorf("before there is a certificate, browsers are sent away: %d to %q", status, location)
	}
	first := s.visit()
	if n := s.pebble.orders(t); n != 1 {
		t.Errorf("%d orders for one certificate", n)
	}
	if status, location := s.plainly("http"); status != http.StatusPermanentRedirect || location != "https://"+pageName+"/history?page=1" {
		t.Errorf("without TLS: %d to %q", status, location)
	}
	for _, scheme := range []string{"https", ""} {
		if status, location := s.plainly(scheme); status != http.StatusOK {
			t.Errorf("through a proxy by %q: %d to %q", scheme, status, location)
		}
	}
	if body, _, err := s.browse(s.secure, ownName, "/healthz"); err != nil {
		t.Errorf("the server's own name: %v: %s", err, body)
	}
	before := s.pebble.orders(t)
	s.Kill()
	s.Process = s.node(s.plain, s.secure)
	if second := s.visit(); !second.Equal(first) {
		t.Error("after a restart the certificate is another")
	}
	if n := s.pebble.orders(t); n != before {
		t.Errorf("%d orders after a restart, %d before", n, before)
	}
}

// Each of the two ways by which a domain is shown to be this server's is enough, and nodes share what they are given: one
// answers what the other is asked for, and knows of its certificates.
func TestCertificatesOfNodes(t *testing.T) {
	t.Parallel()
	for name, byHTTP := range map[string]bool{"shown by HTTP": true, "shown by TLS": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSecured(t, rig.DurablePostgres(t), byHTTP, !byHTTP)
			other := rig.FreeAddress(t)
			s.node(rig.FreeAddress(t), other)
			s.addPages()
			var first *x509.Certificate
			for first == nil { // the other node may hear of the domain a moment later
				s.pause("the other node has no certificate")
				_, first, _ = s.browse(other, pageName, "/") // pebble looks for its answers at the first node
			}
			n := s.pebble.orders(t)
			if second := s.visit(); !second.Equal(first) || s.pebble.orders(t) != n {
				t.Errorf("the second node has another certificate: %d orders, %d before", s.pebble.orders(t), n)
			}
		})
	}
}
