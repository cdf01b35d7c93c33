package host_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/base/dial"
	"sett/internal/ingest/webhook"
	"sett/internal/monitor/host"
	"sett/internal/sett/repo"
	"sett/internal/setttest/githost"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// story is a repository with one of all that happens.
type story struct {
	*githost.Server
	first, second, third   string // commits of main; the third moves a file and is the base of the rest
	merged, squash, rebase int64
	mergeSHA, squashSHA    string
	rebaseSHA, topic       string
	open, closed, fork     int64
	revert                 string
}

func tell(t *testing.T) (s story) {
	t.Helper()
	s.Server = githost.New(t)
	cart := []string{"def total", "  a", "  b", "  c", "end"}
	s.first = s.Commit("main", "Begin", map[string]*string{"app/cart.rb": githost.Text(cart...), "old name.md": githost.Text("one", "two", "three")})
	cart[2] = "  round(b)"
	s.second = s.Commit("main", "Round totals\n\nFixes SHOP-12", map[string]*string{"app/cart.rb": githost.Text(cart...)})
	s.third = s.Commit("main", "Move", map[string]*string{"old name.md": nil, "docs/new name.md": githost.Text("one", "two", "three")})
	s.Commit("topic-a", "A", map[string]*string{"services/a/a.go": githost.Text("package a")})
	s.merged = s.Open("topic-a", "Add a", "Fixes SHOP-1")
	s.mergeSHA = s.Merge(s.merged, githost.Merge)
	s.Commit("topic-b", "B1", map[string]*string{"b.go": githost.Text("package b")})
	s.Commit("topic-b", "B2", map[string]*string{"b.go": githost.Text("package b", "// two")})
	s.squash = s.Open("topic-b", "Add b", "Fixes SHOP-2")
	s.squashSHA = s.Merge(s.squash, githost.Squash)
	s.Commit("topic-c", "C1", map[string]*string{"c.go": githost.Text("package c")})
	s.rebase = s.Open("topic-c", "Add c", "")
	s.rebaseSHA = s.Merge(s.rebase, githost.Rebase)
	s.revert = s.Revert(s.squashSHA)
	s.topic = s.Commit("topic-d", "D", map[string]*string{"d.go": githost.Text("package d")})
	s.open = s.Open("topic-d", "Add d", "See SHOP-4")
	s.Edit(s.open, func(c *repo.Change) { c.Draft = true })
	s.closed = s.Open("topic-d", "Add d again", "")
	s.Close(s.closed)
	s.fork = s.Open("topic-d", "Add d from afar", "")
	s.Edit(s.fork, func(c *repo.Change) { c.FromFork = true })
	return s
}

