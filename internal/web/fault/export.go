package fault

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"sett/internal/api/brief"
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
	w.Header().Add("Vary", "Accept")
	if wantsMarkdown(r) {
		return p.briefly(w, r, web.PathID(r, "fault_id"), r.URL.Query().Get("notice"))
	}
	return p.faultPage(w, r)
}

// export answers with an event of a fault as Markdown, text or JSON.
func (p *pages) export(w http.ResponseWriter, r *http.Request, id int64, format string) error {
	if format == "md" {
		return p.briefly(w, r, id, r.URL.Query().Get("notice"))
	}
	found, n, err := p.Faults.FaultWithNotice(r.Context(), web.Project(r), id, r.URL.Query().Get("notice"))
	if err != nil {
		return p.orMerged(w, r, err, id, "."+format)
	}
	address := p.BaseURL + faultAddress(found.ProjectID, found.ID)
	if format == "txt" {
		return sendFile(w, "text/plain; charset=utf-8", fmt.Sprintf("error-%d.txt", id), []byte(traceText(found, n)))
	}
	body, err := json.MarshalIndent(newExport(found, n, address), "", " ")
	if err != nil {
		return fmt.Errorf("write event as JSON: %w", err)
	}
	return sendFile(w, "application/json; charset=utf-8", fmt.Sprintf("error-%d.json", id), body)
}

// wantsMarkdown reports whether a request names text/markdown, and not text/html before it, as agents do.
func wantsMarkdown(r *http.Request) bool {
	before, _, found := strings.Cut(strings.ToLower(r.Header.Get("Accept")), markdownType)
	return found && !strings.Contains(before, "text/html")
}

const markdownType = "text/markdown"

// briefly answers with an event of a fault as agents read it.
func (p *pages) briefly(w http.ResponseWriter, r *http.Request, id int64, notice string) error {
	reader := brief.Reader{Sheets: p.Sheets, Faults: p.Faults, Releases: p.Releases, Maps: p.Maps, BaseURL: p.BaseURL}
	b, err := reader.Read(r.Context(), p.NowFor(r), web.Who(r).User.ID, web.Project(r), id, notice)
	if err != nil {
		return p.orMerged(w, r, err, id, ".md")
	}
	return sendBrief(w, b)
}

func sendBrief(w http.ResponseWriter, b brief.Brief) error {
	return sendFile(w, markdownType+"; charset=utf-8", fmt.Sprintf("error-%d.md", b.Fault.ID), []byte(b.Text()))
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
