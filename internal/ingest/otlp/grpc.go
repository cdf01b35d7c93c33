package otlp

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"

	"sett/internal/sett"
)

// GRPC is the media type of a call by gRPC.
const GRPC = "application/grpc"

// frameHead is the length of what is before a message in a call by gRPC: whether it is compressed, and its length.
const frameHead = 5

// Unframe reads the head of the only message of a call, and returns the message, of so many bytes, as a body.
func Unframe(call io.Reader) (message io.Reader, size int64, compressed bool, err error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(call, head[:]); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || err == nil && head[0] > 1 {
		return nil, 0, false, sett.Errorf(sett.Malformed, "The call has no message of gRPC.")
	} else if err != nil {
		return nil, 0, false, err
	}
	size = int64(binary.BigEndian.Uint32(head[1:]))
	return &whole{call, size}, size, head[0] == 1, nil
}

// whole reads so many bytes, and fails if there are fewer: what is left of a message must not be taken for all of it.
type whole struct {
	from io.Reader
	left int64
}

func (w *whole) Read(b []byte) (n int, err error) {
	if w.left == 0 {
		return 0, io.EOF
	}
	n, err = w.from.Read(b[:min(int64(len(b)), w.left)])
	if w.left -= int64(n); errors.Is(err, io.EOF) && w.left > 0 {
		err = sett.Errorf(sett.Malformed, "The message of the call ends in the middle.")
	}
	return n, err
}

// Frame returns an answer as the message of a call; it is short.
func Frame(message []byte) []byte {
	framed := make([]byte, frameHead, frameHead+len(message))
	binary.BigEndian.PutUint32(framed[1:], uint32(min(len(message), math.MaxUint32)))
	return append(framed, message...)
}

// CodeOf returns the status of gRPC for one of HTTP.
func CodeOf(status int) int { return rpcCode(status) }

// HeaderText returns a text as gRPC writes it in a header: with what is no printable ASCII percent-encoded.
func HeaderText(text string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(text) {
		if c >= ' ' && c <= '~' && c != '%' {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}
