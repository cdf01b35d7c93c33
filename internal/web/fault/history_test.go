package fault_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A history begins with the newest entry, and folds what repeats in a row.
func TestHistoryFoldsWhatRepeats(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	change := func(path string, fields ...string) {
		o.Clock.Push(time.Minute)
		o.member.Post(o.path(f)+path, fields...).Want(303)
	}
	change("/comments", "body", "The first.")
	for range 3 {
		change("/state", "do", "resolve")
		change("/state", "do", "reopen")
	}
	change("/comments", "body", "The last.")
	change("/state", "do", "resolve")
	change("/state", "do", "reopen")
	page := o.member.Get(o.path(f)).Want(200, `<textarea id="body"`).CheckPage().Body
	page = page[strings.Index(page, `id="history"`):]
	var at []int
	for _, text := range []string{`<textarea id="body"`, "Marked as unresolved.", "The last.", "<summary>Resolved and reopened 3 times", "The first."} {
		at = append(at, strings.Index(page, text))
	}
	for i := range at[1:] {
		if at[i] < 0 || at[i+1] < at[i] {
			t.Fatalf("its parts are at %v", at)
		}
	}
}

// The entries before those that fit on a page are on the next.
func TestEarlierEntries(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	for i := range 103 {
		o.member.Post(o.path(f)+"/comments", "body", fmt.Sprintf("Number %d.", i)).Want(303)
	}
	page := o.member.Get(o.path(f)).Want(200, "Number 102.", "Number 3.").Lacks("Number 2.").Body
	link := regexp.MustCompile(`<a href="([^"]*)">Earlier entries</a>`).FindStringSubmatch(page)
	if link == nil {
		t.Fatal("nothing leads to the earlier entries")
	}
	o.member.Get(link[1]).Want(200, "Number 2.", "Number 0.", `id="history" data-mention=`, " open><summary>Comments").Lacks("Number 3.", "Earlier entries")
}
