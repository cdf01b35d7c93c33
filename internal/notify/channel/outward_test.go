package channel

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"sett/internal/base/dial"
)

// failing is a transport that nothing gets through.
type failing struct{ error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.error }

// Users of a project see why there was no answer, but not the address of the server itself, nor the text of a server that
// speaks another protocol.
func TestFailuresAreSentences(t *testing.T) {
	t.Parallel()
	own := &net.TCPAddr{IP: net.IPv4(10, 9, 8, 7), Port: 40000}
	resolving := func(e net.DNSError) error {
		e.Err, e.Name, e.Server = "lame referral", "hook.test", "10.9.8.7:53"
		return &net.OpError{Op: "dial", Net: "tcp", Err: &e}
	}
	certificate := func(err error) error {
		return fmt.Errorf("dial: %w", &tls.CertificateVerificationError{Err: err})
	}
	for _, c := range []struct {
		cause error
		want  string
	}{
		{resolving(net.DNSError{IsNotFound: true}), "the host does not exist"},
		{resolving(net.DNSError{IsTimeout: true}), "the DNS lookup timed out"},
		{resolving(net.DNSError{}), "the DNS lookup failed"},
		{&net.OpError{Op: "read", Net: "tcp", Source: own, Addr: own, Err: syscall.ECONNRESET}, "connection reset by peer"},
		{&net.OpError{Op: "dial", Net: "tcp", Addr: own, Err: os.NewSyscallError("connect", syscall.EHOSTUNREACH)}, "no route to host"},
		{&net.OpError{Op: "remote error", Err: errors.New("tls: handshake failure")}, "TLS failed: handshake failure"},
		{errors.New("tls: server selected unsupported protocol version 301"), "TLS failed"},
		{tls.RecordHeaderError{Msg: "first record of 10.9.8.7"}, "the port does not use TLS"},
		{http.ErrSchemeMismatch, "the port does not use TLS"},
		{certificate(x509.HostnameError{Certificate: &x509.Certificate{DNSNames: []string{"10.9.8.7"}}, Host: "hook.test"}), "the certificate is for another host"},
		{certificate(x509.UnknownAuthorityError{}), "the certificate is signed by an unknown authority"},
		{certificate(x509.CertificateInvalidError{Reason: x509.Expired}), "the certificate has expired or is not valid yet"},
		{certificate(x509.CertificateInvalidError{Reason: x509.TooManyIntermediates}), "the certificate cannot be verified"},
		{context.Canceled, "the attempt was canceled"},
		{io.EOF, "the connection was closed without a response"},
		{fmt.Errorf("read: %w", io.ErrUnexpectedEOF), "the connection was closed without a response"},
		{errors.New(`net/http: malformed HTTP response "SSH-2.0 of 10.9.8.7"`), "the response is not valid HTTP"},
	} {
		tools := Tools{HTTP: &http.Client{Transport: failing{c.cause}}}
		_, err := tools.postForm(t.Context(), "https://hook.test/x", nil, url.Values{})
		if want := "hook.test cannot be reached: " + c.want; err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %s", c.cause, err, want)
		}
	}
}

// from is a connection that says that it leads elsewhere.
type from struct {
	net.Conn
	addr net.Addr
}

func (f from) RemoteAddr() net.Addr { return f.addr }

// inside returns a client that has every connection come from an address.
func inside(address string) *http.Client {
	client := dial.New(dial.Anywhere()).Client(time.Minute)
	transport := client.Transport.(*http.Transport)
	connect := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, to string) (net.Conn, error) {
		c, err := connect(ctx, network, to)
		if err != nil {
			return nil, err
		}
		return from{c, net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(address), 80))}, nil
	}
	return client
}

// Answers from a private network are not shown, for any text and any kind of channel, unless the operator of
// the server has named that network.
func TestAnswersOfPrivateNetworksAreNotShown(t *testing.T) {
	t.Parallel()
	named := dial.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}}
	for _, code := range []int{200, 403, 500} {
		server := httptest.NewServer(answerText(code, `{"ok":false,"result":"error","description":"inner","msg":"inner","message":"inner"}`))
		t.Cleanup(server.Close)
		for _, c := range []struct {
			from   string
			policy dial.Policy
			shown  bool
		}{
			{"10.1.2.3", dial.Policy{}, false},
			{"fd12::1", dial.Policy{}, false},
			{"::ffff:192.168.1.1", dial.Policy{}, false},
			{"10.1.2.3", named, true},
			{"10.2.2.3", named, false},
			{"198.51.100.7", dial.Policy{}, true},
		} {
			for _, k := range addressed(server.URL) {
				tools := Tools{HTTP: inside(c.from), Egress: c.policy, instead: server.URL}
				_, err := k.Make(tools, k.values).Send(t.Context(), samples()["occurred"])
				if err == nil {
					continue // the status alone counts
				}
				repeats, says := strings.Contains(err.Error(), "inner"), strings.Contains(err.Error(), "SETT_EGRESS_ALLOW")
				if repeats && !c.shown || !repeats && c.shown && code != 200 || says && c.shown || !says && !c.shown && code != 200 {
					t.Errorf("%s, %d from %s: %v", k.name, code, c.from, err)
				}
			}
		}
	}
}

// Only what people can read is repeated, and little of it.
func TestWhatIsRepeatedOfAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, body, want string }{
		{"text/plain; charset=utf-8", "no\x00 \x1b[31m\r\nway", ": no [31m way"},
		{"application/json", `{"a":1}`, `: {"a":1}`},
		{"application/problem+json", `{"a":1}`, `: {"a":1}`},
		{"text/csv", "a,b", ": a,b"},
		{"text/html; charset=utf-8", "<p>", ""},
		{"application/octet-stream", "abc", ""},
		{"application/pdf", "%PDF", ""},
		{"image/svg+xml", "<svg>", ""},
		{"", "abc", ""},
		{";", "abc", ""},
		{"text/plain", strings.Repeat("ü", 300), ": " + strings.Repeat("ü", 100)},
		{"text/plain", "", ""},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{c.kind}
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, c.body)
		}))
		t.Cleanup(server.Close)
		_, err := Tools{HTTP: anywhere(time.Minute)}.postForm(t.Context(), server.URL, nil, url.Values{})
		if want := "127.0.0.1 returned 403 Forbidden" + c.want; err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", c.kind, err, want)
		}
	}
}
