package sett

import (
	"slices"
	"strings"
	"unicode"
)

// Mentions returns the ids of those people whom a text names by an @ and their name without spaces, their first name or
// their email address, in any case: each once, in the order of people. An email address in the text names nobody.
func Mentions(text string, people []Person) (ids []int64) {
	handles := map[string][]int64{}
	longest := 0
	for _, p := range people {
		for _, h := range p.handles() {
			handles[h] = append(handles[h], p.ID)
			longest = max(longest, len([]rune(h)))
		}
	}
	named := map[int64]bool{}
	lower := []rune(strings.ToLower(text))
	for i, r := range lower {
		if r == '@' && (i == 0 || !joinsMention(lower[i-1])) {
			for _, h := range mentionsAt(lower[i+1:], longest) {
				for _, id := range handles[h] {
					named[id] = true
				}
			}
		}
	}
	for _, p := range people {
		if named[p.ID] && !slices.Contains(ids, p.ID) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// handles are what may follow an @ to name the person, in lower case.
func (p Person) handles() (handles []string) {
	names := strings.Fields(strings.ToLower(p.Name))
	if len(names) > 0 {
		handles = append(handles, names[0])
	}
	if len(names) > 1 {
		handles = append(handles, strings.Join(names, ""))
	}
	if p.Email != "" {
		handles = append(handles, strings.ToLower(p.Email))
	}
	return handles
}

// mentionsAt returns the handles of up to so many characters that may be meant by what follows an @: it is read to every
// place where a name can end, and no further than to a blank or a second @ after the one of an address.
func mentionsAt(text []rune, longest int) (handles []string) {
	ats := 0
	for end := 1; end <= min(len(text), longest); end++ {
		last := text[end-1]
		if last == '@' {
			ats++
		}
		if unicode.IsSpace(last) || ats > 1 {
			return handles
		}
		if endsMention(text[end:]) {
			handles = append(handles, string(text[:end]))
		}
	}
	return handles
}

// joinsMention reports whether an @ after this character begins no name, but goes on with an address or a path.
func joinsMention(before rune) bool {
	return isWordRune(before) || strings.ContainsRune("@+-%/", before)
}

// endsMention reports whether a name can end before this text.
func endsMention(after []rune) bool {
	switch {
	case len(after) == 0:
		return true
	case isWordRune(after[0]):
		return false
	}
	joined := strings.ContainsRune("@.+-", after[0]) && len(after) > 1 && isWordRune(after[1])
	return !joined
}

func isWordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}
