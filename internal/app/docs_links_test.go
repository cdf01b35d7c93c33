package app_test

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/docs"
)

var (
	fencedCode   = regexp.MustCompile("(?ms)^```.*?^```$")
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	htmlLink     = regexp.MustCompile(`(?:href|src|srcset)="([^"]+)"`)
	heading      = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// linksIn returns where the links and pictures of a text lead.
func linksIn(text string) (links []string) {
	text = codeSpan.ReplaceAllString(fencedCode.ReplaceAllString(text, ""), "")
	for _, of := range []*regexp.Regexp{markdownLink, htmlLink} {
		for _, m := range of.FindAllStringSubmatch(text, -1) {
			links = append(links, m[1])
		}
	}
	return links
}

// anchorsOf are the names by which the headings of a text are linked to, as GitHub makes them.
func anchorsOf(text string) map[string]bool {
	anchors := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fencedCode.ReplaceAllString(text, ""), -1) {
		name := strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")
		anchors[name] = true
	}
	return anchors
}

// brokenLink says what is wrong with a link of a page, or returns "". External links are not checked.
func brokenLink(pages map[string]string, page, link string) string {
	u, err := url.Parse(link)
	switch {
	case err != nil:
		return "is no address"
	case u.Host != "":
		if u.Scheme != "https" && u.Hostname() != "127.0.0.1" || !strings.Contains(u.Host, ".") {
			return "is no address of https"
		}
		return ""
	case u.Scheme != "" || strings.HasPrefix(u.Path, "/"):
		return "leads to no file; write a path of the server as `" + link + "`, which the manual makes a link"
	}
	target := page
	if u.Path != "" {
		target = filepath.ToSlash(filepath.Join(filepath.Dir(page), u.Path))
	}
	if _, err := os.Stat(filepath.Join(root, target)); err != nil {
		return "leads to nothing"
	}
	if u.Fragment != "" && !anchorsOf(pages[target])[u.Fragment] {
		return "leads to no heading"
	}
	return ""
}

func TestLinksOfDocumentsLeadSomewhere(t *testing.T) {
	t.Parallel()
	pages, found := documents(t), 0
	for page, text := range pages {
		for _, link := range linksIn(text) {
			found++
			if wrong := brokenLink(pages, page, link); wrong != "" {
				t.Errorf("%s: the link %s %s", page, link, wrong)
			}
		}
	}
	if found < 100 {
		t.Errorf("the documents have only %d links: are they still found?", found)
	}
}

// The README lists each chapter of the manual.
func TestReadmeListsTheManual(t *testing.T) {
	t.Parallel()
	pages := documents(t)
	_, listed, _ := strings.Cut(pages["README.md"], "\n## Documentation\n")
	listed, _, _ = strings.Cut(listed, "\n## ")
	chapters, err := docs.Files.ReadDir(".")
	if err != nil || len(chapters) < 20 {
		t.Fatalf("the manual has %d chapters: %v", len(chapters), err)
	}
	for _, chapter := range chapters {
		if !strings.Contains(listed, "](docs/"+chapter.Name()+")") {
			t.Errorf("the table of the README does not list docs/%s", chapter.Name())
		}
	}
}

func TestBrokenLinks(t *testing.T) {
	t.Parallel()
	pages := map[string]string{"docs/words.md": "# One word\n\n## Node.js, and `more`\n\n```sh\n# no heading\n```\n"}
	for link, want := range map[string]string{
		"words.md": "", "words.md#nodejs-and-more": "", "#one-word": "", "../README.md": "", "https://example.org/a#b": "", "http://127.0.0.1:8080/": "",
		"wrods.md": "leads to nothing", "words.md#no-heading": "leads to no heading", "#nodejs": "leads to no heading",
		"http://example.org": "is no address of https", "https://example": "is no address of https", "https://[": "is no address",
		"/docs/api": "leads to no file; write a path of the server as `/docs/api`, which the manual makes a link",
	} {
		if got := brokenLink(pages, "docs/words.md", link); got != want {
			t.Errorf("%s: %q, want %q", link, got, want)
		}
	}
	text := "[a](b.md) `[c](d.md)` <img src=\"e.png\"> ![f](g.png)\n```sh\n[h](i.md)\n```\n"
	if diff := cmp.Diff([]string{"b.md", "g.png", "e.png"}, linksIn(text)); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}
