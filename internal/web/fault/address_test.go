package fault

import "testing"

func TestOnlyAddressesOfTheWebBecomeLinks(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "x", "/x", "//x.test/", "javascript:alert(1)", "javascript://x.test/%0Aalert(1)", "JAVASCRIPT://x.test/", "data:text/html,x", "ftp://x.test/", "https://a@x.test/", "https://x.test/ y", `https://x.test\y`, "https:///x", "https://x.test/\n"} {
		if got := webLink(bad); got != "" {
			t.Errorf("%q becomes a link to %q", bad, got)
		}
	}
	if got := webLink("https://x.test/a?b=c#d"); got != "https://x.test/a?b=c#d" {
		t.Errorf("an address of the web leads to %q", got)
	}
}

func TestLinksToSource(t *testing.T) {
	t.Parallel()
	const template = "https://git.test/[sha]/[file]#L[line]"
	for file, want := range map[string]string{
		"[PROJECT_ROOT]/app/a b.rb": "https://git.test/r1/app/a%20b.rb#L3", "": "", `x?y=1&"`: "https://git.test/r1/x%3Fy=1&%22#L3",
	} {
		if got := sourceLink(template, "r1", file, "3"); got != want {
			t.Errorf("%q leads to %q, want %q", file, got, want)
		}
	}
	if got := sourceLink(template, "", "a.rb", "3"); got != "" {
		t.Errorf("without a revision it leads to %q", got)
	}
}
