// Package attach cleans files that clients send with their events. In come names, media types and bytes of strangers; out come names
// and types that are safe to store, to show and to serve. It stores no file, and never trusts what a client says that a
// file is.
package attach

import (
	"bytes"
	"mime"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"sett/internal/sett"
)

// The bounds of the attachments of one notice.
const (
	MostBytes = 1 << 20 // together
	Most      = 20
)

// longestName is how many characters the name of an attachment has at most. File systems take 255 bytes.
const longestName = 80

// File is a file that a client sent with a notice.
type File struct {
	ID    int64
	Name  string // a file name, cleaned; see CleanName
	Type  string // one of few media types; see MediaType
	Bytes int64
}

// binaryType is the media type of what browsers only save.
const binaryType = "application/octet-stream"

// previews are the media types of attachments that a page may show as pictures.
var previews = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// IsPicture reports whether a page may show the attachment: its first bytes are those of a picture without scripts.
func (a File) IsPicture() bool {
	for _, t := range previews {
		if a.Type == t {
			return true
		}
	}
	return false
}

// CleanName returns a name that a client chose, as a file name on any system: without folders, and without characters that cannot be
// seen, mean something in paths, or change the direction of text.
func CleanName(name string) string {
	name = strings.ToValidUTF8(name[strings.LastIndexAny(name, `/\`)+1:], "")
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !sett.IsVisible(r) || unicode.Is(unicode.Bidi_Control, r):
			return -1
		case strings.ContainsRune(`/:*?"<>|`, r):
			return '_'
		}
		return r
	}, name)
	if name = strings.Trim(name, " ."); name == "" {
		return "attachment"
	}
	if cut := utf8.RuneCountInString(name) - longestName; cut > 0 { // the end says what it is
		name = string([]rune(name)[cut:])
	}
	return strings.Trim(name, " .")
}

// MediaType returns the media type with which a file is served: that of a picture if its bytes are one, that of text or JSON if it is
// text and the client said so, and otherwise one that browsers only save. What a client says a picture is counts for nothing.
func MediaType(said string, file []byte) string {
	found, _, _ := strings.Cut(http.DetectContentType(file), ";")
	if (File{Type: found}).IsPicture() {
		return found
	}
	said, _, err := mime.ParseMediaType(said)
	switch {
	case err != nil || !IsText(file):
		return binaryType
	case said == "application/json":
		return said
	case strings.HasPrefix(said, "text/"):
		return "text/plain"
	}
	return binaryType
}

// IsText reports whether a file is text, so that rules for texts apply to it.
func IsText(file []byte) bool { return utf8.Valid(file) && bytes.IndexByte(file, 0) < 0 }
