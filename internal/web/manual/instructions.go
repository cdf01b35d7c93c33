package manual

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"sett/docs"
	"sett/internal/base/about"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/web"
)

// instructionsPath is where programs that instruct agents look for texts: below the address that HONEYBADGER_INSTRUCTIONS_URL names.
const instructionsPath = "/resources/llms/instructions/"

// topic is a text for agents. It is made of parts of chapters, so that agents and people read the same.
type topic struct {
	name, title, about string
	parts              []chapterParts
}

// chapterParts are headings of a chapter, with what is below them; none: the whole chapter. "" is what is above the first heading.
type chapterParts struct {
	chapter  string
	headings []string
}

// topics have the names by which agents ask for them.
var topics = []topic{
	{"badgerql", "Query language", "Every clause, function and field of queries that this server has, with examples.", []chapterParts{{"badgerql", nil}}},
	{"queries", "Queries", "Where events come from, how to search and query them, periods, streams and limits.", []chapterParts{
		{"events", []string{"", "Search", "Queries", "Queries through the API", "Limits"}}, {"dashboards", []string{"Events that sett records"}},
	}},
	{"charts", "Charts", "Which result is drawn as which chart.", []chapterParts{{"events", []string{"Ask on the page"}}}},
	{"dashboards", "Dashboards", "Widgets, their fields, and how to write a dashboard.", []chapterParts{{"dashboards", []string{"", "Widgets", "Dashboards through the API"}}}},
	{"alarms", "Alarms", "Fields of alarms, when they are evaluated, and their states.", []chapterParts{{"alarms", nil}}},
	{"errors", "Errors", "What an error is, its states, and how to search for errors.", []chapterParts{
		{"concepts", []string{"How events become an error", "States of an error", "Assigning an error"}}, {"search", []string{"", "Keys", "Times"}},
	}},
	{"checkins", "Check-ins", "How jobs report, and when one is missed.", []chapterParts{{"check-ins", nil}}},
}

// instruction is a file for agents.
type instruction struct {
	media, tag   string
	text, packed []byte
}

// instructionIndex is index.json.
type instructionIndex struct {
	Instructions []indexedTopic `json:"instructions"`
}

type indexedTopic struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Tokens      int    `json:"approx_tokens"`
}

// bytesOfToken is how long a token is on average: clients show only an estimate.
const bytesOfToken = 4

// readInstructions makes all files for a server.
func readInstructions(frame *web.Pages) map[string]instruction {
	files, index := map[string]instruction{}, instructionIndex{}
	for _, t := range topics {
		text := t.text(frame)
		files[t.name+".txt"] = newInstruction("text/plain; charset=utf-8", []byte(text))
		index.Instructions = append(index.Instructions, indexedTopic{t.name, t.title, t.about, len(text) / bytesOfToken})
	}
	text, _ := json.Marshal(index) // texts and numbers
	files["index.json"] = newInstruction("application/json", text)
	return files
}

func newInstruction(media string, text []byte) instruction {
	sum := sha256.Sum256(text)
	return instruction{media, `W/"` + hex.EncodeToString(sum[:12]) + `"`, text, serve.Gzip(text)}
}

// text returns the parts of a topic, with the address of the server in its examples.
func (t topic) text(frame *web.Pages) string {
	var b strings.Builder
	b.WriteString("# " + t.title + "\n")
	for _, from := range t.parts {
		source, _ := docs.Files.ReadFile(from.chapter + ".md") // a test looks for every part
		for _, part := range partsOf(about.Named(source)) {
			if len(from.headings) == 0 || slices.Contains(from.headings, part.heading) {
				b.WriteString("\n" + strings.TrimSpace(part.text) + "\n")
			}
		}
	}
	text := pictureLine.ReplaceAllString(b.String(), "")
	text = chapterLink.ReplaceAllString(text, "]("+frame.BaseURL+"/docs/$1$2)")
	return strings.NewReplacer(addressMark, frame.ReportURL, keyMark, "YOUR_API_KEY", projectMark, "PROJECT_ID").Replace(text)
}

var (
	pictureLine = regexp.MustCompile(`(?m)^!\[.*\n+`)
	chapterLink = regexp.MustCompile(`\]\(([a-z-]+)\.md(#[a-z0-9-]*)?\)`)
)

// chapterPart is a part of a chapter: its heading, or "" above the first one, and its text with the heading.
type chapterPart struct{ heading, text string }

func partsOf(source []byte) (parts []chapterPart) {
	_, rest, _ := bytes.Cut(source, []byte("\n")) // without the title
	for i, text := range strings.Split(string(rest), "\n## ") {
		heading := ""
		if i > 0 {
			heading, _, _ = strings.Cut(text, "\n")
			text = "## " + text
		}
		parts = append(parts, chapterPart{strings.TrimSpace(heading), text})
	}
	return parts
}

func (p *pages) instructionsRoute() serve.Route {
	return serve.Route{
		Method: http.MethodGet, Path: instructionsPath + "{file}", Name: "instructions", Tag: "Pages", Permission: accounts.Public, Media: "text/plain", Status: http.StatusOK,
		Doc: "Parts of the manual for agents, as text: index.json lists them.", Handle: p.instruction,
	}
}

func (p *pages) instruction(w http.ResponseWriter, r *http.Request) error {
	file, there := p.instructions()[r.PathValue("file")]
	if !there {
		return sett.Errorf(sett.NotFound, "There is no such text. %sindex.json lists all.", instructionsPath)
	}
	w.Header().Set("Content-Type", file.media)
	w.Header().Set("Cache-Control", "public, max-age=300")
	w.Header().Set("ETag", file.tag)
	serve.ServePacked(w, r, file.text, file.packed)
	return nil
}
