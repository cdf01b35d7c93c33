package nameserver

import (
	"net"
	"testing"
)

// longestPacket is more than any question is long.
const longestPacket = 4096

// Listen returns the address of a name server on this machine that answers by UDP until the test ends.
func Listen(t testing.TB, answer func(name string) Answer) (addr string) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		query := make([]byte, longestPacket)
		for {
			n, from, err := conn.ReadFrom(query)
			if err != nil {
				return
			}
			name, end := question(query[:n])
			if a := answer(name); !a.Silent {
				_, _ = conn.WriteTo(reply(query[:end], a), from)
			}
		}
	}()
	return conn.LocalAddr().String()
}
