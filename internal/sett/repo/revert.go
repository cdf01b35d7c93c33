package repo

import (
	"regexp"
	"slices"
	"strings"
)

// Revert is what a message says that it takes back. The zero value takes back nothing.
//
// What a revert of a revert means follows in two ways. By ids: the commit of SHAs, or the change of Numbers, is itself a revert; so follow
// them to the one that is none, and count. By the title, where commits are not known: see Undoes.
type Revert struct {
	SHAs    []string // of commits, in lower case
	Numbers []int64  // of changes in the same repository
	Title   string   // of the first commit or change, without the marks of reverts; "" if the message does not say
	Times   int      // how often it was taken back, this time included: an even number brings it back
}

// Undoes reports whether what the message names is undone after it: it is a revert, and not one of a revert.
func (r Revert) Undoes() bool {
	return r.Times%2 == 1
}

// Redoes reports whether the message takes back a revert, so that what the title names is there again.
func (r Revert) Redoes() bool {
	return r.Times > 0 && r.Times%2 == 0
}

var (
	revertedCommits = regexp.MustCompile(`(?im)^\s*This reverts commits? ((?:[0-9a-f]{7,64}(?:,? and |, | )?)+)`)
	hex             = regexp.MustCompile(`(?i)[0-9a-f]{7,64}`)
	revertedHub     = regexp.MustCompile(`(?im)^\s*Reverts (?:[\w.-]+/[\w.-]+)?#([1-9][0-9]{0,17})\b`)
	revertedLab     = regexp.MustCompile(`(?im)^\s*This reverts merge request (?:[\w./-]+)?!([1-9][0-9]{0,17})\b`)
)

// Reverts reads what a commit message, or a title with a description behind it, takes back: as git, GitHub and GitLab write it.
func Reverts(message string) (r Revert) {
	if len(message) > mostRead {
		message = message[:mostRead]
	}
	title, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	r.Title, r.Times = unquoted(title)
	lines := strings.Join(prose(message), "\n")
	for _, m := range revertedCommits.FindAllStringSubmatch(lines, mostReferences) {
		for _, sha := range hex.FindAllString(m[1], mostReferences) {
			r.SHAs = append(r.SHAs, strings.ToLower(sha))
		}
	}
	for _, pattern := range []*regexp.Regexp{revertedHub, revertedLab} {
		for _, m := range pattern.FindAllStringSubmatch(lines, mostReferences) {
			if n := number(m[1]); !slices.Contains(r.Numbers, n) {
				r.Numbers = append(r.Numbers, n)
			}
		}
	}
	if r.Times == 0 && len(r.SHAs)+len(r.Numbers) > 0 { // its title was changed
		r.Title, r.Times = "", 1
	}
	return r
}

// unquoted takes the marks of reverts from a title. Git calls the revert of a revert Reapply, and GitHub and GitLab add a number behind it.
func unquoted(title string) (inner string, times int) {
	for inner = strings.TrimSpace(title); times < 20; {
		rest, again := inner, 0
		for mark, n := range map[string]int{`Revert "`: 1, `Reapply "`: 2} {
			if cut, ok := strings.CutPrefix(inner, mark); ok {
				rest, again = cut, n
			}
		}
		end := strings.LastIndexByte(rest, '"')
		if again == 0 || end < 0 {
			break
		}
		inner, times = strings.TrimSpace(rest[:end]), times+again
	}
	if times == 0 {
		return "", 0
	}
	return inner, times
}
