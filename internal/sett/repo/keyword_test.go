package repo_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/repo"
)

func TestMessagesNameErrors(t *testing.T) {
	t.Parallel()
	fix := func(prefix string, n int64) repo.Reference {
		return repo.Reference{Prefix: prefix, Fault: n, Fixes: true}
	}
	link := func(prefix string, n int64) repo.Reference { return repo.Reference{Prefix: prefix, Fault: n} }
	for _, c := range []struct {
		text string
		want []repo.Reference
	}{
		{"Fixes SHOP-12", []repo.Reference{fix("SHOP", 12)}},
		{"fix: shop-12 total is wrong", []repo.Reference{fix("SHOP", 12)}},
		{"Total\n\nResolved: SHOP-12, SHOP-13 and web_2-app-14.", []repo.Reference{fix("SHOP", 12), fix("SHOP", 13), fix("WEB_2-APP", 14)}},
		{"(closes SHOP-12, and SHOP-13), see SHOP-14", []repo.Reference{fix("SHOP", 12), fix("SHOP", 13), link("SHOP", 14)}},
		{"Close SHOP-1 & SHOP-2 SHOP-3", []repo.Reference{fix("SHOP", 1), fix("SHOP", 2), link("SHOP", 3)}},
		{"**Fixes** SHOP-12", []repo.Reference{fix("SHOP", 12)}},
		{"See SHOP-12. Fixes SHOP-12", []repo.Reference{fix("SHOP", 12)}},
		{"Fixes https://sett.example.org/in/projects/3/faults/12#events", []repo.Reference{{Project: 3, Fault: 12, Fixes: true}}},
		{"Fixes https://SETT.example.org/in/projects/3/faults/12.", []repo.Reference{{Project: 3, Fault: 12, Fixes: true}}},
		{"Fixes [SHOP-12](https://sett.example.org/in/projects/3/faults/12/events?page=2)", []repo.Reference{fix("SHOP", 12), {Project: 3, Fault: 12, Fixes: true}}},
		{"<https://sett.example.org/in/projects/3/faults/12>", []repo.Reference{{Project: 3, Fault: 12}}},
		{"Fixes https://other.example.org/in/projects/3/faults/12", nil},
		{"Fixes https://sett.example.org/in/projects/3/faults/12abc", nil},
		{"Fixes https://sett.example.org/in/projects/3/faults/0", nil},
		{"This does not fix SHOP-12", []repo.Reference{link("SHOP", 12)}},
		{"It doesn’t really fix SHOP-12; fixes SHOP-13", []repo.Reference{fix("SHOP", 13), link("SHOP", 12)}},
		{"The name does not change, fixes SHOP-12", []repo.Reference{fix("SHOP", 12)}},
		{"fix(cart): SHOP-12", []repo.Reference{link("SHOP", 12)}},
		{"prefixes SHOP-12", []repo.Reference{link("SHOP", 12)}},
		{"Merge branch 'fix/SHOP-12' of feature/fixes-SHOP-13", nil},
		{"Fixes v1.SHOP-12 SHOP-12.3 SHOP-12a éSHOP-12 SHOP-0 #SHOP-1", nil},
		{"Fixes `SHOP-12` and ``x ` SHOP-13``", nil},
		{"```\nFixes SHOP-12\n```\nFixes SHOP-13", []repo.Reference{fix("SHOP", 13)}},
		{"~~~~\nFixes SHOP-12\n~~~\nFixes SHOP-13", nil},
		{"> Fixes SHOP-12\n\n <!-- Write\nFixes SHOP-13\nhere -->", nil},
		{"one ` backtick fixes SHOP-12", []repo.Reference{fix("SHOP", 12)}},
		{`Revert "Fixes SHOP-12"`, []repo.Reference{link("SHOP", 12)}},
		{"Revert \"Fixes SHOP-12\"\n\nFixes SHOP-13", []repo.Reference{fix("SHOP", 13), link("SHOP", 12)}},
		{"Merge pull request #13 from acme/revert-12\n\nRevert \"Fixes SHOP-12\"", []repo.Reference{link("SHOP", 12)}},
		{"Clean up (#14)\n\n* Revert \"Fixes SHOP-12\"\n* Fixes SHOP-13", []repo.Reference{fix("SHOP", 13), link("SHOP", 12)}},
		{"Back out what fixes SHOP-12\n\nThis reverts commit 0a1b2c3d.", []repo.Reference{link("SHOP", 12)}},
		{`Reapply "Fixes SHOP-12"`, []repo.Reference{fix("SHOP", 12)}},
		{"Fixes\nSHOP-12", []repo.Reference{link("SHOP", 12)}},
		{"Fixes UTF-8 names", []repo.Reference{fix("UTF", 8)}},
		{"", nil},
	} {
		if diff := cmp.Diff(c.want, repo.References(c.text, "https://sett.example.org/in/")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
	if got := repo.References(strings.Repeat("SHOP-1 ", 9_000)+"fixes SHOP-2", ""); len(got) != 2 || !got[0].Fixes {
		t.Errorf("a fix behind many links is %v", got)
	}
}

func FuzzReferences(f *testing.F) {
	f.Add("Fixes SHOP-12, `x` and https://sett.example.org/projects/3/faults/12")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range repo.References(text, "https://sett.example.org") {
			if r.Fault <= 0 || (r.Prefix == "") == (r.Project == 0) {
				t.Errorf("%q names %+v", text, r)
			}
		}
	})
}

func TestRevertsSayWhatTheyTakeBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		message string
		want    repo.Revert
	}{
		{
			"Revert \"Fixes SHOP-12\"\n\nThis reverts commit 0A1b2c3d4e5f60718293a4b5c6d7e8f901234567.",
			repo.Revert{SHAs: []string{"0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"}, Title: "Fixes SHOP-12", Times: 1},
		},
		{"Revert \"Say \"hello\"\" (#13)\n\nReverts acme/shop#12", repo.Revert{Numbers: []int64{12}, Title: `Say "hello"`, Times: 1}},
		{"Revert \"Merge branch 'a' into 'main'\"\n\nThis reverts merge request !12", repo.Revert{Numbers: []int64{12}, Title: "Merge branch 'a' into 'main'", Times: 1}},
		{"Undo it\n\nThis reverts commits 0a1b2c3d and 1a1b2c3d.", repo.Revert{SHAs: []string{"0a1b2c3d", "1a1b2c3d"}, Times: 1}},
		{`Revert "Revert "Total""`, repo.Revert{Title: "Total", Times: 2}},
		{`Reapply "Total"`, repo.Revert{Title: "Total", Times: 2}},
		{`Revert "Reapply "Total""`, repo.Revert{Title: "Total", Times: 3}},
		{"Total\n\n> This reverts commit 0a1b2c3d.", repo.Revert{}},
		{"Say how one reverts #12", repo.Revert{}},
		{`Revert "`, repo.Revert{}},
	} {
		got := repo.Reverts(c.message)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.message, diff)
		}
		if got.Undoes() != (c.want.Times%2 == 1) || got.Redoes() != (c.want.Times == 2) {
			t.Errorf("%q undoes: %v, redoes: %v", c.message, got.Undoes(), got.Redoes())
		}
	}
}
