package repo

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What is read of a text at most.
const (
	mostRead       = 64 << 10 // bytes
	mostReferences = 50       // that fix, and as many that do not
)

// Reference is a place in a message that names an error: as PREFIX-123, or by its address. Either Prefix or Project is set.
type Reference struct {
	Prefix  string // of the project, in capital letters; it may be any word, as in UTF-8
	Project int64  // id, from an address
	Fault   int64
	Fixes   bool // whether a keyword is before it, such as "Fixes"
}

// References returns the errors that a commit message, a title or a description names, each once, those that it fixes first. base is the
// address of this sett; errors of others are none. What is code, quoted, in a comment of a template, denied ("does not fix") or the title of
// what is reverted fixes nothing.
func References(text, base string) []Reference {
	if len(text) > mostRead {
		text = text[:mostRead]
	}
	whole := Reverts(text)
	address := newAddress(base)
	var fixes, mentions []Reference
	for i, line := range prose(text) {
		_, times := unquoted(strings.TrimLeft(line, "*- \t")) // merges and squashed changes list titles below their own
		undone := times%2 == 1 || i == 0 && whole.Undoes()
		for _, r := range address.references(line) {
			r.Fixes = r.Fixes && !undone
			if r.Fixes {
				fixes = append(fixes, r)
			} else {
				mentions = append(mentions, r)
			}
		}
	}
	fixes = once(fixes, nil)
	return append(fixes, once(mentions, fixes)...)
}

// once returns references, each once, without those that others have.
func once(all, others []Reference) (kept []Reference) {
	for _, r := range all {
		same := func(o Reference) bool { o.Fixes = r.Fixes; return o == r }
		if len(kept) < mostReferences && !slices.ContainsFunc(kept, same) && !slices.ContainsFunc(others, same) {
			kept = append(kept, r)
		}
	}
	return kept
}

var comments = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`)

// prose returns the lines of a text in Markdown without code, quotes and comments. A line that is left out is empty.
func prose(text string) []string {
	text = comments.ReplaceAllStringFunc(text, func(c string) string { return strings.Repeat("\n", strings.Count(c, "\n")) })
	lines := strings.Split(text, "\n")
	fence := ""
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		mark := ""
		for _, sign := range []string{"`", "~"} {
			if n := len(trimmed) - len(strings.TrimLeft(trimmed, sign)); n >= 3 {
				mark = trimmed[:n]
			}
		}
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) && mark == trimmed {
				fence = ""
			}
			line = ""
		case mark != "" && !strings.Contains(trimmed[len(mark):], "`"):
			fence, line = mark, ""
		case strings.HasPrefix(trimmed, ">"):
			line = ""
		}
		lines[i] = withoutCode(line)
	}
	return lines
}

// withoutCode leaves out what is between as many backticks.
func withoutCode(line string) string {
	var b strings.Builder
	for {
		start := strings.IndexByte(line, '`')
		if start < 0 {
			break
		}
		n := len(line[start:]) - len(strings.TrimLeft(line[start:], "`"))
		end := closing(line[start+n:], n)
		b.WriteString(line[:start])
		if end < 0 { // they are only signs
			line = line[start+n:]
			continue
		}
		b.WriteString(" ` ") // a sign, so that words around it are apart
		line = line[start+n+end:]
	}
	b.WriteString(line)
	return b.String()
}

// closing returns where the code ends that n backticks began, behind those that end it; -1 if nothing ends it.
func closing(line string, n int) int {
	for at := 0; at < len(line); {
		start := strings.IndexByte(line[at:], '`')
		if start < 0 {
			return -1
		}
		at += start
		run := len(line[at:]) - len(strings.TrimLeft(line[at:], "`"))
		if at += run; run == n {
			return at
		}
	}
	return -1
}

var (
	keyword = regexp.MustCompile(`(?i)^(?:fix|fixes|fixed|closes?|closed|resolves?|resolved)$`)
	denial  = regexp.MustCompile(`(?i)^(?:not|never|cannot|without|.*n['’]t|doesnt|dont|didnt|wont)$`)
	short   = regexp.MustCompile(`^([A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)-([1-9][0-9]{0,17})$`)
	token   = regexp.MustCompile(`https?://[^\s<>()\[\]"'*]+|[A-Za-z0-9_'’-]+|[^\s]`)
)

// address recognizes the addresses of errors of this sett.
type address struct{ pattern *regexp.Regexp }

func newAddress(base string) address {
	base = strings.TrimRight(base, "/")
	if base == "" {
		return address{}
	}
	return address{regexp.MustCompile(`^(?i:` + regexp.QuoteMeta(base) + `)/projects/([1-9][0-9]{0,17})/faults/([1-9][0-9]{0,17})(?:$|[/?#.,;:!])`)}
}

// references reads a line from left to right. A keyword counts for what is directly behind it, and for what a list goes on with.
func (a address) references(line string) (found []Reference) {
	var before []string             // words since the last sign that ends a part of a sentence
	listing, joined := false, false // whether a keyword reaches this far, and whether the next may be another of its list
	for _, at := range token.FindAllStringIndex(line, -1) {
		word := line[at[0]:at[1]]
		r, ok := a.read(line, at)
		switch {
		case ok:
			r.Fixes = listing && joined
			joined = false
			found = append(found, r)
		case keyword.MatchString(word) && whole(line, at):
			listing = !slices.ContainsFunc(before[max(0, len(before)-3):], denial.MatchString)
			joined = listing
		case listing && (word == "," || word == "&" || strings.EqualFold(word, "and")):
			joined = true
		case listing && joined && strings.Contains(":*_[(<", word), listing && !joined && strings.Contains("*_])>", word):
		case listing && !joined && word == "(": // the address of a link in Markdown, whose text was the error
			joined = true
		default:
			listing, joined = false, false
		}
		if strings.Contains(".,;:!?()", word) {
			before = nil
		} else {
			before = append(before, word)
		}
	}
	return found
}

// read returns the error that a word names.
func (a address) read(line string, at []int) (r Reference, ok bool) {
	word := line[at[0]:at[1]]
	if strings.Contains(word, "://") {
		if a.pattern == nil {
			return r, false
		}
		m := a.pattern.FindStringSubmatch(word)
		if m == nil {
			return r, false
		}
		return Reference{Project: number(m[1]), Fault: number(m[2])}, true
	}
	m := short.FindStringSubmatch(word)
	if m == nil || !whole(line, at) {
		return r, false
	}
	return Reference{Prefix: strings.ToUpper(m[1]), Fault: number(m[2])}, true
}

// whole reports whether a word is not part of something longer, such as a path, the name of a branch or a version.
func whole(line string, at []int) bool {
	before, _ := utf8.DecodeLastRuneInString(line[:at[0]])
	after, size := utf8.DecodeRuneInString(line[at[1]:])
	if unicode.IsLetter(before) || strings.ContainsRune(`/\.#@=~+`, before) || unicode.IsLetter(after) || strings.ContainsRune(`/\=@+`, after) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(line[at[1]+size:])
	return after != '.' || !unicode.IsLetter(next) && !unicode.IsDigit(next)
}

func number(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64) // at most 18 digits
	return n
}
