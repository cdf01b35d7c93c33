package clients

import (
	"io"
	"net"
	"strings"
	"testing"
)

// onPort80 passes connections of port 80 of the loopback on to the server at base until the test ends, and returns the
// address without a port. The JavaScript client on Node drops the port of its endpoint (ServerTransport.send of 6.16.5
// keeps the host name alone), so it can report only there.
func onPort80(t testing.TB, base string) (endpoint string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:80")
	if err != nil {
		t.Fatalf("the JavaScript client on Node can only report to port 80, and the test cannot listen there: %v. Run it as root, "+
			"or allow it: sysctl net.ipv4.ip_unprivileged_port_start=80; and stop what listens there now", err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	forwardAll(listener, base)
	return "http://127.0.0.1"
}

// forwardAll passes the connections of a listener on to the server at base until the listener is closed.
func forwardAll(listener net.Listener, base string) {
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // the test has ended
			}
			go forward(client, strings.TrimPrefix(base, "http://"))
		}
	}()
}

// forward joins a connection to another one to address until either side has had enough.
func forward(client net.Conn, address string) {
	defer client.Close()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	go func() {
		defer server.Close()
		_, _ = io.Copy(server, client)
	}()
	_, _ = io.Copy(client, server)
}
