package repo_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/event/payload"
	"sett/internal/sett/repo"
)

var monorepo = []string{
	"app/models/cart.rb", "services/shop/app/models/cart.rb", "services/mail/app/models/cart.rb", "services/mail/app/post.rb", "lib/money.go",
	"services/shop/server.js", "services/shop/src/main/java/com/acme/Cart.java", "web/src/cart.ts", "main.go", "services/mail/index.js",
	"services/pay/index.js",
}

func TestFilesOfTracesAreFoundInTheRepository(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, program string
		root          repo.Root
		want          string
		miss          repo.Miss
	}{
		{file: "app/models/cart.rb", want: "app/models/cart.rb"},
		{file: "[PROJECT_ROOT]/app/models/cart.rb", program: "services/shop/", want: "services/shop/app/models/cart.rb"},
		{file: "/srv/services/mail/app/models/cart.rb", want: "services/mail/app/models/cart.rb"},
		{file: "/srv/app/models/cart.rb", miss: repo.Ambiguous},
		{file: "/srv/app/models/cart.rb", program: "services/mail", want: "services/mail/app/models/cart.rb"},
		{file: "/srv/app/models/cart.rb", program: "services/pay", miss: repo.Ambiguous},
		{file: "/srv/app/models/cart.rb", root: repo.Root{Frame: "srv/", Tree: "services/shop/"}, want: "services/shop/app/models/cart.rb"},
		{file: "/srv/app/post.rb", root: repo.Root{Frame: "srv/", Tree: "services/shop/"}, want: "services/mail/app/post.rb"},
		{file: "webpack:///./src/cart.ts?a1b2", want: "web/src/cart.ts"},
		{file: "https://shop.example.org/src/cart.ts", want: "web/src/cart.ts"},
		{file: `C:\work\lib\money.go`, want: "lib/money.go"},
		{file: "github.com/acme/shop/lib/money.go", want: "lib/money.go"},
		{file: "/usr/src/app/server.js", program: "services/shop", want: "services/shop/server.js"},
		{file: "/usr/src/app/server.js", miss: repo.Absent},
		{file: "server.js", want: "services/shop/server.js"},
		{file: "/go/money.go", miss: repo.Absent},
		{file: "/build/main.go", want: "main.go"},
		{file: "index.js", miss: repo.Ambiguous},
		{file: "com/acme/Cart.java", want: "services/shop/src/main/java/com/acme/Cart.java"},
		{file: "../../etc/passwd", miss: repo.Absent},
		{file: "", miss: repo.Absent},
	} {
		got, shown, miss := repo.NewTree(monorepo, true).Find(c.file, c.program, c.root)
		if got != c.want || miss != c.miss {
			t.Errorf("%q in %q is %q (%s), want %q (%s)", c.file, c.program, got, miss, c.want, c.miss)
		}
		if again, _, _ := repo.NewTree(monorepo, true).Find(c.file, "", shown); got != "" && shown != (repo.Root{}) && again != got {
			t.Errorf("%q with the root %+v is %q, want %q", c.file, shown, again, got)
		}
	}
	if _, _, miss := repo.NewTree(monorepo, false).Find("gone.rb", "", repo.Root{}); miss != repo.Unseen {
		t.Error("a file that may be in the rest of the tree is", miss)
	}
}

func TestPlacesAreTheInnermostOfTheApplication(t *testing.T) {
	t.Parallel()
	line := func(n int) *int { return &n }
	p := payload.Payload{Backtrace: []payload.Frame{{File: "gems/rack.rb"}}, ApplicationTrace: []payload.Frame{
		{File: "[PROJECT_ROOT]/lib/money.go", ApplicationFile: "lib/money.go", Number: line(3)},
		{File: "Cart.java", Class: "com.acme.Cart"},
		{File: "lost.rb", Number: line(1)},
		{File: "/x/lib/money.go", Number: line(3)},
		{File: "/x/lib/money.go", Number: line(9)},
	}}
	places, missed, shown := repo.NewTree(monorepo, true).Places(repo.FramesOf(p), "", repo.Root{})
	want := []repo.Place{{0, "lib/money.go", 3}, {1, "services/shop/src/main/java/com/acme/Cart.java", 0}, {4, "lib/money.go", 9}}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]repo.Missed{{2, "lost.rb", repo.Absent}}, missed); diff != "" || shown != (repo.Root{Frame: "x/"}) {
		t.Error(diff, shown)
	}
	if got := repo.FramesOf(payload.Payload{Backtrace: p.Backtrace}); len(got) != 1 || got[0].File != "gems/rack.rb" {
		t.Error("without frames of the application:", got)
	}
}

