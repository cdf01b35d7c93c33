package fault_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// movedAt is a notice whose error is in a line of a release.
func movedAt(line int, revision string) string {
	return strings.Replace(at("Boom", "order 17 has no total", "production", line), `"environment_name"`, fmt.Sprintf(`"revision":%q,"environment_name"`, revision), 1)
}

func TestGroupingIsExplainedAndCorrected(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(movedAt(42, "r1"))
	o.Clock.Push(time.Minute)
	if g := o.report(movedAt(45, "r2")); g.ID != f.ID {
		t.Fatalf("the line that moved is fault %d, want %d", g.ID, f.ID)
	}
	o.member.Get(o.path(f)).Want(200, "Line 42 became 45 in app/cart.rb, in release r2.", o.path(f)+"/grouping?notice=").CheckPage()
	page := o.member.Get(o.path(f)+"/grouping").Want(200,
		`line</th><td data-label="Value"><code>45</code>`, "frame 1: the client marks it as the application&#39;s", "1 <strong>decides</strong>",
		"Line 42 became 45 in app/cart.rb, in release r2.", "Ask an admin to change the rules of the project", o.path(f)+"/merge", "By the current rules",
	).CheckPage()
	o.outsider.Get(o.path(f) + "/grouping").Want(404)
	o.outsider.Post(o.path(f)+"/separate", "key", "00").Want(404)
	for _, key := range []string{"00", "no key", strings.Repeat("0", 32)} {
		o.member.Post(o.path(f)+"/separate", "key", key).Want(409, "does not go on by that key any more")
	}

	fields := hidden(t, page.Body, o.path(f)+"/separate")
	there := o.member.Post(o.path(f)+"/separate", fields...).Want(303).Header.Get("Location")
	o.member.Get(there).Want(200, "This is a separate error now.", fmt.Sprintf("Created for some events of error #%d.", f.ID)).CheckPage()
	o.wantEntry("separateFaultKey")
	own := strings.TrimSuffix(there, "?done=separated")
	o.member.Get(own+"/grouping").Want(200, "No stored events.").CheckPage()
	o.Clock.Push(time.Minute)
	later := o.report(movedAt(45, "r2"))
	if o.path(later) != own {
		t.Errorf("a later event is at %s, want %s", o.path(later), own)
	}
	o.member.Get(o.path(f)).Want(200, fmt.Sprintf("Error #%d was created for some of these events.", later.ID))
	o.member.Get(o.path(f) + "/grouping?notice=1aa21443-ee25-48eb-a04b-0fd79fa870ca").Want(404)
}
