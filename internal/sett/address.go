package sett

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestAddress is how many characters an email address has at most (RFC 5321 §4.5.3.1.3, without the brackets).
const longestAddress = 254

// CheckEmail notes what keeps a text from being an email address. Whether mail arrives there only a mail can tell, so no
// more is asked than the plain form that whatever sends mail understands: a mailbox of words with dots between them, an @,
// and a host. Quoted words, comments, names beside the address and numbers of hosts are refused.
func CheckEmail(p *Problems, field, address string) {
	mailbox, host, _ := strings.Cut(address, "@")
	if !isMailbox(mailbox) || !isMailHost(host) {
		p.Add(field, "must be an email address such as you@example.org")
	}
	CheckText(p, field, address, longestAddress)
}

// isMailbox reports whether a text is a dot-string (RFC 5321 §4.1.2), whose letters may be of any script (RFC 6531 §3.3).
func isMailbox(text string) bool {
	for word := range strings.SplitSeq(text, ".") {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !isWordly(r) && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r) }) {
			return false
		}
	}
	return true
}

// isMailHost reports whether a text is a name of a host, with letters of any script and in any case. Some networks have
// hosts with underscores.
func isMailHost(text string) bool {
	for label := range strings.SplitSeq(text, ".") {
		if label == "" || len(label) > LongestLabel || label[0] == '-' || label[len(label)-1] == '-' ||
			strings.ContainsFunc(label, func(r rune) bool { return !isWordly(r) && r != '-' && r != '_' }) {
			return false
		}
	}
	return true
}

// isWordly reports whether a character is a letter or a digit, or belongs to one. What cannot be read is none.
func isWordly(r rune) bool {
	return r != unicode.ReplacementChar && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && IsVisible(r))
}

// What a name in DNS may be at most (RFC 1035 §2.3.4), as people write it: without the dot of the root.
const (
	LongestHost  = 253
	LongestLabel = 63
)

// HostProblem says why DNS cannot know a host, or returns "". It follows what DNS is used for and not the rules of host
// names: underscores occur, and so do hyphens at an end. Characters beyond ASCII, of which each takes one byte at least,
// are counted. An IPv6 address is no name.
func HostProblem(host string) string {
	if strings.Contains(host, ":") {
		return ""
	}
	name := strings.TrimSuffix(host, ".")
	if utf8.RuneCountInString(name) > LongestHost {
		return "must name a host of at most 253 characters"
	}
	for label := range strings.SplitSeq(name, ".") {
		switch {
		case label == "":
			return "must name a host with something between its dots, such as shop.example.org"
		case strings.Trim(label, "-") == "":
			return "must name a host whose parts are more than hyphens, such as shop.example.org"
		case utf8.RuneCountInString(label) > LongestLabel:
			return "must name a host with at most 63 characters between its dots"
		}
	}
	return ""
}

// CheckLink checks a URL that visitors of a page can follow. It can be empty.
func CheckLink(p *Problems, field, address string, longest int) {
	if address == "" {
		return
	}
	CheckText(p, field, address, longest)
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.ContainsFunc(address, IsSpaceOrControl):
		p.Add(field, "must be a URL that starts with http:// or https:// and has no spaces")
	case u.User != nil:
		p.Add(field, "must not have a user or a password before its host: everybody can see it")
	case !IsPort(u.Port()) || strings.HasSuffix(u.Host, ":"):
		p.Add(field, "must have no port, or one from 1 to 65535")
	}
}

func IsSpaceOrControl(r rune) bool { return r <= ' ' || r == 0x7f }

// IsPort reports whether a URL's port may be connected to; "" is the one of its scheme.
func IsPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return text == "" || err == nil && port > 0
}
