package store_test

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/repo"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

const fixBase = "https://sett.example.org"

// fixDesk is a project with a repository whose host sends webhooks, and sett has no token for.
type fixDesk struct {
	*storetest.Desk
	r   repo.Repository
	now time.Time
}

func newFixDesk(t *testing.T, s *store.Store) *fixDesk {
	d := &fixDesk{Desk: storetest.NewDesk(t, s), now: storetest.Noon}
	r, err := s.Repos.Create(t.Context(), d.now, d.ProjectID, repo.RepositoryChange{URL: sett.Some("https://github.com/acme/shop")})
	if err != nil {
		t.Fatal(err)
	}
	d.r = r
	d.Run(`UPDATE projects SET resolve_errors_on_deploy = false`)
	d.Record(d.now, accounts.Limits{}, d.Report("A"), d.Report("B"))
	return d
}

// sha is the id of a commit with this name.
func sha(name string) string {
	if name == "" {
		return ""
	}
	return (hex.EncodeToString([]byte(name)) + strings.Repeat("0", 40))[:40]
}

func (d *fixDesk) deliver(w repo.Delivery) {
	d.T.Helper()
	w.Trunk = "main"
	d.now = d.now.Add(time.Minute)
	if err := d.RecordDelivery(d.T.Context(), d.now, d.r, w, fixBase); err != nil {
		d.T.Fatal(err)
	}
}

// push delivers commits, written as "name message", that follow the commit before.
func (d *fixDesk) push(branch, before string, commits ...string) repo.Delivery {
	p := repo.Push{Branch: branch, Before: sha(before), Complete: true}
	for _, c := range commits {
		name, message, _ := strings.Cut(c, " ")
		p.Commits = append(p.Commits, repo.Commit{SHA: sha(name), Message: message, Author: "Ada", At: d.now, Files: []string{"a.go"}})
		p.After = sha(name)
	}
	w := repo.Delivery{Push: &p}
	d.deliver(w)
	return w
}

func (d *fixDesk) change(number int64, state repo.State, minute int, text, merge string) repo.Delivery {
	w := repo.Delivery{Change: &repo.Change{
		Number: number, Title: "Repair", Body: text, State: state, Branch: "repair", Target: "main", HeadSHA: sha("h"), MergeSHA: sha(merge), Author: "Ada",
		UpdatedAt: storetest.Noon.Add(time.Duration(minute) * time.Minute),
	}}
	d.deliver(w)
	return w
}

// deployed records a deploy, and settles what it contains as far as webhooks said it.
func (d *fixDesk) deployed(revision, environment string) {
	d.T.Helper()
	ctx := d.T.Context()
	d.now = d.now.Add(time.Minute)
	at := faults.Deploy{Revision: sha(revision), Environment: environment}
	at.ID = d.Deploy(d.now, at)
	waiting, err := d.Repos.Waiting(ctx, d.now, d.ProjectID)
	if err != nil {
		d.T.Fatal(err)
	}
	for _, f := range waiting {
		contains, _, err := d.Repos.Contains(ctx, d.r.ID, at.Revision, f.Landing())
		if err == nil && contains {
			err = d.SettleFix(ctx, d.now, d.r, f, at)
		}
		if err != nil {
			d.T.Fatal(err)
		}
	}
}

// want compares where the fixes of an error stand, and whether it is resolved and in what.
func (d *fixDesk) want(when, class string, want ...string) {
	d.T.Helper()
	f := d.Fault(class)
	fixes, err := d.Repos.FixesOf(d.T.Context(), d.ProjectID, f.ID)
	if err != nil {
		d.T.Fatal(err)
	}
	got := []string{"open"}
	if f.Resolved {
		got[0] = "resolved in " + repo.Short(f.ResolvedIn)
	}
	for _, x := range fixes {
		got = append(got, x.Name(d.r.Host)+" "+x.Standing())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		d.T.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

func short(name string) string { return repo.Short(sha(name)) }

func TestAMergedChangeResolvesItsErrorWhenADeployContainsIt(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newFixDesk(t, s)
		a := fmt.Sprintf("Fixes SETT-%d.", d.Fault("A").ID)
		d.push("main", "", "c0 Begin")
		opened := d.change(7, repo.Open, 1, a, "")
		d.want("an open change", "A", "open", "#7 open")
		d.deployed("c0", "production")
		d.want("a deploy before the merge", "A", "open", "#7 open")

		d.push("main", "c0", "x Other")
		merged := d.change(7, repo.Merged, 5, a, "m")
		d.deliver(opened) // late
		d.want("merged", "A", "open", "#7 merged, waits for a deploy")
		d.push("main", "x", "m Merge pull request #7 from acme/repair")
		d.deployed("x", "production")
		d.want("a deploy without the merge", "A", "open", "#7 merged, waits for a deploy")
		d.deployed("m", "staging")
		d.want("a deploy to another environment", "A", "open", "#7 merged, waits for a deploy")
		d.deployed("m", "production")
		d.want("deployed", "A", "resolved in "+short("m"), "#7 deployed in "+short("m"))
		d.want("another error", "B", "open")

		reverting := d.push("main", "m", "r Revert \"Repair\"\n\nThis reverts commit "+sha("m")+".")
		d.want("reverted", "A", "open", "#7 reverted by "+short("r"))
		d.push("main", "r", "r2 Reapply \"Repair\"\n\nThis reverts commit "+sha("r")+".")
		d.want("reapplied", "A", "open", "#7 merged, waits for a deploy")
		d.deliver(reverting) // again
		d.deliver(merged)
		d.want("deliveries of before, again", "A", "open", "#7 merged, waits for a deploy")
		d.deployed("m", "production")
		d.want("the old deploy again", "A", "open", "#7 merged, waits for a deploy")
		d.deployed("r2", "production")
		d.want("deployed again", "A", "resolved in "+short("r2"), "#7 deployed in "+short("r2"))
	})
}

