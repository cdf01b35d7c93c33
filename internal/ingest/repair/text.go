package repair

import (
	"bytes"
	"fmt"
	"mime"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// wide are the encodings in which characters have two or four bytes, by how an object or array begins in them, with and without a byte order mark. The longer
// come first: a mark of UTF-32 begins like one of UTF-16.
var wide = []struct {
	name     string
	starts   []string
	encoding encoding.Encoding
}{
	{"UTF-32", []string{"\xff\xfe\x00\x00", "{\x00\x00\x00", "[\x00\x00\x00"}, utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)},
	{"UTF-32", []string{"\x00\x00\xfe\xff", "\x00\x00\x00{", "\x00\x00\x00["}, utf32.UTF32(utf32.BigEndian, utf32.UseBOM)},
	{"UTF-16", []string{"\xff\xfe", "{\x00", "[\x00"}, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)},
	{"UTF-16", []string{"\xfe\xff", "\x00{", "\x00["}, unicode.UTF16(unicode.BigEndian, unicode.UseBOM)},
}

// IsWide reports whether a body is in UTF-16 or UTF-32: it has more bytes than the same in UTF-8.
func IsWide(body []byte) bool { return wideOf(body) >= 0 }

func wideOf(body []byte) int {
	for i, w := range wide {
		for _, start := range w.starts {
			if bytes.HasPrefix(body, []byte(start)) {
				return i
			}
		}
	}
	return -1
}

// Text returns a body as text in UTF-8. What it begins with says more than its Content-Type, and a body in UTF-8 is never taken for another one.
func Text(body []byte, contentType string, notes *Notes) string {
	if i := wideOf(body); i >= 0 {
		if text, err := wide[i].encoding.NewDecoder().Bytes(body); err == nil {
			notes.Add(fmt.Sprintf("The body was in %s, and is converted to UTF-8.", wide[i].name))
			return valid(Trimmed(text, new(Notes)), notes)
		}
	}
	body = Trimmed(body, notes)
	if name, e := charsetOf(contentType); e != nil && (!utf8.Valid(body) || bytes.IndexByte(body, escape) >= 0) {
		if text, err := e.NewDecoder().Bytes(body); err == nil {
			notes.Add(fmt.Sprintf("The body was in the charset %s, and is converted to UTF-8.", name))
			return valid(text, notes)
		}
	}
	return valid(body, notes)
}

// escape begins the sequences of encodings such as ISO-2022-JP, all of whose bytes are ASCII. JSON has it in no text.
const escape = 0x1b

// charsetOf returns the charset that a Content-Type names, unless it is UTF-8 or not known.
func charsetOf(contentType string) (name string, e encoding.Encoding) {
	_, params, _ := mime.ParseMediaType(contentType)
	e, err := htmlindex.Get(params["charset"])
	if err != nil || e == unicode.UTF8 {
		return "", nil
	}
	if name, err = htmlindex.Name(e); err != nil {
		return "", nil
	}
	return name, e
}
