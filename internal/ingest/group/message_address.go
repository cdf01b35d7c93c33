package group

import "strings"

// addressEnd ends an address in a network: IPv4 with or without a port, IPv6 with or without brackets and a port, or
// the address of a network card.
func addressEnd(s string, at int) int {
	if s[at] == '[' {
		end := colonAddressEnd(s, at+1)
		if end == 0 || end == len(s) || s[end] != ']' {
			return 0
		}
		return portEnd(s, end+1)
	}
	if end := dottedAddressEnd(s, at); end > 0 {
		return portEnd(s, end)
	}
	return colonAddressEnd(s, at)
}

// dottedAddressEnd reads four numbers of up to three digits with dots between them.
func dottedAddressEnd(s string, at int) int {
	c := cursor{s, at}
	for i := range 4 {
		if i > 0 && !c.one(".") || !c.digits(1, 3) {
			return 0
		}
	}
	if alnumAt(s, c.at) || (c.at+1 < len(s) && s[c.at] == '.' && isDigit(s[c.at+1])) {
		return 0 // a longer version number
	}
	return c.at
}

// colonAddressEnd reads groups of up to four hexadecimal digits with colons between them: five or more colons, or two
// in a row. Fewer may be a time of day or a place in a file; names such as "a::b" hold no digit.
func colonAddressEnd(s string, at int) int {
	const longest = len("0000:0000:0000:0000:0000:ffff:255.255.255.255")
	end := at
	for end < len(s) && end-at < longest && (isHex(s[end]) || s[end] == ':' || s[end] == '.') {
		end++
	}
	run := strings.TrimRight(s[at:end], ".") // the end of a sentence
	if !strings.HasSuffix(run, "::") {
		run = strings.TrimSuffix(run, ":")
	}
	end = at + len(run)
	if !strings.Contains(run, "::") && strings.Count(run, ":") < 5 {
		return 0
	}
	if alnumAt(s, end) || !hasDigit(run) {
		return 0
	}
	for group := range strings.SplitSeq(run, ":") {
		if len(group) > 4 && !strings.Contains(group, ".") {
			return 0
		}
	}
	return end
}

func portEnd(s string, at int) int {
	c := cursor{s, at}
	if c.one(":") && c.digits(1, 5) {
		return c.at
	}
	return at
}
