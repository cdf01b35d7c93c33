package fault_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
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
	o := open(t)
	url := `{"project":{"name":"Shop","source_url":"https://git.test/[sha]/[file]#L[line]","user_url":"https://admin.test/?u=[user_id]"}}`
	o.Put(fmt.Sprintf("/v2/projects/%d", o.Setup.ProjectID), url).Want(204)
	for name, text := range hostile {
		answer := o.Post("/v1/notices", noticeOf(t, text, map[string]any{"user_id": text, "user": map[string]any{"email": text}, text[:min(len(text), 1000)]: []any{text}}))
		if answer.Status == 413 { // more than a client may send
			answer = o.Post("/v1/notices", `{"error":{"class":"Huge","message":`+quoted(text)+`}}`)
		}
		answer.Want(201)
		for _, page := range []string{o.list() + "?q=", o.newest() + "?trace=all", o.newest() + "?trace=app", o.newest() + "?trace=raw", o.newest() + "/notices", o.newest() + "/users"} {
			got := o.member.Get(page).Want(200)
			got.CheckPage()
			lacks(t, got.Body, "<script>alert", "<img src=x", "<svg/onload", `href="javascript:`, `href="data:text`, `" onmouseover`, `"onmouseover="x"`, `@evil.test/"`, "<b>text")
			if len(got.Body) > 400_000 {
				t.Errorf("%s: %s has %d bytes", name, page, len(got.Body))
			}
		}
		md := o.member.Get(o.newest() + ".md").Want(200)
		if policy := md.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "sandbox") {
			t.Errorf("the policy of Markdown is %q", policy)
		}
		o.member.Get(o.newest() + ".json").Want(200)
		o.member.Get(o.list() + ".csv?q=").Want(200)
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
		got.CheckPage()
		if len(got.Body) > 200_000 {
			t.Errorf("%d levels take %d bytes", depth, len(got.Body))
		}
	}
}
