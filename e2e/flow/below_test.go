package flow

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"sett/e2e/rig"
	"sett/e2e/rig/browser"
)

// Pages, their scripts and streams work below a path, whether or not the proxy removes it. Nothing asks for anything outside of the path.
func TestPagesBelowAPath(t *testing.T) {
	t.Parallel()
	for name, removes := range map[string]bool{"proxy removes the path": true, "path arrives": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, n := rig.StartBelow(t, removes)
			browserBelow(t, s)
			n.WantNoneStrayed(t)
		})
	}
}

func browserBelow(t *testing.T, s *rig.Server) {
	w := &walker{t: t, s: s, scripts: true, Tab: browser.Open(t)}
	w.Look(t, "light", 1440)
	w.open("/login")
	w.fill("email", rig.OwnersEmail, "password", rig.OwnersPassword)
	w.press("Sign in")
	w.want(there(`[href="` + rig.Below + `/"][aria-current]`))

	list := fmt.Sprintf("/projects/%d/faults", s.ProjectID)
	w.report(s.APIKey, "Apple", "it broke", "production")
	w.open(list + "?q=class%3AApple*")
	w.awaitAgain(count(rows, 1))
	w.keys("/")
	w.run(chromedp.SendKeys(chromedp.CSS(box), " env"))
	w.await(there(options))
	w.keys(kb.Escape)
	w.keepPage()
	w.report(s.APIKey, "Apple pie", "it broke", "production")
	w.await(`document.querySelector("button[data-live]:not([hidden])")`)
	w.want(kept)
	w.open(list + "?q=class%3AApple*")
	w.follow(rows + " a")
	w.press("Resolve")
	w.want(`location.search.includes("done=resolved")`)
	w.open("/")
	w.palette()
	w.run(chromedp.SendKeys(chromedp.CSS("dialog.palette input"), "appearance"))
	w.await(`document.querySelector("dialog.palette li a")?.href.endsWith("/me/appearance")`)
	w.lead(chromedp.SendKeys(chromedp.CSS("dialog.palette input"), kb.Enter))
	for _, path := range []string{"/docs/clients", "/docs/api", "/docs/webhooks", "/me/security", "/projects", fmt.Sprintf("/projects/%d/insights", s.ProjectID)} {
		w.open(path)
	}
	w.WantSilent(t, "below a path")
	w.signOutBelow()
}

// signOutBelow ends the session, which takes the cookies away that were set for the path.
func (w *walker) signOutBelow() {
	w.t.Helper()
	w.run(chromedp.Click(chromedp.CSS(browser.OwnMenu)))
	w.follow(`[action="` + rig.Below + `/logout"] button`)
	w.read("You are signed out.")
	w.open("/projects")
	w.want(at(rig.Below + "/login"))
}
