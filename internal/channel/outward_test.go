package channel

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
)

// failing is a transport that nothing gets through.
type failing struct{ error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.error }

// Why there was no answer is told to people of a project, and not where the server itself stands.
func TestFailuresNameNoAddressOfTheServer(t *testing.T) {
	t.Parallel()
	own := &net.TCPAddr{IP: net.IPv4(10, 9, 8, 7), Port: 40000}
	for want, cause := range map[string]error{
		"hook.test cannot be reached: lookup hook.test: no such host": &net.OpError{
			Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "hook.test", Server: "10.9.8.7:53", IsNotFound: true},
		},
		"hook.test cannot be reached: connection reset by peer": &net.OpError{Op: "read", Net: "tcp", Source: own, Addr: own, Err: syscall.ECONNRESET},
		"hook.test cannot be reached: cut off":                  errors.New("cut off"),
	} {
		tools := Tools{HTTP: &http.Client{Transport: failing{cause}}}
		_, err := tools.postForm(t.Context(), "https://hook.test/x", nil, url.Values{})
		if err == nil || err.Error() != want || strings.Contains(err.Error(), "10.9") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
