package fault

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sett/internal/event/payload"
	"sett/internal/sett/faults"
	"sett/internal/web"
)

// exportOf parses the last path segment of an export, such as 42.md: the ID of the fault and the format.
func exportOf(segment string) (id int64, format string, ok bool) {
	name, format, ok := strings.Cut(segment, ".")
	if !ok || format != "md" && format != "txt" && format != "json" {
		return 0, "", false
	}
	id, err := strconv.ParseInt(name, 10, 64)
	return id, format, err == nil && id > 0
}

// faultOrExport answers with the page of a fault, or with an export of it.
func (p *pages) faultOrExport(w http.ResponseWriter, r *http.Request) error {
	if id, format, ok := exportOf(r.PathValue("fault_id")); ok {
		return p.export(w, r, id, format)
	}
	return p.faultPage(w, r)
}

// export answers with an event of a fault as Markdown, text or JSON.
func (p *pages) export(w http.ResponseWriter, r *http.Request, id int64, format string) error {
	found, n, err := p.Faults.FaultWithNotice(r.Context(), web.Project(r), id, r.URL.Query().Get("notice"))
	if err != nil {
		return p.orMerged(w, r, err, id, "."+format)
	}
	address := p.BaseURL + faultAddress(found.ProjectID, found.ID)
	if format == "txt" {
		return sendFile(w, "text/plain; charset=utf-8", fmt.Sprintf("error-%d.txt", id), []byte(traceText(found, n)))
	}
	if format == "md" {
		if n != nil {
			original, err := p.unminified(r.Context(), *n)
			if err != nil {
				return err
			}
			n = &original
		}
		return sendFile(w, "text/markdown; charset=utf-8", fmt.Sprintf("error-%d.md", id), []byte(ticket(found, n, address)))
	}
	body, err := json.MarshalIndent(newExport(found, n, address), "", " ")
	if err != nil {
		return fmt.Errorf("write event as JSON: %w", err)
	}
	return sendFile(w, "application/json; charset=utf-8", fmt.Sprintf("error-%d.json", id), body)
}

// traceText returns the backtrace of an event, or class and message of the fault if the event is no longer stored.
func traceText(f faults.Fault, n *faults.Notice) string {
	if n == nil {
		return cut(f.Class, longestMethod) + ": " + cut(f.Message, 2000) + "\n"
	}
	return rawOf(n.Payload)
}

// sendFile answers with a file. Browsers never render its content as a page.
func sendFile(w http.ResponseWriter, kind, name string, body []byte) error {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", "inline; filename="+name)
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(body) // the reader is gone
	return nil
}

// exported is a fault with one event as JSON.
type exported struct {
	URL         string        `json:"url"`
	ID          int64         `json:"id"`
	Class       string        `json:"klass"`
	Message     string        `json:"message"`
	Environment string        `json:"environment"`
	Resolved    bool          `json:"resolved"`
	Ignored     bool          `json:"ignored"`
	Tags        []string      `json:"tags"`
	Count       int64         `json:"notices_count"`
	FirstSeen   string        `json:"created_at"`
	LastSeen    string        `json:"last_notice_at"`
	Notice      *exportedNote `json:"notice"`
}

// exportedNote is the event.
type exportedNote struct {
	ID        string `json:"id"`
	CreatedAt string `json:"created_at"`
	payload.Payload
}

const exportTime = "2006-01-02T15:04:05.000Z07:00"

func newExport(f faults.Fault, n *faults.Notice, address string) exported {
	e := exported{
		URL: address, ID: f.ID, Class: f.Class, Message: f.Message, Environment: f.Environment, Resolved: f.Resolved, Ignored: f.Ignored, Tags: f.Tags,
		Count: f.NoticesCount, FirstSeen: f.CreatedAt.Format(exportTime), LastSeen: f.LastNoticeAt.Format(exportTime),
	}
	if n != nil {
		e.Notice = &exportedNote{n.ID.String(), n.CreatedAt().Format(exportTime), n.Payload}
	}
	return e
}

// ticket formats a fault and one of its events as Markdown, short enough for an issue or a language model.
func ticket(f faults.Fault, n *faults.Notice, address string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", plainly(orWord(f.Class, "Error"), 200), fenced(cut(f.Message, 2000)))
	fact := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "- %s: %s\n", name, coded(text))
		}
	}
	fact("Page", address)
	fact("Environment", f.Environment)
	fact("Where", strings.Trim(f.Component+"#"+f.Action, "#"))
	fact("First seen", f.CreatedAt.Format(exportTime))
	fact("Last seen", f.LastNoticeAt.Format(exportTime))
	fact("Events", web.Number(f.NoticesCount))
	fact("Tags", strings.Join(f.Tags, ", "))
	if n == nil {
		return b.String()
	}
	fact("Revision", n.Environment.Revision)
	fact("Host", n.Environment.Hostname)
	fact("URL", n.Request.URL)
	known := n.Payload.Facts()
	fact("Level", known.Level)
	for _, f := range factsOf(*n, known) {
		fact(f.Label, f.Text)
	}
	fact("Trace", known.Trace)
	fmt.Fprintf(&b, "\n## Backtrace\n\n%s\n", fenced(strings.TrimRight(rawOf(n.Payload), "\n")))
	writeSource(&b, n.Backtrace)
	for _, s := range sectionsOf(*n, known) {
		if slices.Contains([]string{"tags", "user", "context", "params"}, s.ID) {
			fmt.Fprintf(&b, "\n## %s\n\n", s.Title)
			for _, v := range s.Values {
				fact(plainly(v.Name, 80), orWord(v.Long, v.Text))
			}
		}
	}
	return b.String()
}

// writeSource writes the source of the first application frame that has any.
func writeSource(b *strings.Builder, frames []payload.Frame) {
	for _, f := range frames {
		lines := sourceOf(f)
		if f.Context != "app" || len(lines) == 0 {
			continue
		}
		var text []string
		for _, l := range lines {
			mark := "  "
			if l.Fault {
				mark = "> "
			}
			text = append(text, mark+l.Number+"  "+l.Text)
		}
		fmt.Fprintf(b, "\n## Source of %s\n\n%s\n", coded(tracer{}.frame(f).Place), fenced(strings.Join(text, "\n")))
		return
	}
}

// oneLine returns a text as one line.
func oneLine(text string, most int) string {
	return cut(strings.Join(strings.Fields(cut(text, 4*most)), " "), most)
}

// plainly formats a text within a line so that it stays plain text: as code if it could be read as Markdown or HTML.
func plainly(text string, most int) string {
	text = oneLine(text, most)
	other := func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune(" .:,-_()'/$?", c)
	}
	if strings.ContainsFunc(text, other) || strings.Contains(text, "__") || strings.Contains(text, "://") || strings.Contains(text, "www.") || strings.HasPrefix(text, "_") {
		return coded(text)
	}
	return text
}

// coded formats any text as inline code.
func coded(text string) string {
	text = oneLine(text, 500)
	if !strings.Contains(text, "`") {
		return "`" + text + "`"
	}
	ticks := strings.Repeat("`", longestTicks(text)+1)
	return ticks + " " + text + " " + ticks
}

// fenced formats a text as a code block that the text itself cannot close.
func fenced(text string) string {
	fence := strings.Repeat("`", max(3, longestTicks(text)+1))
	return fence + "\n" + text + "\n" + fence
}

// longestTicks returns the length of the longest run of backticks.
func longestTicks(text string) (most int) {
	run := 0
	for _, c := range text {
		if run++; c != '`' {
			run = 0
		}
		most = max(most, run)
	}
	return most
}
