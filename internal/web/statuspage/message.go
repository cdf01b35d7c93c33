package statuspage

import (
	"regexp"
	"strings"
)

// span is a part of a line of a message; Link is its URL, "" for plain text.
type span struct{ Text, Link string }

// address matches URLs in a text.
var address = regexp.MustCompile(`https?://[^\s<>"'` + "`" + `\\^{|}]+`)

// lines splits a message into lines, and each line into plain text and links.
func lines(message string) (lines [][]span) {
	message = strings.TrimSpace(strings.ReplaceAll(message, "\r\n", "\n"))
	if message == "" {
		return nil
	}
	for line := range strings.SplitSeq(message, "\n") {
		lines = append(lines, spans(line))
	}
	return lines
}

func spans(line string) (spans []span) {
	end := 0
	for _, at := range address.FindAllStringIndex(line, -1) {
		link := trimAddress(line[at[0]:at[1]])
		if at[0] > end {
			spans = append(spans, span{Text: line[end:at[0]]})
		}
		spans = append(spans, span{link, link})
		end = at[0] + len(link)
	}
	if end < len(line) {
		spans = append(spans, span{Text: line[end:]})
	}
	return spans
}

// trimAddress removes the punctuation of the surrounding sentence from a URL.
func trimAddress(address string) string {
	address = strings.TrimRight(address, ".,;:!?*_")
	for strings.HasSuffix(address, ")") && strings.Count(address, ")") > strings.Count(address, "(") {
		address = strings.TrimRight(address[:len(address)-1], ".,;:!?*_")
	}
	return address
}
