package manual_test

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"sett/internal/sett/insight"
	"sett/internal/setttest"
)

const instructions = "/resources/llms/instructions/"

// fetch reads a text as programs of agents do.
func fetch(t testing.TB, s *setttest.Server, file, tag string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.App.BaseURL()+instructions+file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if tag != "" {
		r.Header.Set("If-None-Match", tag)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

// Where queries are in these texts: the last cell of a table, a block without a language, a member of JSON, and what an option or a search has.
var (
	queryCells  = regexp.MustCompile("(?m)\\| `([^`\n]+)` \\|$")
	queryBlocks = regexp.MustCompile("(?s)\n```\n(.+?)\n```")
	queryTexts  = regexp.MustCompile(`"query": ("(?:[^"\\]|\\.)*")`)
	queryFlags  = regexp.MustCompile(`--query '([^']+)'`)
	queryFirst  = regexp.MustCompile("(?m)^\\| `((?:filter|stats|fields|[a-z_]+:\\S+ \\\\\\| stats)[^`\n]*)` \\|")
)

// queriesIn lists the queries in a text.
func queriesIn(t testing.TB, name, text string) (all []string) {
	t.Helper()
	found := func(pattern *regexp.Regexp) {
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			all = append(all, strings.ReplaceAll(m[1], `\|`, "|"))
		}
	}
	if name == "badgerql" {
		found(queryCells)
	}
	if name == "badgerql" || name == "queries" {
		found(queryBlocks)
	}
	if name == "queries" {
		found(queryFirst)
	}
	found(queryFlags)
	for _, m := range queryTexts.FindAllStringSubmatch(text, -1) {
		var query string
		if err := json.Unmarshal([]byte(m[1]), &query); err != nil {
			t.Errorf("%s: %s: %v", name, m[1], err)
		}
		all = append(all, query)
	}
	return all
}

// Agents get what the manual says, and every query in it can be asked.
func TestInstructionsOfAgents(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	answer, body := fetch(t, s, "index.json", "")
	if got := answer.Header.Get("Cache-Control"); answer.StatusCode != http.StatusOK || got != "public, max-age=300" || answer.Header.Get("Set-Cookie") != "" {
		t.Errorf("the index is answered with %d, %q and cookies %q", answer.StatusCode, got, answer.Header.Get("Set-Cookie"))
	}
	var index struct {
		Instructions []struct {
			Name, Title, Description string
			Tokens                   int `json:"approx_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(body), &index); err != nil {
		t.Fatal(err)
	}
	var names []string
	queries := 0
	for _, topic := range index.Instructions {
		names = append(names, topic.Name)
		answer, text := fetch(t, s, topic.Name+".txt", "")
		if answer.StatusCode != http.StatusOK || topic.Title == "" || topic.Description == "" || topic.Tokens < 100 || !strings.HasPrefix(text, "# "+topic.Title) {
			t.Errorf("%s is answered with %d: %.80q", topic.Name, answer.StatusCode, text)
		}
		if left := regexp.MustCompile(`SETT_[A-Z]+[^A-Z_=]|\.md\b|!\[|` + regexp.QuoteMeta(s.Setup.APIKey)).FindString(text); left != "" && left != "SETT_SERVER=" {
			t.Errorf("%s still says %q", topic.Name, left)
		}
		if again, _ := fetch(t, s, topic.Name+".txt", answer.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s is sent again with %d", topic.Name, again.StatusCode)
		}
		for _, query := range queriesIn(t, topic.Name, text) {
			queries++
			if _, err := insight.ParseStatement(query); err != nil {
				t.Errorf("%s has a query that cannot be asked: %s: %v", topic.Name, query, err)
			}
		}
	}
	if got := strings.Join(names, " "); got != "badgerql queries charts dashboards alarms errors checkins" {
		t.Errorf("the topics are %s", got)
	}
	if queries < 80 {
		t.Errorf("only %d queries are found", queries)
	}
	if answer, _ := fetch(t, s, "nothing.txt", ""); answer.StatusCode != http.StatusNotFound {
		t.Errorf("what is not there is answered with %d", answer.StatusCode)
	}
}
