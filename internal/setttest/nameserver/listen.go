package nameserver

import (
	"net"
	"testing"
)

// longestPacket is more than any question is long.
const longestPacket = 4096

// Listen returns the address of a name server on this machine that answers by UDP and TCP until the test ends.
func Listen(t testing.TB, answer func(name string) Answer) (addr string) {
	t.Helper()
	packets, connections := bothPorts(t)
	t.Cleanup(func() { _, _ = packets.Close(), connections.Close() })
	go answerPackets(packets, answer)
	go func() {
		for {
			conn, err := connections.Accept()
			if err != nil {
				return
			}
			go serve(conn, answer)
		}
	}()
	return packets.LocalAddr().String()
}

// bothPorts listens on one port of UDP and TCP; a free one of the one may be taken in the other.
func bothPorts(t testing.TB) (net.PacketConn, net.Listener) {
	t.Helper()
	var err error
	for range 100 {
		var connections net.Listener
		if connections, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			break
		}
		var packets net.PacketConn
		if packets, err = net.ListenPacket("udp", connections.Addr().String()); err == nil {
			return packets, connections
		}
		_ = connections.Close()
	}
	t.Fatal(err)
	return nil, nil
}

func answerPackets(conn net.PacketConn, answer func(name string) Answer) {
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
}