func TestSuspectsAreChosen(t *testing.T) {
	t.Parallel()
	first := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	commit := func(sha string, days int, files ...string) repo.Commit {
		return repo.Commit{SHA: sha, At: first.AddDate(0, 0, -days), Files: files}
	}
	a, b := repo.Place{Frame: 0, Path: "a.rb", Line: 5}, repo.Place{Frame: 2, Path: "b.rb", Line: 7}
	places := []repo.Place{a, b}
	blame := func(p repo.Place, c repo.Commit) repo.Line {
		return repo.Line{Place: p, Blamed: []repo.Blamed{{From: 1, To: p.Line - 1, Commit: commit("other", 1)}, {From: p.Line, To: p.Line, Commit: c}}}
	}
	merge := commit("m1", 1, "a.rb", "b.rb")
	merge.Message = "Merge pull request #12 from acme/topic"
	old := []repo.Line{blame(a, commit("o1", 400)), blame(b, commit("o2", 500))}
	for _, c := range []struct {
		name     string
		evidence repo.Evidence
		want     string // outcome, reason, commit, frame
		problem  string
	}{
		{"the newest line", repo.Evidence{Places: places, Lines: []repo.Line{blame(a, commit("l1", 9)), blame(b, commit("l2", 3))}}, "found line l2 2", ""},
		{"the innermost of two lines of a commit", repo.Evidence{Places: places, Lines: []repo.Line{blame(a, commit("l1", 9)), blame(b, commit("l1", 9))}}, "found line l1 0", ""},
		{"not after the error", repo.Evidence{Places: places, Lines: []repo.Line{blame(a, commit("l1", 9)), blame(b, commit("l2", -1))}}, "found line l1 0", ""},
		{"all lines old", repo.Evidence{Places: places, Lines: old}, "none old_lines  0", ""},
		{"all lines later", repo.Evidence{Places: places, Lines: []repo.Line{blame(a, commit("l1", -1))}}, "none later_lines  0", ""},
		{"a line and one that cannot be read", repo.Evidence{Places: places, Lines: []repo.Line{blame(a, commit("l1", 9)), {Place: b, Problem: "B is lost."}}}, "found line l1 0", "B is lost."},
		{"old, and one that cannot be read", repo.Evidence{Places: places, Lines: []repo.Line{old[0], {Place: b, Problem: "B is lost."}}}, "unknown not_read  0", "B is lost."},
		{"a line that the host leaves out", repo.Evidence{Places: places, Lines: []repo.Line{{Place: a}}}, "unknown not_read  0", "line 5 of a.rb"},
		{
			"the deploy, for the innermost file",
			repo.Evidence{Places: places, Lines: old, Deploys: &repo.Comparison{Complete: true, Commits: []repo.Commit{commit("d1", 3, "a.rb"), commit("d2", 2, "a.rb", "b.rb"), commit("d3", 1, "b.rb")}}},
			"found file d2 0", "",
		},
		{
			"the deploy, with the commit rather than its merge",
			repo.Evidence{Places: places, Deploys: &repo.Comparison{Complete: true, Commits: []repo.Commit{commit("d1", 3, "a.rb"), merge, commit("d3", 2, "b.rb")}}},
			"found file d1 0", "",
		},
		{
			"the deploy, of which only the merge is known",
			repo.Evidence{Places: places, Deploys: &repo.Comparison{Complete: true, Commits: []repo.Commit{merge}}},
			"found file m1 0", "",
		},
		{
			"the deploy, but not after the error",
			repo.Evidence{Places: places, Deploys: &repo.Comparison{Complete: true, Commits: []repo.Commit{commit("d1", 3, "b.rb"), commit("d2", -2, "a.rb")}}},
			"found file d1 2", "",
		},
		{"a deploy of other files", repo.Evidence{Places: places, Deploys: &repo.Comparison{Complete: true, Commits: []repo.Commit{commit("d1", 3, "c.rb")}}}, "none untouched  0", ""},
		{"a deploy that is cut off", repo.Evidence{Places: places, Deploys: &repo.Comparison{Commits: []repo.Commit{commit("d1", 3, "c.rb")}}}, "unknown not_read  0", "only some of the commits"},
		{"a deploy without files", repo.Evidence{Places: places, Deploys: &repo.Comparison{Complete: true, Commits: []repo.Commit{commit("d1", 3)}}}, "unknown not_read  0", "files of 1 commits"},
		{"no deploy before", repo.Evidence{Places: places}, "none untouched  0", ""},
		{"a comparison that failed", repo.Evidence{Places: places, Problems: []string{"The host is away."}}, "unknown not_read  0", "The host is away."},
		{"no trace", repo.Evidence{}, "none no_frames  0", ""},
		{"no file found", repo.Evidence{Missed: []repo.Missed{{0, "x.rb", repo.Absent}}}, "none not_in_tree  0", ""},
		{"a tree that is cut off", repo.Evidence{Missed: []repo.Missed{{0, "x.rb", repo.Unseen}}}, "unknown not_read  0", "x.rb"},
	} {
		c.evidence.First = first
		s := repo.Choose(c.evidence)
		got := strings.Join([]string{string(s.Outcome), string(s.Reason), s.Commit.SHA, string(rune('0' + s.Place.Frame))}, " ")
		if got != c.want || !strings.Contains(strings.Join(s.Problems, " "), c.problem) || c.problem == "" && s.Problems != nil {
			t.Errorf("%s: %s with %q, want %s with %q", c.name, got, s.Problems, c.want, c.problem)
		}
		if s.Why() == "" || s.Outcome == repo.Found && !strings.Contains(s.Why(), s.Place.Path) {
			t.Errorf("%s: %q", c.name, s.Why())
		}
	}
}
