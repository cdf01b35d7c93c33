package faults

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sett/internal/base/phrase"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
)

// Comment is a line of a fault's history: what a person wrote, or what happened to the fault.
type Comment struct {
	ID           int64
	FaultID      int64
	Event        CommentEvent // "" when a person wrote it
	Source       CommentSource
	NoticesCount int64 // of the fault, as far as they were counted then
	CreatedAt    time.Time
	AuthorID     int64 // who wrote it or made the change; 0 for sett
	Author       string
	Revision     string // that reopened or resolved the fault, if a notice or deploy named it
	Body         string
}

// CommentEvent says what happened to a fault (wire.md §3.2).
type CommentEvent string

// Every event in a history.
const (
	ResolvedEvent    CommentEvent = "resolved"   // by a person or a deploy
	UnresolvedEvent  CommentEvent = "unresolved" // by a person
	ReopenedEvent    CommentEvent = "reopened"   // by a notice
	IgnoredEvent     CommentEvent = "ignored"
	UnignoredEvent   CommentEvent = "unignored"
	AssignedEvent    CommentEvent = "assigned"
	UnassignedEvent  CommentEvent = "unassigned"
	PausedEvent      CommentEvent = "paused"
	UnpausedEvent    CommentEvent = "unpaused" // by a person; a pause that expires adds no entry
	OnDeployEvent    CommentEvent = "resolve_on_deploy"
	NotOnDeployEvent CommentEvent = "resolve_on_deploy_cancelled" // by a person; not recorded beside resolved or ignored
	TaggedEvent      CommentEvent = "tagged"                      // by a person
	UntaggedEvent    CommentEvent = "untagged"
	MergedEvent      CommentEvent = "merged" // another fault into this one
	SplitEvent       CommentEvent = "split"  // another fault off this one, or this one off another
)

// CommentSource says where a comment came from (wire.md §0).
type CommentSource string

// The sources: people through an interface, users of an application through its feedback form, and sett itself.
const (
	FromWeb    CommentSource = "web"
	FromUser   CommentSource = "user"
	FromSystem CommentSource = "system"

	FromTracker CommentSource = "tracker" // people in an issue tracker, by the name that they have there
)

// longestComment is how many characters a comment has at most.
const longestComment = 64 << 10

// CommentChange is the body of a comment's create and update.
type CommentChange struct {
	Body sett.Optional[string] `json:"body,omitzero" doc:"Required when creating." range:"1,65536" null:"no" example:"Fixed in 4f2a9c1."`
}

// Apply returns the text of a comment with the change made, or an Invalid error.
func (c CommentChange) Apply(body string) (string, error) {
	var p sett.Problems
	sett.SetField(&p, "body", c.Body, &body, "")
	switch {
	case c.Body.Bad != "":
	case strings.TrimSpace(body) == "":
		p.Add("body", "can't be blank")
	case utf8.RuneCountInString(body) > longestComment:
		p.Add("body", "is too long (maximum is %d characters)", longestComment)
	}
	return body, p.Refusal()
}

// longestAlertComment is the most characters of a comment in an alert.
const longestAlertComment = 1000

// Facts returns the comment as alerts contain it.
func (c Comment) Facts() *alerts.CommentFacts {
	f := alerts.CommentFacts{ID: c.ID, Body: c.Body, CreatedAt: c.CreatedAt}
	if body := []rune(c.Body); len(body) > longestAlertComment {
		f.Body = string(body[:longestAlertComment])
	}
	return &f
}

// Changeable returns a Forbidden error unless a user with that scope in the project may change or delete the comment:
// its author may, and users who may change all of the account.
func (c Comment) Changeable(userID int64, s accounts.Scope) error {
	switch {
	case c.Event != "":
		return sett.Errorf(sett.Forbidden, "This entry is part of the fault's history and cannot be changed. Write a comment of your own instead.")
	case c.AuthorID != userID && s.Role != accounts.Admin && s.Role != accounts.Owner:
		return sett.Errorf(sett.Forbidden, "Only its author, or an admin or owner of the account, can change or delete a comment.")
	}
	return nil
}

