package sett

import (
	"strings"
	"unicode"
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
	checkText(p, field, address, longestAddress)
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
		if label == "" || len(label) > longestLabel || label[0] == '-' || label[len(label)-1] == '-' ||
			strings.ContainsFunc(label, func(r rune) bool { return !isWordly(r) && r != '-' && r != '_' }) {
			return false
		}
	}
	return true
}

// isWordly reports whether a character is a letter or a digit, or belongs to one. What cannot be read is none.
func isWordly(r rune) bool {
	return r != unicode.ReplacementChar && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && isSeen(r))
}
