// Package nameserver is for tests only: a name server in memory that says what a test wants to hear. In comes a
// function from names to answers, out comes a net.Resolver that asks it. It never listens on a port or asks another
// name server.
package nameserver

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strings"
)

// Answer is what the name server says to one question.
type Answer struct {
	Addrs  []netip.Addr // those of the family that was not asked for are left out; none at all: the name has no address
	Fails  bool         // says that it cannot answer (SERVFAIL)
	Silent bool         // says nothing until the asker gives up
}

// Is answers with addresses.
func Is(addrs ...string) Answer {
	var a Answer
	for _, text := range addrs {
		a.Addrs = append(a.Addrs, netip.MustParseAddr(text))
	}
	return a
}

// Resolver returns a resolver that asks answer, in goroutines of its own. A name comes without the dot at its end.
func Resolver(answer func(name string) Answer) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go serve(server, answer)
		return client, nil
	}}
}

// serve answers one question in the framing of TCP, RFC 1035 §4.2.2, and ends with its asker.
func serve(conn net.Conn, answer func(name string) Answer) {
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
	a := answer(name)
	if !a.Silent {
		said := reply(query[:end], a)
		_, _ = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(said))), said...))
	}
	_, _ = io.Copy(io.Discard, conn)
}

// reply writes the answer to a query that ends with its question.
func reply(query []byte, a Answer) []byte {
	asked := query[len(query)-4:] // type and class
	said := append([]byte{}, query[:2]...)
	said = append(said, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0) // an answer, recursion available, one question
	if a.Fails {
		said[3] |= 2
	}
	said = append(said, query[12:]...)
	wanted := map[uint16]int{1: 32, 28: 128}[binary.BigEndian.Uint16(asked)] // A, AAAA: bits
	for _, addr := range a.Addrs {
		if addr.BitLen() != wanted {
			continue
		}
		said[7]++                     // answers
		said = append(said, 0xc0, 12) // the name in the question
		said = append(said, asked...)
		said = append(said, 0, 0, 0, 0, 0, byte(addr.BitLen()/8)) // lives 0 s; length
		said = append(said, addr.AsSlice()...)
	}
	return said
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
