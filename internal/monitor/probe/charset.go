package probe

import (
	"bytes"
	"regexp"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// sniffedBytes is how far into a page its encoding is looked for.
const sniffedBytes = 4 << 10

var (
	labelInHeader = regexp.MustCompile(`(?i);\s*charset\s*=\s*["']?([^\s"';,]+)`)
	labelInXML    = regexp.MustCompile(`^\s*<\?xml\s[^>]*\bencoding\s*=\s*["']([^"'>]+)["']`)
)

// encodingsOf returns the encodings in which a page is read, by its first bytes and its Content-Type. What a page declares
// counts, as in browsers: its byte order mark, its header, its XML declaration or its <meta>. One that declares nothing may
// be UTF-8, or Windows-1252, which browsers take it for. unreadable says that it declares what cannot be read.
func encodingsOf(start []byte, contentType string) (in []encoding.Encoding, unreadable problem) {
	if e, _, certain := charset.DetermineEncoding(start, ""); certain {
		return []encoding.Encoding{e}, ""
	}
	for _, declared := range [][]string{labelInHeader.FindStringSubmatch(contentType), labelInXML.FindStringSubmatch(string(start))} {
		if declared != nil {
			return encodingCalled(declared[1])
		}
	}
	if e := utf16(start); e != nil {
		return []encoding.Encoding{e}, ""
	}
	undeclared := []encoding.Encoding{unicode.UTF8, charmap.Windows1252}
	if !mayHaveMeta(contentType) {
		return undeclared, ""
	}
	name := nameInMeta(start)
	if name == "utf-8" || name == "windows-1252" { // which is also what the library says of a page that declares nothing
		return undeclared, ""
	}
	return encodingCalled(name)
}

// encodingCalled returns the encoding with a label. The text of a page with an unknown one is looked for as UTF-8.
func encodingCalled(label string) (in []encoding.Encoding, unreadable problem) {
	if strings.HasPrefix(strings.ToLower(label), "utf8") { // such as MySQL's utf8mb4
		label = "utf-8"
	}
	e, name := charset.Lookup(label)
	if e == nil || name == "replacement" { // encodings that the standard forbids
		return []encoding.Encoding{unicode.UTF8}, problem("Page has the charset " + printable(label) + ", which cannot be read")
	}
	return []encoding.Encoding{e}, ""
}

// utf16 recognizes UTF-16 without a byte order mark: every second byte of a page's first characters is zero.
func utf16(start []byte) encoding.Encoding {
	switch {
	case len(start) < 4:
		return nil
	case start[0] != 0 && start[1] == 0 && start[2] != 0 && start[3] == 0:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case start[0] == 0 && start[1] != 0 && start[2] == 0 && start[3] != 0:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return nil
}

func mayHaveMeta(contentType string) bool {
	contentType = strings.ToLower(contentType)
	return contentType == "" || strings.Contains(contentType, "html") || strings.Contains(contentType, "xml")
}

// nameInMeta returns the encoding that a <meta> declares. The library looks at 1024 bytes, and browsers also at what follows.
func nameInMeta(start []byte) (name string) {
	_, name, _ = charset.DetermineEncoding(start, "")
	for rest := bytes.ToLower(start); name == "utf-8" || name == "windows-1252"; {
		at := bytes.Index(rest, []byte("<meta"))
		if at < 0 {
			break
		}
		_, name, _ = charset.DetermineEncoding(rest[at:], "")
		rest = rest[at+1:]
	}
	return name
}
