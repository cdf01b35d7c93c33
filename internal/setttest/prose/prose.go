// Package prose checks the words of a page, a manual or a program in tests: text comes in, and what is wrong with it goes out. A sentence has at most
// 25 words, no text has a name that only the code and the API know, and one thing has one word. It judges no style: whether a sentence can be read
// once, only a reader can say.
package prose

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// mostWords is how many words a sentence may have (docs/words.md).
const mostWords = 25

var (
	end      = regexp.MustCompile(`[.!?:;]["”’)]*(\s|$)|[.!?]["”’)]*\n`)
	word     = regexp.MustCompile(`[\pL\pN]`)
	internal = regexp.MustCompile(`<nil>|%!|\b[a-z]+(_[a-z]+)+\b|\bnull\b|\b0001-01-01\b|\{\{`)
	// others are words for what people call an error, an event, or events.
	others = regexp.MustCompile(`(?i)\b(faults?|notices?|occurrences?)\b`)
	// known are names that people write or read elsewhere: in searches, in link templates, in what their programs send, and of a program.
	known = []string{
		"pending_resolution", "user_id", "user_email", "trace_id", "passport_number", "csrf_token", "debug_meta", "event_type", "pg_dump",
	}
)

// Long returns the sentences of a text that have too many words.
func Long(text string) (long []string) {
	begin := 0
	for _, at := range append(end.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		sentence := strings.TrimSpace(text[begin:at[1]])
		begin = at[1]
		if n := words(sentence); n > mostWords {
			long = append(long, fmt.Sprintf("%d words: %s", n, sentence))
		}
	}
	return long
}

// words counts what stands between spaces and has a letter or a digit.
func words(sentence string) (n int) {
	for _, one := range strings.Fields(sentence) {
		if word.MatchString(one) {
			n++
		}
	}
	return n
}

// Names returns what a text says in the words of the code or of the API.
func Names(text string) []string {
	names := append(internal.FindAllString(text, -1), others.FindAllString(text, -1)...)
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(known, name) })
}