func ask(t *testing.T, r repo.Repository) host.Host {
	t.Helper()
	h, err := host.New(dial.New(dial.Anywhere()).Client(time.Minute), r, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHostsAnswerAlike(t *testing.T) {
	t.Parallel()
	s := tell(t)
	for _, kind := range repo.Hosts {
		h := ask(t, s.Repository(kind))
		t.Run(string(kind), func(t *testing.T) {
			deliveries(t, s, h, kind)
			commits(t, s, h)
			files(t, s, h)
			suspects(t, s, h)
			changes(t, s, h)
			comments(t, s, h, kind)
			missing(t, s, h)
		})
	}
}

func commits(t *testing.T, s story, h host.Host) {
	branch, err := h.Check(t.Context())
	if err != nil || branch != "main" {
		t.Errorf("Check: %q, %v", branch, err)
	}
	c, err := h.Commit(t.Context(), s.second)
	if err != nil || c.SHA != s.second || strings.TrimSpace(c.Message) != "Round totals\n\nFixes SHOP-12" || c.Author != "Ada Mensah" ||
		c.Email != "ada@example.org" || !c.At.Equal(time.Date(2026, 11, 1, 12, 2, 0, 0, time.UTC)) || !strings.HasSuffix(c.URL, s.second) ||
		!slices.Equal(c.Files, []string{"app/cart.rb"}) {
		t.Errorf("Commit: %+v, %v", c, err)
	}
	c, err = h.Commit(t.Context(), s.third)
	slices.Sort(c.Files)
	if err != nil || !slices.Equal(c.Files, []string{"docs/new name.md", "old name.md"}) {
		t.Errorf("Commit that moves a file: %q, %v", c.Files, err)
	}
	for _, o := range []struct {
		base, head string
		order      repo.Order
		want       []string
	}{
		{s.first, s.third, repo.Ahead, []string{s.second, s.third}},
		{s.third, s.first, repo.Behind, nil},
		{s.third, s.third, repo.Identical, nil},
		{s.rebaseSHA, s.topic, repo.Ahead, []string{s.revert, s.topic}},
		{s.topic, s.Head("topic-c"), repo.Diverged, []string{s.Head("topic-c")}},
	} {
		c, err := h.Compare(t.Context(), o.base, o.head)
		var got []string
		for _, one := range c.Commits {
			got = append(got, one.SHA)
		}
		if err != nil || c.Order != o.order || !c.Complete || !slices.Equal(got, o.want) || c.URL == "" && o.want != nil {
			t.Errorf("Compare %.7s...%.7s: %s %q %v %q, %v; want %s %q", o.base, o.head, c.Order, got, c.Complete, c.URL, err, o.order, o.want)
		}
	}
	between, err := h.Compare(t.Context(), s.first, s.third)
	if err != nil {
		t.Fatal(err)
	}
	if between, err = host.WithFiles(t.Context(), h, between, 1); err != nil || between.Commits[0].Files != nil || len(between.Commits[1].Files) != 2 {
		t.Errorf("WithFiles: %+v, %v", between.Commits, err)
	}
}

func files(t *testing.T, s story, h host.Host) {
	blamed, err := h.Blame(t.Context(), s.third, "app/cart.rb", 2, 4)
	var got []string
	for _, b := range blamed {
		for n := max(b.From, 2); n <= min(b.To, 4); n++ {
			got = append(got, fmt.Sprint(n, b.Commit.SHA == s.second, b.Commit.SHA == s.first))
		}
		if b.Commit.Author != "Ada Mensah" || b.Commit.At.IsZero() || b.Commit.Message == "" {
			t.Errorf("Blame: %+v", b.Commit)
		}
	}
	if want := []string{"2 false true", "3 true false", "4 false true"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("Blame: %q, %v; want %q", got, err, want)
	}
	text, err := h.File(t.Context(), s.third, "docs/new name.md")
	if err != nil || string(text) != "one\ntwo\nthree\n" {
		t.Errorf("File: %q, %v", text, err)
	}
	paths, complete, err := h.Tree(t.Context(), s.mergeSHA)
	slices.Sort(paths)
	if want := []string{"app/cart.rb", "docs/new name.md", "services/a/a.go"}; err != nil || !complete || !slices.Equal(paths, want) {
		t.Errorf("Tree: %q, %v, %v", paths, complete, err)
	}
}

// suspects finds the commit behind an error of a program in a monorepo, by a line of it, and by the files of its deploy.
func suspects(t *testing.T, s story, h host.Host) {
	paths, complete, err := h.Tree(t.Context(), s.mergeSHA)
	if err != nil {
		t.Fatal(err)
	}
	trace := func(frames ...repo.Frame) repo.Evidence {
		places, missed, _ := repo.NewTree(paths, complete).Places(frames, "services/a", repo.Root{})
		return repo.Evidence{First: now, Places: places, Missed: missed}
	}
	e := trace(repo.Frame{File: "/gems/rack.rb", Line: 9}, repo.Frame{File: "/srv/app/cart.rb", Line: 3}, repo.Frame{File: "/srv/app/cart.rb", Line: 1})
	for _, p := range e.Places {
		blamed, err := h.Blame(t.Context(), s.mergeSHA, p.Path, p.Line, p.Line)
		if err != nil {
			t.Fatal(err)
		}
		e.Lines = append(e.Lines, repo.Line{Place: p, Blamed: blamed})
	}
	if got := repo.Choose(e); got.Outcome != repo.Found || got.Commit.SHA != s.second || got.Place != (repo.Place{Frame: 1, Path: "app/cart.rb", Line: 3}) {
		t.Errorf("Choose by a line: %+v", got)
	}
	e = trace(repo.Frame{File: "/go/src/a/a.go"})
	brought, err := h.Compare(t.Context(), s.third, s.mergeSHA)
	if err == nil {
		brought, err = host.WithFiles(t.Context(), h, brought, 10)
	}
	if err != nil {
		t.Fatal(err)
	}
	e.Deploys = &brought
	if got := repo.Choose(e); got.Outcome != repo.Found || got.Reason != repo.ByFile || strings.TrimSpace(got.Commit.Message) != "A" {
		t.Errorf("Choose by a deploy: %+v", got)
	}
}

func changes(t *testing.T, s story, h host.Host) {
	for _, want := range []repo.Change{
		{Number: s.merged, Title: "Add a", Body: "Fixes SHOP-1", State: repo.Merged, Branch: "topic-a", MergeSHA: s.mergeSHA},
		{Number: s.squash, Title: "Add b", Body: "Fixes SHOP-2", State: repo.Merged, Branch: "topic-b", MergeSHA: s.squashSHA},
		{Number: s.rebase, Title: "Add c", State: repo.Merged, Branch: "topic-c", MergeSHA: s.rebaseSHA},
		{Number: s.open, Title: "Add d", Body: "See SHOP-4", State: repo.Open, Branch: "topic-d", Draft: true},
		{Number: s.closed, Title: "Add d again", State: repo.Closed, Branch: "topic-d"},
		{Number: s.fork, Title: "Add d from afar", State: repo.Open, Branch: "topic-d", FromFork: true},
	} {
		c, err := h.Change(t.Context(), want.Number)
		if err != nil || c.URL == "" || c.UpdatedAt.IsZero() || c.MergedAt.IsZero() == (c.State == repo.Merged) || c.HeadSHA == "" {
			t.Errorf("Change: %+v, %v", c, err)
		}
		want.Target, want.Author = "main", "ada"
		c.URL, c.UpdatedAt, c.MergedAt, c.HeadSHA = "", time.Time{}, time.Time{}, ""
		if diff := cmp.Diff(want, c); diff != "" {
			t.Errorf("Change (-want +got):\n%s", diff)
		}
	}
	for sha, want := range map[string][]int64{s.squashSHA: {s.squash}, s.mergeSHA: {s.merged}, s.first: nil} {
		all, err := h.ChangesOf(t.Context(), sha)
		var got []int64
		for _, c := range all {
			got = append(got, c.Number)
			if c.State != repo.Merged || c.MergeSHA != sha {
				t.Errorf("ChangesOf: %+v", c)
			}
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("ChangesOf: %v, %v; want %v", got, err, want)
		}
	}
	for _, want := range []repo.Checks{repo.ChecksUnknown, repo.ChecksRunning, repo.ChecksPassed, repo.ChecksFailed} {
		s.SetChecks(s.topic, want)
		if got, err := h.Checks(t.Context(), s.topic); err != nil || got != want {
			t.Errorf("Checks: %q, %v; want %q", got, err, want)
		}
	}
}

func comments(t *testing.T, s story, h host.Host, kind repo.Host) {
	number := s.Open("topic-d", "Talk", "")
	for range 120 {
		s.AddComment(number, "Looks good")
	}
	for i, text := range []string{"New error", "New error", "Two new errors"} {
		s.Requests()
		if err := h.Comment(t.Context(), number, "r1", text); err != nil {
			t.Fatal(err)
		}
		writes := func(r string) bool { return !strings.HasPrefix(r, "GET ") }
		if all := s.Requests(); slices.ContainsFunc(all, writes) == (i == 1) {
			t.Errorf("Comment %d: %q", i, all)
		}
	}
	if err := h.Comment(t.Context(), number, "r2", "Another release"); err != nil {
		t.Fatal(err)
	}
	all := s.Comments(number)
	if len(all) != 122 || !strings.HasSuffix(all[120], "\nTwo new errors") || !strings.HasSuffix(all[121], "\nAnother release") {
		t.Errorf("Comments: %d, the last %q", len(all), all[max(0, len(all)-2):])
	}
	s.AddComment(number, "> "+all[121]) // quoted by another
	if err := h.Comment(t.Context(), number, "r2", "Changed"); err != nil || !strings.HasSuffix(s.Comments(number)[121], "\nChanged") || len(s.Comments(number)) != 123 {
		t.Errorf("Comment: %v", err)
	}
	other := s.Repository(kind)
	other.Secret = "another"
	if err := ask(t, other).Comment(t.Context(), number, "r2", "Theirs"); err != nil || len(s.Comments(number)) != 124 {
		t.Errorf("the mark of another repository of sett is taken for this one's: %v", err)
	}
}

func missing(t *testing.T, s story, h host.Host) {
	gone := strings.Repeat("0a", 20)
	for what, err := range map[string]error{
		"Commit":    second(h.Commit(t.Context(), gone)),
		"Compare":   second(h.Compare(t.Context(), s.first, gone)),
		"Compare 2": second(h.Compare(t.Context(), gone, s.first)),
		"Blame":     second(h.Blame(t.Context(), s.third, "gone.rb", 1, 1)),
		"Blame 2":   second(h.Blame(t.Context(), gone, "app/cart.rb", 1, 1)),
		"File":      second(h.File(t.Context(), s.first, "gone.rb")),
		"File 2":    second(h.File(t.Context(), s.first, "../cart.rb")),
		"File 3":    second(h.File(t.Context(), "../../x", "app/cart.rb")),
		"Change":    second(h.Change(t.Context(), 99)),
		"Comment":   h.Comment(t.Context(), 99, "r1", "Hello"),
	} {
		if host.KindOf(err) != host.NotFound || !strings.Contains(err.Error(), "acme/shop") {
			t.Errorf("%s: %v (%s)", what, err, host.KindOf(err))
		}
	}
	if _, _, err := h.Tree(t.Context(), gone); host.KindOf(err) != host.NotFound {
		t.Errorf("Tree: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// deliveries compares what the webhooks of a host say with what the host answers.
func deliveries(t *testing.T, s story, h host.Host, kind repo.Host) {
	read := func(w githost.Webhook) repo.Delivery {
		t.Helper()
		d, err := webhook.Read(kind, w.Header, w.Body, githost.Secret, now)
		if err != nil || d.ID == "" || d.Repository != "" && d.Repository != s.URL() {
			t.Fatalf("%s: %+v, %v", kind, d, err)
		}
		return d
	}
	for number := s.merged; number <= s.fork; number++ {
		want, err := h.Change(t.Context(), number)
		if err != nil {
			t.Fatal(err)
		}
		if d := read(s.Changed(kind, number)); d.Change == nil {
			t.Errorf("%s: change %d is missing", kind, number)
		} else {
			got := *d.Change
			if kind == repo.Bitbucket && got.MergeSHA != "" && strings.HasPrefix(want.MergeSHA, got.MergeSHA) {
				got.MergeSHA = want.MergeSHA
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-asked +delivered):\n%s", kind, diff)
			}
		}
	}
	push := read(s.Push(kind, "main", s.first, s.third)).Push
	if push == nil || push.Branch != "main" || push.Before != s.first || push.After != s.third || push.Forced || len(push.Commits) != 2 ||
		push.Commits[0].SHA != s.second || push.Complete != (kind != repo.Bitbucket) {
		t.Errorf("%s: %+v", kind, push)
	}
	for _, c := range push.Commits {
		want, err := h.Commit(t.Context(), c.SHA)
		if kind == repo.Bitbucket {
			want.Files = nil
		}
		slices.Sort(want.Files)
		slices.Sort(c.Files)
		if diff := cmp.Diff(want, c); diff != "" || err != nil {
			t.Errorf("%s: %v (-asked +delivered):\n%s", kind, err, diff)
		}
	}
	forced := read(s.Push(kind, "topic-d", s.topic, s.third)).Push
	if says := kind == repo.GitHub || kind == repo.Bitbucket; forced == nil || forced.Forced != says {
		t.Errorf("%s: %+v", kind, forced)
	}
	if gone := read(s.Push(kind, "topic-d", s.topic, "")).Push; gone == nil || gone.After != "" || gone.Before != s.topic {
		t.Errorf("%s: %+v", kind, gone)
	}
	s.SetChecks(s.topic, repo.ChecksFailed)
	if d := read(s.Checked(kind, s.topic)); d.Checks == nil || d.Checks.Checks != repo.ChecksFailed || d.Checks.SHA != s.topic || d.Checks.UpdatedAt.IsZero() {
		t.Errorf("%s: %+v", kind, d.Checks)
	}
	if d := read(s.Ping(kind)); d.Push != nil || d.Change != nil || d.Checks != nil {
		t.Errorf("%s: %+v", kind, d)
	}
}

func TestListsArePaged(t *testing.T) {
	t.Parallel()
	s := githost.New(t)
	first := s.Commit("main", "Begin", map[string]*string{"a.txt": githost.Text("a")})
	s.Many("many", 210)
	last := s.Head("many")
	for _, kind := range repo.Hosts {
		h := ask(t, s.Repository(kind))
		c, err := h.Compare(t.Context(), first, last)
		if err != nil || len(c.Commits) != 211 || !c.Complete || c.Commits[0].Message != "Many files" || c.Commits[210].SHA != last {
			t.Errorf("%s: %d commits, %v, %v", kind, len(c.Commits), c.Complete, err)
		}
		one, err := h.Commit(t.Context(), c.Commits[0].SHA)
		if err != nil || len(one.Files) != 210 {
			t.Errorf("%s: %d files, %v", kind, len(one.Files), err)
		}
		paths, complete, err := h.Tree(t.Context(), last)
		if err != nil || len(paths) != 421 || !complete {
			t.Errorf("%s: %d paths, %v, %v", kind, len(paths), complete, err)
		}
	}
}
