package dial

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
)

// resolver returns a resolver whose name server lives in memory and answers what the test says.
func resolver(t *testing.T, answer func(name string) []netip.Addr) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		t.Cleanup(func() { _ = server.Close() })
		go serveDNS(server, answer)
		return client, nil
	}}
}

// serveDNS answers one question in the framing of TCP, RFC 1035 §4.2.2; addresses of the other family are left out.
func serveDNS(conn net.Conn, answer func(name string) []netip.Addr) {
	defer func() { _ = conn.Close() }()
	var size [2]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return
	}
	query := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(conn, query); err != nil {
		return
	}
	name, end := question(query)
	reply := append([]byte{}, query[:2]...)                                          // id
	reply = append(reply, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0)                        // an answer, recursion available, one question
	reply = append(reply, query[12:end]...)                                          // the question
	wanted := map[uint16]int{1: 32, 28: 128}[binary.BigEndian.Uint16(query[end-4:])] // A, AAAA: bits
	for _, a := range answer(name) {
		if a.BitLen() != wanted {
			continue
		}
		reply[7]++                                               // answers
		reply = append(reply, 0xc0, 12)                          // the name in the question
		reply = append(reply, query[end-4:end]...)               // type and class
		reply = append(reply, 0, 0, 0, 0, 0, byte(a.BitLen()/8)) // lives 0 s; length
		reply = append(reply, a.AsSlice()...)
	}
	_, _ = conn.Write(binary.BigEndian.AppendUint16(nil, uint16(len(reply))))
	_, _ = conn.Write(reply)
}

// question returns the name asked for and where the question ends.
func question(query []byte) (name string, end int) {
	var labels []string
	at := 12
	for query[at] != 0 {
		length := int(query[at])
		labels = append(labels, string(query[at+1:at+1+length]))
		at += 1 + length
	}
	return strings.Join(labels, "."), at + 5
}
