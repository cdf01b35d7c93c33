package app

import (
	"context"
	"net"
	"testing"
	"time"
)

// A server that stops does not wait for a name server that does not respond.
func TestQueryOfDNSEndsWithItsContext(t *testing.T) {
	t.Parallel()
	silent, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := Config{Resolver: silent.LocalAddr().String()}.dns().LookupTXT(ctx, "status.example.com.")
		ended <- err
	}()
	if _, _, err := silent.ReadFrom(make([]byte, 512)); err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("a query without a response succeeded")
		}
	case <-time.After(4 * time.Second): // Go's resolver alone gives up after 5 s
		t.Error("the query goes on after its context has ended")
	}
}
