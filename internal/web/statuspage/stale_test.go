package statuspage

import "testing"

// A page that was loaded before its style was changed has the new one, and not for long.
func TestStyleThatWasChanged(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	show(t, p, fullView())
	old := want(t, ask(t, mux(p), "GET", "/status/acme/s/custom.000000000000.css", ""), 200, "color: teal").Header()
	if old.Get("Content-Type") != "text/css; charset=utf-8" || old.Get("Cache-Control") != publicly[0] {
		t.Errorf("%v", old)
	}
	name := p.index.Load().pages[0].rendered.Load().customName
	if now := want(t, ask(t, mux(p), "GET", "/status/acme/s/"+name, ""), 200).Header(); now.Get("Cache-Control") != forEver[0] {
		t.Errorf("the one that it has now: %v", now)
	}
	v := fullView()
	v.Page.Features.CustomCSS = ""
	show(t, p, v)
	want(t, ask(t, mux(p), "GET", "/status/acme/s/"+name, ""), 404)
}

func TestUnlistedWithAPassword(t *testing.T) {
	t.Parallel()
	for _, unlisted := range []bool{true, false} {
		v := fullView()
		v.Page.PasswordHash, v.Page.PasswordKey, v.Page.Unlisted = "hash of sesame", []byte("key"), unlisted
		p := newPages(t)
		show(t, p, v)
		for _, path := range []string{"", "/status.json", "/badge.svg"} {
			got := want(t, ask(t, mux(p), "GET", "/status/acme"+path, ""), 401).Header().Get("X-Robots-Tag")
			if (got == "noindex, nofollow") != unlisted {
				t.Errorf("unlisted %v, %s: X-Robots-Tag %q", unlisted, path, got)
			}
		}
	}
}
