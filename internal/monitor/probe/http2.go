package probe

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptrace"
)

// exchange sends the request by the protocol that the connection has agreed on, and reads the headers of the response.
func (a *attempt) exchange(ctx context.Context, conn net.Conn, request *http.Request) (*http.Response, error) {
	encrypted, ok := conn.(*tls.Conn)
	if a.http2 = ok && encrypted.ConnectionState().NegotiatedProtocol == "h2"; a.http2 {
		return a.exchange2(ctx, encrypted, request)
	}
	return a.exchange1(conn, request)
}

// exchange2 is exchange by HTTP/2. The transport is for this connection only: a pool would share connections between
// attempts for the same host.
func (a *attempt) exchange2(ctx context.Context, conn *tls.Conn, request *http.Request) (*http.Response, error) {
	a.watch.enter(requesting)
	transport := a.o.Dialer.Transport()
	transport.MaxResponseHeaderBytes = headerBytes
	transport.Protocols.SetHTTP2(true)
	transport.DialTLSContext = func(context.Context, string, string) (net.Conn, error) { return conn, nil }
	client, err := transport.NewClientConn(ctx, "https", conn.RemoteAddr().String())
	if err != nil {
		return nil, err
	}
	return client.RoundTrip(request.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest:         func(httptrace.WroteRequestInfo) { a.watch.reach(waiting) },
		GotFirstResponseByte: func() { a.watch.reach(readingHeaders) },
	})))
}
