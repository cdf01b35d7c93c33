package markdown

import (
	"strings"
	"testing"
)

func TestHeadingsOfArticles(t *testing.T) {
	t.Parallel()
	// A first heading below the highest begins at the third level all the same.
	if got := string(Article("## Cause\n\n# Next\n\n#### Deep")); got != "<h3>Cause</h3>\n<h3>Next</h3>\n<h4>Deep</h4>\n" {
		t.Errorf("%q", got)
	}
	if got := string(Article("## Cause\n\n### Detail")); got != "<h3>Cause</h3>\n<h4>Detail</h4>\n" {
		t.Errorf("%q", got)
	}
	if got := string(Comment("# Cause")); strings.Contains(got, "<h") || !strings.Contains(got, "Cause") {
		t.Errorf("a comment has a heading: %q", got)
	}
}

func TestNothingThatRunsOrLoadsIsKept(t *testing.T) {
	t.Parallel()
	hostile := "<script>alert(1)</script>\n\n![x](https://example.org/x.png)\n\n[a](javascript:alert(1)) [b](/relative) <a href=\"https://example.org\" onclick=x style=y>c</a>\n\n[d](https://example.org)"
	for name, got := range map[string]string{"comment": string(Comment(hostile)), "article": string(Article(hostile))} {
		for _, bad := range []string{"<script", "<img", "javascript:", "/relative", "onclick", "style="} {
			if strings.Contains(got, bad) {
				t.Errorf("%s: %q is kept: %s", name, bad, got)
			}
		}
		if !strings.Contains(got, `<a href="https://example.org" rel="nofollow noreferrer">d</a>`) {
			t.Errorf("%s: the link is gone: %s", name, got)
		}
	}
}
