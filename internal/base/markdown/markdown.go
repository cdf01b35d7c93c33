// Package markdown converts Markdown to HTML. It takes a text that people wrote, which may be hostile, and returns HTML that is safe to show on
// any page. It never returns anything that runs or that loads something from elsewhere: HTML in the text is dropped, and so are images.
// Links to the web stay, with rel="nofollow noreferrer".
package markdown

import (
	"bytes"
	"html/template"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Comment converts a text without headings: of those only the words stay.
func Comment(text string) template.HTML { return comments.convert(text) }

// Article converts a text whose headings are below one of the second level.
func Article(text string) template.HTML { return articles.convert(text) }

// converter converts texts to HTML, of which a policy keeps a part in any case.
type converter struct {
	writer  goldmark.Markdown
	allowed *bluemonday.Policy
}

var (
	comments = converter{newWriter(), newPolicy()}
	articles = converter{newWriter(goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(lower{}, 1)))), newPolicy("h3", "h4", "h5", "h6", "hr")}
)

func newWriter(options ...goldmark.Option) goldmark.Markdown {
	return goldmark.New(append(options, goldmark.WithExtensions(extension.Linkify, extension.Strikethrough, extension.Table))...)
}

// newPolicy allows structured text, and links to the web.
func newPolicy(more ...string) *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "strong", "em", "del", "code", "pre", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowElements(more...)
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(false)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	return p
}

func (c converter) convert(text string) template.HTML {
	var b bytes.Buffer
	if c.writer.Convert([]byte(text), &b) != nil {
		return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // escaped
	}
	return template.HTML(c.allowed.SanitizeBytes(b.Bytes())) //nolint:gosec // sanitized
}

// lower moves headings below the second level. The highest that a text has is of the third, so that no level is left out.
type lower struct{}

// Transform implements parser.ASTTransformer.
func (lower) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	highest := 6
	var headings []*ast.Heading
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // no visit fails
		if h, ok := n.(*ast.Heading); ok && entering {
			headings, highest = append(headings, h), min(highest, h.Level)
		}
		return ast.WalkContinue, nil
	})
	before := 2
	for _, h := range headings {
		h.Level = min(h.Level-highest+3, before+1, 6)
		before = h.Level
	}
}
