package watch

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"sett/internal/sett/checks"
)

// Every event of a site has a sentence in the log; only that other locations are asked is not news.
func TestEventsOfSitesAreLoggedAsSentences(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "../../sett/checks/site_event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []checks.SiteEventKind
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if of, ok := spec.Type.(*ast.Ident); ok && of.Name == "SiteEventKind" {
			text, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			kinds = append(kinds, checks.SiteEventKind(text))
		}
		return true
	})
	if len(kinds) < 8 {
		t.Fatalf("only the events %q", kinds)
	}
	for _, kind := range kinds {
		var log bytes.Buffer
		logEvents(slog.New(slog.NewTextHandler(&log, nil)), []checks.SiteEvent{{Kind: kind, SiteName: "Shop"}})
		if silent := kind == checks.SiteAsked; silent != (log.Len() == 0) || !silent && !strings.Contains(log.String(), ` site `) {
			t.Errorf("%s is logged as %q", kind, &log)
		}
	}
}
