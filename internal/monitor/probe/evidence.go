package probe

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"
)

const (
	keptHeaders     = 64
	keptHeaderBytes = 8 << 10 // of names and values
)

// evidence returns the headers of a response as they are kept: in the order of their names, as many as there is room for.
func evidence(header http.Header) map[string]string {
	kept, room := make(map[string]string, min(len(header), keptHeaders)), keptHeaderBytes
	for _, name := range slices.Sorted(maps.Keys(header)) {
		value := printable(strings.Join(header[name], ", "))
		if room -= len(name) + len(value); room < 0 || len(kept) == keptHeaders {
			break
		}
		kept[strings.ToLower(name)] = value
	}
	return kept
}

// printable makes one line of UTF-8 of what another machine has said.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
