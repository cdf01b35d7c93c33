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
	line, err := firstLine(b)
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

// firstLine returns the first line that is not blank, without a byte order mark.
func firstLine(b *bufio.Reader) (line []byte, err error) {
	for err == nil && len(line) == 0 {
		line, err = headerLine(b)
		line = bytes.TrimLeft(line, " \t\r\n\uFEFF")
	}
	return line, err
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

// sized reads the payload of an item that says how long it is. If it is JSON that goes on behind its end, the header was wrong: see Item.longer.
func (k *Keeper) sized(b *bufio.Reader, item *Item, length int) error {
	first, _ := b.Peek(1)
	oneLine := item.Type != "attachment" && len(first) > 0 && first[0] == '{'
	err := k.take(b, item, length, &oneLine)
	if err != nil || !oneLine || !goesOn(b) {
		return err
	}
	item.Repairs = []string{wrongLength}
	return k.untilLine(b, item)
}

// take reads so many bytes of an item. It clears oneLine if a line ends in them.
func (k *Keeper) take(b *bufio.Reader, item *Item, length int, oneLine *bool) error {
	if length > k.room(*item) {
		item.Large = true
		_, err := io.CopyN(lineWatch{oneLine}, b, int64(length))
		return err
	}
	if err := k.Hold(length); err != nil {
		return err
	}
	k.Total -= length
	item.Payload = make([]byte, length)
	n, err := io.ReadFull(b, item.Payload)
	item.Payload = item.Payload[:n]
	*oneLine = *oneLine && bytes.IndexByte(item.Payload, '\n') < 0
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return err
}

// goesOn reports whether more of a line follows.
func goesOn(b *bufio.Reader) bool {
	next, err := b.Peek(1)
	return err == nil && next[0] != '\n' && next[0] != '\r'
}

// lineWatch clears its flag if a line ends in what is written to it.
type lineWatch struct{ oneLine *bool }

func (w lineWatch) Write(p []byte) (int, error) {
	*w.oneLine = *w.oneLine && bytes.IndexByte(p, '\n') < 0
	return len(p), nil
}

// untilLine reads what is left of a payload that ends with its line.
func (k *Keeper) untilLine(b *bufio.Reader, item *Item) error {
	before := len(item.Payload)
	room := min(k.Room(*item), k.Total+before)
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
			k.Total -= len(item.Payload) - before
			return err
		}
	}
}
