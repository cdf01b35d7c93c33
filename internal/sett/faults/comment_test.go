package faults

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

func commentChange(t *testing.T, body string) (c CommentChange) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCommentChangeApplies(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ö", 65536)
	for body, want := range map[string]string{
		`{}`:                         "old",
		`{"author":"Eve"}`:           "old",
		`{"body":" new\nlines\t"}`:   " new\nlines\t",
		`{"body":"` + long + `"}`:    long,
		`{"body":"x","event":"lie"}`: "x",
	} {
		if got, err := commentChange(t, body).Apply("old"); got != want || err != nil {
			t.Errorf("%.40s: %.40q, %v, want %.40q", body, got, err, want)
		}
	}
}

func TestCommentChangeRefuses(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"body":null}`:      "body can't be blank",
		`{"body":""}`:        "body can't be blank",
		`{"body":" \n\t "}`:  "body can't be blank",
		`{"body":[7]}`:       "body must be a string",
		`{"body":{"a":"b"}}`: "body must be a string",
		`{"body":"` + strings.Repeat("ö", 65537) + `"}`: "body is too long (maximum is 65536 characters)",
	} {
		_, err := commentChange(t, body).Apply("old")
		if want := "Please correct: " + want + "."; err == nil || err.Error() != want || sett.CodeOf(err) != sett.Invalid {
			t.Errorf("%.40s: %v, want %s", body, err, want)
		}
	}
	if _, err := (CommentChange{}).Apply(""); err == nil {
		t.Error("a comment was made without a body")
	}
}

func TestWhoMayChangeAComment(t *testing.T) {
	t.Parallel()
	const author, other = 1, 2
	crew := accounts.Scope{Role: accounts.Member, OfTeam: true, TeamAdmin: true}
	for _, c := range []struct {
		name  string
		event CommentEvent
		user  int64
		scope accounts.Scope
		says  string
	}{
		{"its author", "", author, crew, ""},
		{"another member", "", other, crew, "Only its author, or an admin or owner of the account, can change or delete a comment."},
		{"a user with the billing role", "", other, accounts.Scope{Role: accounts.Billing, OfTeam: true}, "Only its author, or an admin or owner of the account, can change or delete a comment."},
		{"an admin", "", other, accounts.Scope{Role: accounts.Admin}, ""},
		{"an owner", "", other, accounts.Scope{Role: accounts.Owner}, ""},
		{"an entry by who caused it", ResolvedEvent, author, crew, "This entry is part of the fault's history and cannot be changed. Write a comment of your own instead."},
		{"an entry by an owner", ReopenedEvent, other, accounts.Scope{Role: accounts.Owner}, "This entry is part of the fault's history and cannot be changed. Write a comment of your own instead."},
	} {
		err := Comment{Event: c.event, AuthorID: author}.Changeable(c.user, c.scope)
		if (err == nil) != (c.says == "") || err != nil && (err.Error() != c.says || sett.CodeOf(err) != sett.Forbidden) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	const notices = 7
	for _, c := range []struct {
		name     string
		from, to FaultState
		want     []Entry
	}{
		{"nothing", FaultState{Resolved: true}, FaultState{Resolved: true}, nil},
		{"resolved", FaultState{}, FaultState{Resolved: true}, []Entry{{ResolvedEvent, "", "Resolved."}}},
		{"resolved in a release", FaultState{}, FaultState{Resolved: true, ResolvedIn: "2"}, []Entry{{ResolvedEvent, "2", "Resolved in 2."}}},
		{"in another release", FaultState{Resolved: true, ResolvedIn: "2"}, FaultState{Resolved: true, ResolvedIn: "3"}, []Entry{{ResolvedEvent, "3", "Resolved in 3."}}},
		{"in no release any more", FaultState{Resolved: true, ResolvedIn: "2"}, FaultState{Resolved: true}, []Entry{{ResolvedEvent, "", "Resolved."}}},
		{"reopened", FaultState{Resolved: true, ResolvedIn: "2"}, FaultState{}, []Entry{{UnresolvedEvent, "", "Marked as unresolved."}}},
		{"resolved while it waited for a deploy", FaultState{ResolveOnDeploy: true}, FaultState{Resolved: true}, []Entry{{ResolvedEvent, "", "Resolved."}}},
		{"unresolved", FaultState{Resolved: true}, FaultState{}, []Entry{{UnresolvedEvent, "", "Marked as unresolved."}}},
		{"ignored", FaultState{ResolveOnDeploy: true}, FaultState{Ignored: true}, []Entry{{IgnoredEvent, "", "Ignored. Further events are discarded."}}},
		{"no longer ignored", FaultState{Ignored: true}, FaultState{}, []Entry{{UnignoredEvent, "", "No longer ignored."}}},
		{"on deploy", FaultState{}, FaultState{ResolveOnDeploy: true}, []Entry{{OnDeployEvent, "", "Resolves on the next deploy."}}},
		{"not on deploy", FaultState{ResolveOnDeploy: true}, FaultState{}, []Entry{{NotOnDeployEvent, "", "No longer resolves on the next deploy."}}},
		{
			"several",
			FaultState{Ignored: true},
			FaultState{Resolved: true},
			[]Entry{{ResolvedEvent, "", "Resolved."}, {UnignoredEvent, "", "No longer ignored."}},
		},
		{"paused by time", FaultState{}, FaultState{PausedUntil: now.Add(time.Hour)}, []Entry{{PausedEvent, "", "Paused until 2026-11-18 11:30 UTC."}}},
		{"paused by count", FaultState{PausedUntil: now.Add(time.Hour)}, FaultState{PausedCount: 17}, []Entry{{PausedEvent, "", "Paused until it reaches 17 events."}}},
		{"paused the same again", FaultState{PausedCount: 17}, FaultState{PausedCount: 17}, nil},
		{"no longer paused", FaultState{PausedCount: 17}, FaultState{}, []Entry{{UnpausedEvent, "", "No longer paused."}}},
		{"a pause that had run out", FaultState{PausedCount: 7, PausedUntil: now}, FaultState{}, nil},
	} {
		if diff := cmp.Diff(c.want, c.from.History(c.to, now, notices)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// The history has an entry for every change, and no others.
func TestHistoryContainsRealChanges(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	state := rapid.Custom(func(t *rapid.T) FaultState {
		return FaultState{
			Resolved: rapid.Bool().Draw(t, "resolved"), Ignored: rapid.Bool().Draw(t, "ignored"),
			PausedCount: rapid.Int64Range(0, 20).Draw(t, "paused count"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		from, to := state.Draw(t, "from"), state.Draw(t, "to")
		added := map[CommentEvent]bool{}
		for _, e := range from.History(to, now, 10) {
			if added[e.Event] = true; !strings.HasSuffix(e.Body, ".") {
				t.Errorf("%s says %q", e.Event, e.Body)
			}
		}
		if got := added[ResolvedEvent] || added[UnresolvedEvent]; got != (from.Resolved != to.Resolved) {
			t.Errorf("an entry for resolved: %v", got)
		}
		if got := added[IgnoredEvent] || added[UnignoredEvent]; got != (from.Ignored != to.Ignored) {
			t.Errorf("an entry for ignored: %v", got)
		}
		if got := added[UnpausedEvent]; got != (from.Paused(now, 10) && !to.Paused(now, 10)) {
			t.Errorf("an entry for the end of a pause: %v", got)
		}
	})
}

func TestMentions(t *testing.T) {
	t.Parallel()
	people := []sett.Person{
		{ID: 1, Name: "Ann Smith", Email: "ann@example.test"},
		{ID: 2, Name: "Ann Lee", Email: "lee@example.test"},
		{ID: 3, Name: "Örjan", Email: "O.Berg+sett@example.test"},
		{ID: 4, Name: "", Email: "nameless@example.test"},
		{ID: 5, Name: "Anne-Marie O'Neil", Email: "am@example.test"},
	}
	for text, want := range map[string][]int64{
		"":                                 nil,
		"@":                                nil,
		"@ann":                             {1, 2},
		"@Ann Smith":                       {1, 2},
		"@annsmith":                        {1},
		"@AnnLee, look":                    {2},
		"ann":                              nil,
		"@anna":                            nil,
		"@ann_x":                           nil,
		"@ann2":                            nil,
		"@ann.smith":                       nil,
		"@ann-sophie":                      nil,
		"@ann.":                            {1, 2},
		"@ann's":                           {1, 2},
		"(@ann)":                           {1, 2},
		"Done.@ann":                        {1, 2},
		"@ann@example.test":                {1},
		"@ann@example.test.":               {1},
		"@ann@example.testing":             nil,
		"@ann@example.test.org":            nil,
		"@lee@EXAMPLE.test and @ann@other": {2},
		"ann@example.test":                 nil,
		"mail bob@ann or x+@ann, %@ann":    nil,
		"bob_@ann":                         nil,
		"ö@ann":                            nil,
		"https://example.test/@ann":        nil,
		"@@ann":                            nil,
		"@\tann":                           nil,
		"@örjan":                           {3},
		"@ÖRJAN!":                          {3},
		"@o.berg+sett@example.test":        {3},
		"@nameless":                        nil,
		"@nameless@example.test":           {4},
		"@anne-marie":                      {5},
		"@anne":                            nil,
		"@anne-marieo'neil":                {5},
		"@annsmith\n@ÖRJAN @annsmith @am":  {1, 3},
		"@annsmith@annlee":                 nil,
		"@annlee/@annsmith":                {2},
		"\xff@ann\xff":                     {1, 2},
	} {
		if got := Mentions(text, people); !slices.Equal(got, want) {
			t.Errorf("%q names %v, want %v", text, got, want)
		}
	}
	if got := Mentions("@ann", nil); got != nil {
		t.Errorf("of no user: %v", got)
	}
	if got := Mentions("@ann", []sett.Person{{ID: 1, Name: "Ann"}, {ID: 1, Name: "Ann"}}); !slices.Equal(got, []int64{1}) {
		t.Errorf("twice the same: %v", got)
	}
	long := strings.Repeat("@a'", longestComment/3)
	if got := Mentions(long+" @annsmith", people); !slices.Equal(got, []int64{1}) {
		t.Errorf("at the end of a long text: %v", got)
	}
}
