package client

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the fields of the commands into their chapter")

// The chapter lists the fields of each noun.
func TestFieldsAreInTheirChapter(t *testing.T) {
	t.Parallel()
	const chapter, begin, end = "../../../docs/command-line.md", "<!-- fields -->\n", "<!-- end of fields -->"
	text, err := os.ReadFile(chapter)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), begin)
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatal("the chapter has no place for the fields")
	}
	var b strings.Builder
	for _, n := range Nouns() {
		fmt.Fprintf(&b, "### sett %s\n\n| field | meaning |\n|---|---|\n", n.Name)
		for _, c := range n.Columns {
			fmt.Fprintf(&b, "| `%s` | %s |\n", c.Name, c.Doc)
		}
		b.WriteString("\n")
	}
	want := before + begin + "\n" + b.String() + end + after
	switch {
	case string(text) == want:
	case *update:
		if err := os.WriteFile(chapter, []byte(want), 0o644); err != nil { //nolint:gosec // a document
			t.Fatal(err)
		}
	default:
		t.Error("the fields of the chapter differ; run: go test ./internal/app/client -run Fields -update")
	}
}
