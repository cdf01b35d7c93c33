package fault_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"sett/internal/sett/faults"
)

// at is a notice whose error is in a line of the app.
func at(class, message, environment string, line int) string {
	return fmt.Sprintf(`{"error":{"class":%q,"message":%q,"backtrace":[{"number":"%d","file":"[PROJECT_ROOT]/app/cart.rb","method":"total","context":"app"}]},
	"request":{"component":"Cart","action":"show"},"server":{"environment_name":%q}}`, class, message, line, environment)
}

var candidates = regexp.MustCompile(`<article class="card" aria-labelledby="candidate-(\d+)">`)

func TestMergeByPicking(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(at("Boom", "order 17 has no total", "production", 7))
	unlike := o.report(at("Boom", "quite another", "production", 8))
	like := o.report(at("Boom", "order 42 has no total", "production", 9))
	o.report(at("Boom", "order 42 has no total", "staging", 9))
	other := o.report(plain("<i>Other</i>"))
	o.member.Get(o.path(f)).Want(200, `href="`+o.path(f)+`/merge"`).CheckPage()
	page := o.member.Get(o.path(f)+"/merge").Want(200, "Most similar errors", "Kept apart by: line", `Line <span class="critical">differs</span></th><td><code>7</code></td><td><code>9</code></td>`, "order 42 has no total").CheckPage()
	var found []string
	for _, m := range candidates.FindAllStringSubmatch(page.Body, -1) {
		found = append(found, m[1])
	}
	if got, want := strings.Join(found, " "), fmt.Sprint(like.ID, " ", unlike.ID); got != want {
		t.Errorf("the candidates are %s, want %s", got, want)
	}
	o.member.Get(o.path(f)+"/merge?find=other").Want(200, "Errors that match", "&lt;i&gt;Other&lt;/i&gt;", fmt.Sprintf(`name="into_id" value="%d"`, other.ID), "Kept apart by: class").CheckPage()
	o.member.Get(o.path(f)+"/merge?find=environment:staging").Want(200, "No other errors of production match this search.").CheckPage()
	o.member.Get(o.path(f)+"/merge?find=hosname:x").Want(200, "This search has", "hostname:").CheckPage()
	o.member.Get(o.path(other)+"/merge").Want(200, "Search for others.").CheckPage()
	o.outsider.Get(o.path(f) + "/merge").Want(404)
	o.member.Get(o.list() + "/999/merge").Want(404)
	o.Clock.Push(time.Minute)
	flash := o.member.Get(o.member.Post(o.path(f)+"/merge", "into_id", fmt.Sprint(like.ID)).Want(303).Header.Get("Location")).Want(200, "Merged. This error now includes both.", ">Undo</button>").CheckPage()
	o.Clock.Push(time.Minute)
	o.member.Post(o.list()+"/undo", hidden(t, flash.Body, o.list()+"/undo")...).Leads(o.path(like) + "?done=undone")
	if n := o.reread(f).NoticesCount; n != 1 {
		t.Errorf("after it was undone, there are %d events", n)
	}
}

// make51 returns more numbers than one merge takes.
func make51() (ids []int) {
	for i := range 51 {
		ids = append(ids, 1000+i)
	}
	return ids
}

func TestMergeOfMany(t *testing.T) {
	t.Parallel()
	o := open(t)
	var ids []string
	var faults []faults.Fault
	for i, class := range []string{"One", "Two", "Three"} {
		for range i + 1 {
			faults = append(faults[:i], o.report(plain(class)))
		}
		ids = append(ids, "id", fmt.Sprint(faults[i].ID))
	}
	elsewhere := o.report(at("Four", "m", "staging", 1))
	bulk := o.list() + "/bulk"
	for why, send := range map[string][]string{
		"Select at least two errors": {"id", fmt.Sprint(faults[0].ID)}, "one by one": {"all", "1"}, "no longer exist": {"id", fmt.Sprint(faults[0].ID), "id", "999"},
		"Select at most 50": {"id", strings.Trim(strings.ReplaceAll(fmt.Sprint(make51()), " ", ","), "[]")},
	} {
		o.member.Post(bulk, append([]string{"action", "merge", "q", ""}, send...)...).Want(422, why).CheckPage()
	}
	mixed := o.member.Post(bulk, append([]string{"action", "merge", "q", "", "id", fmt.Sprint(elsewhere.ID)}, ids...)...).Want(200, "Only errors of one environment can be merged. These are of production, staging.").CheckPage()
	lacks(t, mixed.Body, ">Merge 4 errors<")
	o.member.Post(bulk, append([]string{"action", "merge", "q", "", "into_id", fmt.Sprint(faults[0].ID), "id", fmt.Sprint(elsewhere.ID)}, ids...)...).Want(422, "same environment").CheckPage()
	sure := o.member.Post(bulk, append([]string{"action", "merge", "q", "x=y", "view", "compact"}, ids...)...).Want(200, ">Merge 3 errors</button>", fmt.Sprintf(`value="%d" checked>`, faults[2].ID)).CheckPage()
	o.Clock.Push(time.Minute)
	form := append(hidden(t, sure.Body, o.list()+"/bulk"), "into_id", fmt.Sprint(faults[1].ID))
	o.outsider.Post(bulk, form...).Want(404)
	led := o.member.Post(bulk, form...).Leads(o.list() + "?q=x%3Dy&view=compact&done=bulk_merged&n=2" + o.undo("bulk_merged")).Header.Get("Location")
	o.wantEntry("changeFaultsPage")
	if n := o.reread(faults[1]).NoticesCount; n != 6 {
		t.Errorf("it has %d events, want 6", n)
	}
	flash := o.member.Get(led).Want(200, "2 errors merged into one.", ">Undo</button>").CheckPage()
	o.Clock.Push(time.Minute)
	o.member.Post(o.list()+"/undo", hidden(t, flash.Body, o.list()+"/undo")...).Want(303)
	for i, f := range faults {
		if n := o.reread(f).NoticesCount; n != int64(i+1) {
			t.Errorf("after it was undone, %s has %d events", f.Class, n)
		}
	}
}
