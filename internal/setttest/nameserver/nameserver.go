// Package nameserver is for tests only: a name server in memory that answers as a test wants. A test
// gives a function from names to answers, and gets a net.Resolver that asks it, or a port of this
// machine for other programs. It never asks another name server.
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
	CNAME  string       // what the name is another name of; Addrs are that one's
	TXT    []string     // one record each, of 255 bytes at most
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
	owner := []byte{0xc0, 12} // the name in the question
	kind := binary.BigEndian.Uint16(asked)
	if a.CNAME != "" {
		said = record(said, owner, typeCNAME, encode(a.CNAME))
		owner = encode(a.CNAME)
	}
	for _, addr := range a.Addrs {
		if wanted := map[uint16]int{typeA: 32, typeAAAA: 128}[kind]; addr.BitLen() == wanted {
			said = record(said, owner, kind, addr.AsSlice())
		}
	}
	if kind == typeTXT {
		for _, text := range a.TXT {
			said = record(said, owner, kind, append([]byte{byte(len(text))}, text...))
		}
	}
	return said
}

// The types of records that there are here, RFC 1035 §3.2.2 and RFC 3596.
const (
	typeA     = 1
	typeCNAME = 5
	typeTXT   = 16
	typeAAAA  = 28
)

// record adds an answer to a reply; it lives for no time at all.
func record(said, owner []byte, kind uint16, data []byte) []byte {
	said[7]++ // answers
	said = binary.BigEndian.AppendUint16(append(said, owner...), kind)
	said = append(said, 0, 1, 0, 0, 0, 0) // internet; lives 0 s
	return append(binary.BigEndian.AppendUint16(said, uint16(len(data))), data...)
}

// encode writes a name as DNS does, RFC 1035 §3.1.
func encode(name string) (said []byte) {
	for label := range strings.SplitSeq(strings.TrimSuffix(name, "."), ".") {
		said = append(append(said, byte(len(label))), label...)
	}
	return append(said, 0)
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
