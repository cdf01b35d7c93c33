package sentry

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"sett/internal/sett"
)

// maxHeader is how many bytes a header in a large envelope may have.
const maxHeader = 64 << 10

// Keeper says what is kept of a large envelope.
type Keeper struct {
	Head  func(Envelope) error // is called with the header, before items are read
	Room  func(Item) int       // how many bytes an item may have; 0 for one whose payload nothing is read of
	Total int                  // bytes of all that are kept
	Hold  func(bytes int) error
}

// ReadLargeEnvelope is ReadEnvelope for one that is too large to be held whole. Items that are not kept have no payload, and say so. Errors:
// those of the reader and of k, Malformed, and TooLarge for a header.
func ReadLargeEnvelope(r io.Reader, k Keeper) (Envelope, error) {
	b := bufio.NewReaderSize(r, maxHeader)
	line, err := headerLine(b)
	if err != nil && !errors.Is(err, io.EOF) {
		return Envelope{}, err
	}
	e, err := ReadEnvelope(bytes.Clone(line))
	if err != nil {
		return e, err
	}
	if err := k.Head(e); err != nil {
		return e, err
	}
	for len(e.Items) < maxItems {
		item, ok, err := k.next(b)
		switch {
		case errors.Is(err, io.EOF):
			return e, nil
		case err != nil:
			return e, err
		case !ok:
			e.LeftOut++
			return e, nil
		}
		e.Items = append(e.Items, item)
	}
	if _, err := b.Peek(1); err == nil {
		e.LeftOut++ // at least
	}
	return e, nil
}

// headerLine returns a line, which is valid until the next is read.
func headerLine(b *bufio.Reader) ([]byte, error) {
	line, err := b.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, sett.Errorf(sett.TooLarge, "A header of the envelope has more than %d bytes. Send less data.", maxHeader)
	}
	return line, err
}

// next reads an item; ok is false if its header cannot be read. The error is io.EOF at the end of the envelope.
func (k *Keeper) next(b *bufio.Reader) (item Item, ok bool, err error) {
	var line []byte
	for end := false; len(bytes.TrimSpace(line)) == 0; {
		if end {
			return item, false, io.EOF
		}
		line, err = headerLine(b)
		if end = errors.Is(err, io.EOF); err != nil && !end {
			return item, false, err
		}
	}
	line, _ = cutLine(line)
	item, length, ok := readItemHeader(bytes.Clone(line)) // the item shares memory with its header
	if !ok {
		return item, false, nil
	}
	if length >= 0 {
		err = k.sized(b, &item, length)
	} else {
		err = k.untilLine(b, &item)
	}
	if errors.Is(err, io.EOF) {
		err = nil // a body that is cut off may still have all that matters
	}
	return item, true, err
}

// room returns how many bytes of an item may be kept.
func (k *Keeper) room(item Item) int { return min(k.Room(item), k.Total) }

// sized reads the payload of an item that says how long it is.
func (k *Keeper) sized(b *bufio.Reader, item *Item, length int) error {
	if length > k.room(*item) {
		item.Large = true
		_, err := io.CopyN(io.Discard, b, int64(length))
		return err
	}
	if err := k.Hold(length); err != nil {
		return err
	}
	k.Total -= length
	item.Payload = make([]byte, length)
	n, err := io.ReadFull(b, item.Payload)
	item.Payload = item.Payload[:n]
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return err
}

// untilLine reads the payload of an item that ends with its line.
func (k *Keeper) untilLine(b *bufio.Reader, item *Item) error {
	room := k.room(*item)
	for {
		part, err := b.ReadSlice('\n')
		if item.Large = item.Large || len(item.Payload)+len(part) > room; item.Large {
			item.Payload = nil
		} else if err := k.Hold(len(part)); err != nil {
			return err
		} else {
			item.Payload = append(item.Payload, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			item.Payload, _ = cutLine(item.Payload)
			k.Total -= len(item.Payload)
			return err
		}
	}
}