// IsOfUser reports whether a user of this server wrote all of the comment.
func (c Comment) IsOfUser() bool {
	return c.Event == "" && c.AuthorID != 0 && c.Source != FromUser && c.Source != FromTracker
}

// Entry is a line that sett adds to the history of a fault.
type Entry struct {
	Event    CommentEvent
	Revision string // that the sentence names, or ""
	Body     string // a sentence
}

// History returns the entries for the history of a fault with that many notices when its state changes from s to next.
func (s FaultState) History(next FaultState, now time.Time, notices int64) (entries []Entry) {
	add := func(changed bool, e Entry) {
		if changed {
			entries = append(entries, e)
		}
	}
	add(next.Resolved && (!s.Resolved || s.ResolvedIn != next.ResolvedIn), ResolvedEntry(next.ResolvedIn))
	add(s.Resolved && !next.Resolved, Entry{UnresolvedEvent, "", "Marked as unresolved."})
	add(!s.Ignored && next.Ignored, Entry{IgnoredEvent, "", "Ignored. Further events are discarded."})
	add(s.Ignored && !next.Ignored, Entry{UnignoredEvent, "", "No longer ignored."})
	add(!s.ResolveOnDeploy && next.ResolveOnDeploy, Entry{OnDeployEvent, "", "Resolves on the next deploy."})
	add(s.ResolveOnDeploy && !next.ResolveOnDeploy && !next.Resolved && !next.Ignored,
		Entry{NotOnDeployEvent, "", "No longer resolves on the next deploy."})
	renewed := s.PausedUntil != next.PausedUntil || s.PausedCount != next.PausedCount
	paused, pausedNext := s.Paused(now, notices), next.Paused(now, notices)
	add(renewed && pausedNext, Entry{PausedEvent, "", next.pauseSentence()})
	add(paused && !pausedNext, UnpausedEntry())
	return entries
}

func (s FaultState) pauseSentence() string {
	if s.PausedCount > 0 {
		return "Paused until it reaches " + phrase.Number(s.PausedCount) + " events."
	}
	return "Paused until " + s.PausedUntil.UTC().Format("2006-01-02 15:04 UTC") + "."
}

// AssignedEntry records that the fault was assigned to the person with that name; "" means unassigned.
func AssignedEntry(name string) Entry {
	if name == "" {
		return Entry{UnassignedEvent, "", "Unassigned."}
	}
	return Entry{AssignedEvent, "", "Assigned to " + name + "."}
}

// OwnedEntry records that the ownership rules of the project, or the CODEOWNERS file of a repository, assigned the fault to the person with that name.
func OwnedEntry(name, repository string) Entry {
	if repository != "" {
		return Entry{AssignedEvent, "", "Assigned to " + name + " by CODEOWNERS of " + repository + "."}
	}
	return Entry{AssignedEvent, "", "Assigned to " + name + " by the ownership rules."}
}

// ResolvedEntry records that a person resolved the fault, in a release or in none ("").
func ResolvedEntry(revision string) Entry {
	if revision == "" {
		return Entry{ResolvedEvent, "", "Resolved."}
	}
	return Entry{ResolvedEvent, revision, "Resolved in " + revision + "."}
}

// UnpausedEntry records that a person ended the pause.
func UnpausedEntry() Entry { return Entry{UnpausedEvent, "", "No longer paused."} }

// Mentions returns the ids of those people whom a text names by an @ and their name without spaces, their first name or
// their email address, in any case: each once, in the order of people. An email address in the text is not a mention.
func Mentions(text string, people []sett.Person) (ids []int64) {
	handles := map[string][]int64{}
	longest := 0
	for _, p := range people {
		for _, h := range handlesOf(p) {
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

// handlesOf returns what may follow an @ to name the person, in lower case.
func handlesOf(p sett.Person) (handles []string) {
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
