package faults

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
	MostAttachmentBytes = 1 << 20 // together
	MostAttachments     = 20
)

// longestAttachmentName is how many characters the name of an attachment has at most. File systems take 255 bytes.
const longestAttachmentName = 80

// Attachment is a file that a client sent with a notice.
type Attachment struct {
	ID    int64
	Name  string // a file name, cleaned; see CleanAttachmentName
	Type  string // one of few media types; see AttachmentType
	Bytes int64
}

// binaryType is the media type of what browsers only save.
const binaryType = "application/octet-stream"

// previews are the media types of attachments that a page may show as pictures.
var previews = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// IsPicture reports whether a page may show the attachment: its first bytes are those of a picture without scripts.
func (a Attachment) IsPicture() bool {
	for _, t := range previews {
		if a.Type == t {
			return true
		}
	}
	return false
}

// CleanAttachmentName returns a name that a client chose, as a file name on any system: without folders, and without characters that cannot be
// seen, mean something in paths, or change the direction of text.
func CleanAttachmentName(name string) string {
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
	if cut := utf8.RuneCountInString(name) - longestAttachmentName; cut > 0 { // the end says what it is
		name = string([]rune(name)[cut:])
	}
	return strings.Trim(name, " .")
}

// AttachmentType returns the media type with which a file is served: that of a picture if its bytes are one, that of text or JSON if it is
// text and the client said so, and otherwise one that browsers only save. What a client says a picture is counts for nothing.
func AttachmentType(said string, file []byte) string {
	found, _, _ := strings.Cut(http.DetectContentType(file), ";")
	if (Attachment{Type: found}).IsPicture() {
		return found
	}
	said, _, err := mime.ParseMediaType(said)
	switch {
	case err != nil || !IsTextFile(file):
		return binaryType
	case said == "application/json":
		return said
	case strings.HasPrefix(said, "text/"):
		return "text/plain"
	}
	return binaryType
}

// IsTextFile reports whether a file is text, so that rules for texts apply to it.
func IsTextFile(file []byte) bool { return utf8.Valid(file) && bytes.IndexByte(file, 0) < 0 }
