package manual

import (
	"bytes"
	"html"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"

	"sett/docs"
	"sett/internal/base/about"
	"sett/internal/serve"
	"sett/internal/web"
)

// chapter is one page of the manual.
type chapter struct {
	Name     string // in its URL
	Title    string
	About    string // in the table of contents
	Parts    []part
	Body     template.HTML
	takesKey bool // its examples contain the key of a project
}

// part is a heading of a chapter.
type part struct {
	ID    string
	Title template.HTML
}

// order is the chapters in their order, each with a description.
var order = []struct{ name, about string }{
	{"quick-start", "Report your first error, and monitor a job and a site, in five minutes."},
	{"installing", "Install the server: container, Kubernetes, packages, or one program."},
	{"concepts", "Projects, errors, events, sites, check-ins and deploys."},
	{"grouping-rules", "Why events are one error, and how to correct it."},
	{"search", "Find errors with search terms."},
	{"clients", "Report errors from your programs, language by language."},
	{"reported-data", "Attachments, feedback, times, and what is repaired or not stored."},
	{"events", "Search what your application did: requests, jobs and log lines."},
	{"badgerql", "Every clause and function of queries, with examples."},
	{"dashboards", "Queries, errors, sites and jobs on one page."},
	{"alarms", "Get notified when events are too many, or too few."},
	{"source-maps", "See original lines in errors of minified JavaScript."},
	{"repositories", "Connect commits, pull requests and deploys with the errors that they cause and repair."},
	{"migration", "Migrate from Honeybadger, Sentry and others."},
	{"import", "Bring errors with their history from Sentry, GlitchTip, Honeybadger or Bugsink."},
	{"import-monitors", "Bring monitors and check-ins from Uptime Kuma, Healthchecks, Gatus or OpenStatus."},
	{"export", "Take an account or a project out, and store it on another server."},
	{"check-ins", "Get notified when a job does not run."},
	{"uptime", "Get notified when a site is down."},
	{"status-pages", "Show the state of your service to the public, on your own domain."},
	{"integrations", "Send notifications to chats, pagers, webhooks and issue trackers."},
	{"as-code", "Keep projects, checks, channels and status pages in files."},
	{"command-line", "List, resolve and follow errors, record deploys and stop pipelines, from a terminal."},
	{"agents", "Let coding agents read errors and resolve them, by MCP."},
	{"directory", "Let Okta, Entra ID or Google manage and sign in the people of an account: SCIM and SAML."},
	{"security", "Threat model, roles, sign-in, network rules and encryption."},
	{"administration", "Run the server, and manage it on the command line."},
	{"backup", "Back up and restore your data."},
	{"performance", "How large a machine must be, how to measure it, and what to watch."},
	{"configuration", "All settings of the server, and data retention."},
	{"troubleshooting", "Solve common problems."},
	{"compatibility", "API differences from Honeybadger."},
}

// readChapters renders all chapters. A chapter without text is skipped; a test detects that.
func readChapters(frame *web.Pages) (chapters []chapter) {
	markdown := goldmark.New(goldmark.WithExtensions(extension.Linkify, extension.Strikethrough,
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	for _, entry := range order {
		source, err := docs.Files.ReadFile(entry.name + ".md")
		if err != nil {
			continue
		}
		if c, ok := newChapter(markdown, frame, source); ok {
			c.Name, c.About = entry.name, entry.about
			chapters = append(chapters, c)
		}
	}
	return chapters
}

// newChapter renders a chapter from a text, whose first line is the title.
func newChapter(markdown goldmark.Markdown, frame *web.Pages, source []byte) (c chapter, ok bool) {
	first, rest, _ := bytes.Cut(about.Named(source), []byte("\n"))
	var body bytes.Buffer
	if err := markdown.Convert(rest, &body); err != nil {
		return c, false
	}
	c.Title, c.takesKey = strings.TrimPrefix(string(first), "# "), bytes.Contains(rest, []byte(keyMark))
	text := toOthers.ReplaceAllString(body.String(), `href="/docs/$1$2"`)
	text = toFiles.ReplaceAllString(text, "$1")
	text = toPages.ReplaceAllString(text, `<a href="$1">$0</a>`)
	text = strings.ReplaceAll(text, `href="/`, `href="`+html.EscapeString(serve.Prefix(frame.BaseURL))+"/")
	text = pictures.ReplaceAllStringFunc(text, func(found string) string { return folded(frame, pictures.FindStringSubmatch(found)) })
	text = strings.NewReplacer("<pre>", `<pre tabindex="0">`, "<table>", `<div class="table" tabindex="0"><table>`, "</table>", "</table></div>", "<!-- raw HTML omitted -->", "").Replace(text)
	c.Body = template.HTML(text) //nolint:gosec // made of our own files, in which raw HTML is left out
	for _, m := range partHeading.FindAllStringSubmatch(text, -1) {
		c.Parts = append(c.Parts, part{m[1], template.HTML(m[2])}) //nolint:gosec // the same
	}
	return c, true
}

// partHeading matches the headings of a chapter.
var partHeading = regexp.MustCompile(`<h2 id="([^"]+)">(.*?)</h2>`)

// pictures matches pictures of chapters.
var pictures = regexp.MustCompile(`<p><img src="pictures/([a-z]+)-light\.png" alt="([^"]*)"></p>`)

// folded is a picture that a reader opens, in light or dark. Until then the browser does not get it, so that a chapter stays within its budget.
func folded(frame *web.Pages, found []string) string {
	name, says := found[1], found[2]
	return `<details><summary>Picture: ` + says + `</summary><picture><source media="(prefers-color-scheme: dark)" srcset="` + frame.Asset(name+"-dark.png") +
		`"><img class="picture" loading="lazy" alt="` + says + `" src="` + frame.Asset(name+"-light.png") + `"></picture></details>`
}

// toOthers matches links to files of other documents, as they work in the repository.
var toOthers = regexp.MustCompile(`href="([a-z-]+)\.md(#[^"]*)?"`)

// toFiles matches links to documents that are not in the manual.
var toFiles = regexp.MustCompile(`(?s)<a href="[^"#/:]+/[^":]*\.md(?:#[^"]*)?">(.*?)</a>`)

// toPages matches paths of pages of the server, which are not links in the repository.
var toPages = regexp.MustCompile(`<code>(/(?:docs|me|admin)(?:/[a-z-]+)?)</code>`)

// Placeholders for values that differ between readers.
const (
	addressMark = "SETT_ADDRESS"
	hostMark    = "SETT_HOST" // without port
	portMark    = "SETT_PORT"
	secureMark  = "SETT_SECURE"
	keyMark     = "SETT_KEY"
	projectMark = "SETT_PROJECT"
	dsnMark     = "SETT_DSN"
)

// examples is the values of the placeholders.
type examples struct {
	Address, Host, Port, Secure, Key string
	Project                          int64
}

// with returns the chapter with its examples filled in.
func (c chapter) with(e examples) chapter {
	if e.Key == "" {
		e.Key = "YOUR_API_KEY"
	}
	fill := strings.NewReplacer(addressMark, html.EscapeString(e.Address), hostMark, html.EscapeString(e.Host), portMark, html.EscapeString(e.Port), secureMark, e.Secure, keyMark, html.EscapeString(e.Key),
		projectMark, strconv.FormatInt(e.Project, 10), dsnMark, html.EscapeString(web.SentryDSN(e.Address, e.Key, e.Project)))
	c.Body = template.HTML(fill.Replace(string(c.Body))) //nolint:gosec // what is filled in is escaped
	return c
}
