package fault_test

import (
	"strings"
	"testing"
	"time"

	"sett/internal/sett/release"
)

// The release that was deployed last before the first event is suspect, with its commits, if the event came from it and soon.
func TestSuspectRelease(t *testing.T) {
	t.Parallel()
	o := open(t)
	deploy := func(environment, revision string) {
		o.Post("/v1/deploys", map[string]any{"environment": environment, "revision": revision, "repository": "git@github.com:acme/shop.git"}).Want(201)
		o.Clock.Push(time.Minute)
	}
	event := func(class, revision string) string {
		return strings.NewReplacer("Boom", class, "4e1f9a2", revision).Replace(rich)
	}
	deploy("production", "shop-1")
	deploy("production", "shop-2")
	if err := o.App.Store().Releases.SetCommits(t.Context(), o.Setup.ProjectID, "shop-2", []release.Commit{{SHA: "0123456789abcdef", Message: "Split the tax", Author: "Ines"}}); err != nil {
		t.Fatal(err)
	}
	deploy("staging", "shop-3")
	f := o.report(event("Split", "shop-2"))
	o.member.Get(o.path(f)).Want(200, "Suspect release", `releases/shop-2" title="shop-2">shop-2</a> was <a href=`, "2 min before the first event", `<code title="0123456789abcdef">0123456</code> Split the tax`, `<a href="https://github.com/acme/shop/compare/shop-1...shop-2" rel="noreferrer">View changes</a>`).CheckPage()
	o.member.Get(o.path(o.report(event("Old", "shop-1")))).Want(200).Lacks("Suspect release") // it came from another release
	o.Clock.Push(25 * time.Hour)
	o.member.Get(o.path(o.report(event("Late", "shop-2")))).Want(200).Lacks("Suspect release")
}
