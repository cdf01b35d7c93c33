package insight

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of the manual")

const chapterFile = "../../../docs/badgerql.md"

// exampleEvents have all fields that the examples of the manual name.
func exampleEvents() (events []Event) {
	for i, e := range sample()[:4] {
		e.Fields = append(e.Fields, TextField("request_id", fmt.Sprintf("r%d", i)), TextField("user.id", fmt.Sprintf("u%d", i%2)), NumberField("amount", float64(i)*2.5),
			TextField("url", fmt.Sprintf("https://shop.example.org/orders?page=%d", i)), Field{"tags", `["slow","night"]`}, TextField("body", `{"user":{"id":7}}`))
		if i < 2 {
			e.Fields = append(e.Fields, TextField("user.plan", "gold"))
		}
		events = append(events, e)
	}
	return events
}

// rowOf is a row of a table of the chapter.
func rowOf(usage, about, example string) string {
	pipes := strings.NewReplacer("|", `\|`)
	return fmt.Sprintf("| `%s` | %s | `%s` |\n", pipes.Replace(usage), about, pipes.Replace(example))
}

// chapterTables are the tables of the chapter, by their headings.
func chapterTables() map[string]string {
	tables := map[string]string{"Clauses": "| clause | does | example |\n|---|---|---|\n"}
	for _, c := range clauses() {
		tables["Clauses"] += rowOf(c.usage, c.about, c.example)
	}
	for _, f := range functions() {
		if tables[f.kind] == "" {
			tables[f.kind] = "| function | is | example |\n|---|---|---|\n"
		}
		tables[f.kind] += rowOf(f.usage, f.about, f.example)
	}
	fields := "| field | is |\n|---|---|\n"
	for _, name := range virtualNames() {
		fields += fmt.Sprintf("| `%s` | %s |\n", name, virtualFields[name].about)
	}
	tables["Fields of every event"] = fields
	return tables
}

var tableOf = `(?s)(\n## %s\n.*?\n)\|.*?\n(?:\n|\z)`

// The chapter has each clause, function and field of the language, and no other.
func TestChapterHasTheLanguage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(chapterFile)
	if err != nil {
		t.Fatal(err)
	}
	chapter := string(text)
	for heading, table := range chapterTables() {
		place := regexp.MustCompile(fmt.Sprintf(tableOf, regexp.QuoteMeta(heading)))
		found := place.FindStringSubmatch(chapter)
		if found == nil {
			t.Errorf("the chapter has no table below %q", heading)
			continue
		}
		if !strings.Contains(found[0], table) && *update {
			chapter = strings.Replace(chapter, found[0], found[1]+table+"\n", 1)
		} else if !strings.HasSuffix(strings.TrimRight(found[0], "\n"), strings.TrimRight(table, "\n")) {
			t.Errorf("the table below %q is another one than that of the language; go test ./internal/sett/insight -run Chapter -update writes it", heading)
		}
	}
	if *update {
		if err := os.WriteFile(chapterFile, []byte(strings.TrimRight(chapter, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var chapterExample = regexp.MustCompile("(?m)^\\| `.*` \\| .* \\| `([^`]*?[^\\\\])` \\|$")

// Every example of the chapter is answered, with a value in each column.
func TestExamplesOfTheChapter(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(chapterFile)
	if err != nil {
		t.Fatal(err)
	}
	examples := chapterExample.FindAllStringSubmatch(string(text), -1)
	if len(examples) < len(clauses())+len(functions()) {
		t.Errorf("the chapter has %d examples", len(examples))
	}
	for _, m := range examples {
		query := strings.ReplaceAll(m[1], `\|`, "|")
		var rows []map[string]any
		if err := json.Unmarshal([]byte(answerOf(t, query, exampleEvents())), &rows); err != nil || len(rows) == 0 {
			t.Errorf("%s: no rows, %v", query, err)
			continue
		}
		for column := range rows[0] {
			if !slices.ContainsFunc(rows, func(row map[string]any) bool { return row[column] != nil && row[column] != "" }) {
				t.Errorf("%s: nothing in the column %s: %v", query, column, rows)
			}
		}
	}
}
