package checks

import (
	"fmt"
	"regexp"
	"strconv"
)

// MatchType says what an uptime check wants to see.
type MatchType string

// The match types. The interface has include and exclude judge the text of the page alone, whatever its status is.
const (
	MatchSuccess MatchType = "success" // a status from 200 to 299
	MatchExact   MatchType = "exact"   // the status that match names
	MatchInclude MatchType = "include" // a page with match in it
	MatchExclude MatchType = "exclude" // a page without match in it
)

// JudgesText reports whether the text of the page decides, and not its status.
func (m MatchType) JudgesText() bool { return m == MatchInclude || m == MatchExclude }

// StatusProblem says what is wrong with a status, as the reason of an outage, or returns "".
func (m MatchType) StatusProblem(match string, status int) string {
	switch {
	case m == MatchSuccess && (status < 200 || status > 299):
		return fmt.Sprintf("Expected 2xx status code -- got %d", status)
	case m == MatchExact && match != strconv.Itoa(status):
		return fmt.Sprintf("Expected status code %s -- got %d", match, status)
	}
	return ""
}

// TextProblem says what is wrong with a page that has match in it or not, as the reason of an outage, or returns "".
func (m MatchType) TextProblem(match string, found bool) string {
	switch {
	case m == MatchInclude && !found:
		return fmt.Sprintf("Expected page to include %q", match)
	case m == MatchExclude && found:
		return fmt.Sprintf("Expected page not to include %q", match)
	}
	return ""
}

// wrongStatus is a reason as StatusProblem writes it.
var wrongStatus = regexp.MustCompile(`^Expected (?:status code (\S+)|(2xx) status code) -- got (\d+)$`)

// PlainReason returns the reason of an outage as people read it: "Got 503, expected 2xx". The API has the reason as it is.
func PlainReason(reason string) string {
	return wrongStatus.ReplaceAllString(reason, "Got $3, expected $1$2")
}