func TestOrderThatIsNotKnownResolvesNothing(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newFixDesk(t, s)
		a := fmt.Sprintf("Closes %s/projects/%d/faults/%d", fixBase, d.ProjectID, d.Fault("A").ID)
		d.push("main", "", "c0 Begin")
		d.push("main", "c1", "c2 "+a) // before the push that it follows
		d.push("main", "c0", "c1 Middle")
		d.deployed("c1", "")
		d.want("pushes came in the wrong order", "A", "open", short("c2")+" merged, waits for a deploy")
		d.push("main", "c2", "c3 Next")
		d.deployed("c3", "")
		d.want("the order of what was before is not known", "A", "open", short("c2")+" merged, waits for a deploy")
		d.deployed("c2", "")
		d.want("the very commit", "A", "open", short("c2")+" merged, waits for a deploy") // the loop compares ids itself

		b := fmt.Sprintf("Fixes sett-%d", d.Fault("B").ID)
		d.push("main", "c3", "d1 "+b)
		forced := d.push("main", "d1", "e1 Other")
		forced.Push.Forced, forced.Push.Before, forced.Push.After = true, sha("d1"), sha("e2")
		forced.Push.Commits[0].SHA = sha("e2")
		d.deliver(forced)
		d.deployed("e2", "")
		d.want("a forced push", "B", "open", short("d1")+" merged, waits for a deploy")
	})
}

func TestWhatATextNamesIsLinked(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newFixDesk(t, s)
		a, b := d.Fault("A").ID, d.Fault("B").ID
		d.push("repair", "", fmt.Sprintf("c1 Try it, fixes SETT-%d", a))
		d.want("a commit on a branch", "A", "open", short("c1")+" on the branch repair")
		for age, want := range map[time.Duration]int{29 * 24 * time.Hour: 1, 31 * 24 * time.Hour: 0} {
			if waiting, err := s.Repos.Waiting(t.Context(), d.now.Add(age), d.ProjectID); err != nil || len(waiting) != want {
				t.Errorf("%d fixes wait after %v, %v; want %d", len(waiting), age, err, want)
			}
		}
		d.change(8, repo.Open, 1, fmt.Sprintf("See SETT-%d. Fixes OTHER-%d", b, b), "")
		d.want("the branch has a change", "A", "open", "#8 open")
		d.want("a mention", "B", "open", "#8 open")
		d.change(8, repo.Open, 2, "Nothing.", "")
		d.want("its text changed", "B", "open")
		d.want("the commit still says it", "A", "open", "#8 open")
		d.change(8, repo.Closed, 3, "Nothing.", "")
		d.want("closed", "A", "open", "#8 closed without a merge")

		stranger := d.Project("Other")
		d.change(9, repo.Open, 4, fmt.Sprintf("Fixes %s/projects/%d/faults/%d and SETT-999999", fixBase, stranger.ID, b), "")
		d.want("an address in another project", "B", "open")

		if err := d.Faults.MergeFault(t.Context(), d.now, d.UserID, d.ProjectID, a, triage.FaultMerge{IntoID: sett.Some(b)}); err != nil {
			t.Fatal(err)
		}
		d.want("merged into another error", "B", "open", "#8 closed without a merge")
		d.change(10, repo.Merged, 5, fmt.Sprintf("Fixes SETT-%d", a), "m")
		d.push("main", "", "c0 Begin", "m Merge")
		d.deployed("m", "production")
		d.want("the id of a merged error fixes what it was merged into", "B", "resolved in "+short("m"), "#10 deployed in "+short("m"), "#8 closed without a merge")
	})
}
