package faults

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// KnownGrouping is an error that has failed at a place before.
type KnownGrouping struct {
	Grouping
	Here bool // it has failed in the revision of the new event too
	Late bool // it has failed within the last day
}

// Why says why an event continues an error although its key is new; "" if it does not.
type Why string

// The reasons.
const (
	LineMoved     Why = "line"    // the same code stands in another line
	MessageVaries Why = "message" // the messages differ in few words
	NamesVary     Why = "names"   // engines disagree whether the function has a name, or a bundler gave it another one
	RuleChanged   Why = "rule"    // an earlier rule knows the error by another key
	OwnRules      Why = "own"     // the project changed its rules
	Separated     Why = "apart"   // a user made an error of it
	Imported      Why = "import"  // an error that came from another tracker has events of it there
)

// Continues decides whether an event at a place continues one of the errors that failed near it, and returns its index and why; -1 for none. Two lines
// of one function are one error if they cannot be two places: the code is another revision's, or the text of the lines is the same. Two messages are one error
// if they share enough words; see Grouping.Alike. Of several errors it is the one that resembles the event most: in its message, then in the text of its
// line, then in its callers, then in where it is.
func Continues(known []KnownGrouping, p Grouping) (int, Why) {
	best, reason := -1, Why("")
	for i, k := range known {
		if why := continues(k, p); why != "" && (best < 0 || compareLikeness(k.Grouping, known[best].Grouping, p) > 0) {
			best, reason = i, why
		}
	}
	return best, reason
}

func continues(k KnownGrouping, p Grouping) Why {
	switch {
	case k.Near != p.Near, !areAlike(k.Message, p.Message, max(k.Alike, p.Alike)):
		return ""
	case k.Method == p.Method && k.Line == p.Line:
		return MessageVaries
	case k.Method == p.Method && hasMoved(k, p):
		return LineMoved
	case k.Method != p.Method && isNamedAnew(k, p):
		return NamesVary
	default:
		return ""
	}
}

// isNamedAnew reports whether a function may be the same although its name is another: one of the names is not known, or a bundler made both, anew for each build.
func isNamedAnew(k KnownGrouping, p Grouping) bool {
	if k.Line == "" && p.Line == "" {
		return hasMoved(k, p)
	}
	return k.Line == p.Line && (k.Method == "" || p.Method == "") && (k.Here || p.Revision == "")
}

// hasMoved reports whether the line of a known error may be that of an event, in another version of the code.
func hasMoved(k KnownGrouping, p Grouping) bool {
	switch {
	case p.Revision != "":
		return !k.Here
	case k.Source != "" && k.Source == p.Source:
		return true
	default:
		return !k.Late
	}
}

// compareLikeness is above 0 if a resembles an event more than b does.
func compareLikeness(a, b, p Grouping) int {
	return cmp.Or(
		compareSame(a.Message, b.Message, p.Message),
		compareSame(a.Source, b.Source, p.Source),
		compareSame(a.Callers, b.Callers, p.Callers),
		comparePlaces(lineNumber(a.Line), lineNumber(b.Line), lineNumber(p.Line)),
	)
}

// compareSame is above 0 if a is the text of an event and b is not. An empty text says nothing.
func compareSame(a, b, p string) int {
	switch {
	case a == b || p == "":
		return 0
	case a == p:
		return 1
	case b == p:
		return -1
	default:
		return 0
	}
}

// comparePlaces is above 0 if the line of an event is more likely to have been a than b. The nearer one is; but of two that are as good as equally near above
// the event, the upper one is: code moves down more often than up, and two lines keep their order.
func comparePlaces(a, b, line int) int {
	const similar = 3
	near, far := distance(a, line), distance(b, line)
	if a < line && b < line && near < similar*far && far < similar*near {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(far, near)
}

func distance(a, b int) int { return max(a-b, b-a) }

func lineNumber(line string) int {
	n, _ := strconv.Atoi(line)
	return n
}

// areAlike reports whether two messages have so many percent of the words of the longer one in common, of those that mean something. Names in quotes tell two
// messages apart. A message that is nothing but a value says nothing.
func areAlike(a, b string, percent int) bool {
	if a == b {
		return true
	}
	x, y := wordsOf(a), wordsOf(b)
	if len(x.names) > 0 && len(y.names) > 0 && !shareAny(x.names, y.names) {
		return false
	}
	longer := max(len(x.words), len(y.words))
	if percent < generous && min(len(x.words), len(y.words)) < telling {
		return true // a value, such as a name
	}
	return 100*countShared(x.words, y.words) >= percent*longer
}

const (
	generous = 20 // below so many percent, what is thrown is known by its class
	telling  = 3  // so many words say more than a value does
)

func shareAny(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func countShared(a, b []string) (n int) {
	b = slices.Clone(b)
	for _, word := range a {
		if i := slices.Index(b, word); i >= 0 {
			n++
			b = slices.Delete(b, i, i+1)
		}
	}
	return n
}

// said is what a normalised message says: words in small letters, and names in quotes.
type said struct{ words, names []string }

// wordsOf takes a normalised message apart, without its marks, such as "<number>", and words that any message may have.
func wordsOf(message string) (s said) {
	if name, ok := strings.CutPrefix(message, "'"); ok && strings.IndexByte(name, '\'') == len(name)-1 {
		return s // all of it is a value
	}
	quoted := false
	for message != "" {
		r, size := utf8.DecodeRuneInString(message)
		if !notInWord(r) {
			word, rest := cutWord(message)
			if word = strings.ToLower(word); !littleWords[word] {
				s.words = append(s.words, word)
			}
			if quoted && strings.HasPrefix(rest, "'") {
				s.names = append(s.names, word)
			}
			message = rest
			continue
		}
		if mark := strings.IndexByte(message, '>'); r == '<' && mark > 0 {
			size = mark + 1
		}
		quoted, message = r == '\'', message[size:]
	}
	return s
}

// cutWord cuts a text behind its first word.
func cutWord(text string) (word, rest string) {
	if end := strings.IndexFunc(text, notInWord); end >= 0 {
		return text[:end], text[end:]
	}
	return text, ""
}

var littleWords = map[string]bool{
	"a": true, "an": true, "the": true, "of": true, "in": true, "on": true, "at": true, "to": true, "for": true, "is": true, "are": true, "was": true, "were": true, "be": true,
	"not": true, "no": true, "with": true, "and": true, "or": true, "by": true, "from": true, "this": true, "that": true, "it": true, "as": true, "has": true, "have": true, "had": true,
	"can": true, "could": true, "cannot": true, "must": true, "does": true, "did": true, "do": true, "s": true, "t": true,
}

func notInWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '$'
}
