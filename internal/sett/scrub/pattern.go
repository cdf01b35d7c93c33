package scrub

import (
	"math"
	"regexp"
	"strings"
	"sync"
	"time"

	"sett/internal/sett"
)

// What the patterns of a project may cost. The regular expressions of RE2 take a time in proportion to the instructions of a pattern times
// the length of a text, some 30 ns for each step at worst, and that once more for each match where a pattern looks far ahead.
const (
	mostInstructions = 300     // of a pattern
	mostCompiled     = 5_000   // of a stored pattern of an earlier version: a larger one is not kept
	mostSteps        = 4 << 20 // instructions times bytes of a text: a tenth of a second
	stepTime         = 50 * time.Nanosecond
	usualTime        = 25 * time.Nanosecond   // for each byte and pattern, which is not counted
	mostTime         = 250 * time.Millisecond // beyond that, in each second, for all texts of a project
)

// rule is a pattern of a project, and how many instructions it has. The expression of one that is too large is nil.
type rule struct {
	*regexp.Regexp
	instructions int
}

// newRule compiles a pattern.
func newRule(text string) (r rule, err error) {
	if r.instructions, err = sett.PatternSteps(text); err != nil {
		return rule{instructions: math.MaxInt}, err
	}
	if r.instructions <= mostCompiled {
		r.Regexp, err = regexp.Compile(text)
	}
	return r, err
}

// costs reports whether a pattern takes too much work for a text of so many bytes.
func (r rule) costs(bytes int) bool { return r.Regexp == nil || bytes > mostSteps/r.instructions }

// find appends the parts of a text that match. ok is false if that takes more time than the account has: then the text was not checked to
// its end. It looks for a few matches first, and for all of them only when these were cheap: regexp cannot go on where it has stopped.
func (r rule) find(spans []span, text string, a *account) (all []span, ok bool) {
	if r.costs(len(text)) {
		return spans, false
	}
	for most := 1; ; most *= 4 {
		if !a.open() {
			return spans, false
		}
		start := a.now()
		found := r.FindAllStringIndex(text, most)
		steps := float64(len(text)) * float64(r.instructions) * float64(most)
		a.spend(min(a.now().Sub(start), time.Duration(steps)*stepTime) - time.Duration(len(text))*usualTime)
		if len(found) < most {
			return appendMatches(spans, text, found), true
		}
	}
}

func appendMatches(spans []span, text string, found [][]int) []span {
	for _, at := range found {
		if at[0] < at[1] && !strings.EqualFold(text[at[0]:at[1]], Filtered) {
			spans = append(spans, span{at[0], at[1], ByPattern})
		}
	}
	return spans
}

// account is the time that the costly patterns of a project may take. It is safe for concurrent use.
type account struct {
	now  func() time.Time
	mu   sync.Mutex
	left time.Duration // negative: it was overdrawn
	at   time.Time     // when that was left
}

func newAccount(now func() time.Time) *account { return &account{now: now, left: mostTime, at: now()} }

// open reports whether there is time left.
func (a *account) open() bool {
	now := a.now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if passed := now.Sub(a.at); passed > 0 {
		a.left = min(mostTime, a.left+time.Duration(float64(mostTime)*passed.Seconds()))
	}
	a.at = now
	return a.left > 0
}

// spend takes time that was used.
func (a *account) spend(used time.Duration) {
	if used <= 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left -= used
}
