package statuspage

import (
	"regexp"
	"strings"
)

// span is a piece of a line of what people wrote; Link is where it leads, "" for nowhere.
type span struct{ Text, Link string }

// address finds web addresses in a text.
var address = regexp.MustCompile(`https?://[^\s<>"'` + "`" + `\\^{|}]+`)

// lines takes a message apart into lines, and those into plain text and links.
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

// trimAddress cuts off what belongs to the sentence around an address.
func trimAddress(address string) string {
	address = strings.TrimRight(address, ".,;:!?*_")
	for strings.HasSuffix(address, ")") && strings.Count(address, ")") > strings.Count(address, "(") {
		address = strings.TrimRight(address[:len(address)-1], ".,;:!?*_")
	}
	return address
}
