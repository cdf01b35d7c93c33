package sett

import (
	"strings"
	"unicode/utf8"
)

// What a name in DNS may be at most (RFC 1035 §2.3.4), as people write it: without the dot of the root.
const (
	longestHost  = 253
	longestLabel = 63
)

// hostProblem says why DNS cannot know a host, or returns "". It follows what DNS is used for and not the rules of host
// names: underscores occur, and so do hyphens at an end. Characters beyond ASCII, of which each takes one byte at least,
// are counted. An IPv6 address is no name.
func hostProblem(host string) string {
	if strings.Contains(host, ":") {
		return ""
	}
	name := strings.TrimSuffix(host, ".")
	if utf8.RuneCountInString(name) > longestHost {
		return "must name a host of at most 253 characters"
	}
	for label := range strings.SplitSeq(name, ".") {
		switch {
		case label == "":
			return "must name a host with something between its dots, such as shop.example.org"
		case strings.Trim(label, "-") == "":
			return "must name a host whose parts are more than hyphens, such as shop.example.org"
		case utf8.RuneCountInString(label) > longestLabel:
			return "must name a host with at most 63 characters between its dots"
		}
	}
	return ""
}
