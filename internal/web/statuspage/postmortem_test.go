package statuspage

import (
	"strings"
	"testing"

	"sett/internal/sett/status"
)

// Visitors find a post-mortem on the page of its incident, and a mark of it in every list; they never see a draft.
func TestPostMortemsArePublic(t *testing.T) {
	t.Parallel()
	v := fullView()
	v.Incidents[3].PostMortem = status.PostMortem{ID: 9, Message: "## What happened\n\nA *replica* was stuck. <script>", PublishedAt: noon}
	p := newPages(t)
	show(t, p, v)
	h := mux(p)
	want(t, ask(t, h, "GET", "/status/acme/incidents/1", ""), 200, `<section class="prose" id="postmortem"`, "<h3>What happened</h3>", "A <em>replica</em> was stuck.", `Published <time datetime="2026-11-18T12:00:00Z">`)
	for _, path := range []string{"/status/acme", "/status/acme/history"} {
		body := want(t, ask(t, h, "GET", path, ""), 200, `<a href="/status/acme/incidents/1#postmortem" aria-label="Post-mortem: Slow checkout">Post-mortem</a>`).Body.String()
		if strings.Contains(body, "replica") || strings.Count(body, "#postmortem") != 1 {
			t.Errorf("%s shows more than a mark", path)
		}
	}
	want(t, ask(t, h, "GET", "/status/acme/feed.json", ""), 200, `Post-mortem, 18 Nov 2026, 12:00 UTC\n## What happened`)
	want(t, ask(t, h, "GET", "/status/acme/feed.atom", ""), 200, "Post-mortem, 18 Nov 2026, 12:00 UTC")

	v.Incidents[3].PostMortem.PublishedAt = status.PostMortem{}.PublishedAt
	show(t, p, v)
	for _, path := range []string{"/status/acme", "/status/acme/history", "/status/acme/incidents/1", "/status/acme/feed.json", "/status/acme/feed.atom", "/status/acme.json"} {
		if body := want(t, ask(t, h, "GET", path, ""), 200).Body.String(); strings.Contains(body, "replica") || strings.Contains(body, "ost-mortem") {
			t.Errorf("%s shows a draft", path)
		}
	}
}
