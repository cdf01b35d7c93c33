package web

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sett/internal/base/cell"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// Export is a list as a file, with the filter of its page.
type Export struct {
	Name    string // of the file, without its ending
	Columns []string
	Size    int    // rows that are read at a time; 0 for 200
	Note    string // why the file does not have the whole list; "" if it has
	// Read returns a page of the list as rows, and the mark of the next page; "" if it is the last one. Cells are texts, whole numbers,
	// shares, booleans, times, lists of texts, or JSON that is no text.
	Read func(p sett.Page) (rows [][]any, next string, err error)
}

// The bounds of an export: rows that are read at a time unless a list says otherwise, and rows of a file.
const (
	exportedAtOnce = 200
	mostExported   = 20_000
)

// Exports returns the routes of a list as CSV and as JSON: its path with .csv and .json. open returns the list for a request.
func (p *Pages) Exports(path, name string, permission accounts.Permission, open func(r *http.Request) (Export, error), doc string) []serve.Route {
	var routes []serve.Route
	for _, format := range []struct{ ending, media, says string }{{"CSV", "text/csv", " as CSV."}, {"JSON", "application/json", " as JSON."}} {
		route := Get(path+"."+strings.ToLower(format.ending), name+format.ending, permission, func(w http.ResponseWriter, r *http.Request) error {
			e, err := open(r)
			if err != nil {
				return err
			}
			return p.send(w, r, e, format.ending == "JSON")
		}, doc+format.says)
		route.Media = format.media
		routes = append(routes, route)
	}
	return routes
}

// ExportPath returns the address of the export of the list at path for a request, with the filter of the page and without an ending:
// the template adds it.
func (p *Pages) ExportPath(r *http.Request, path string) ExportLinks {
	query := r.URL.Query()
	for _, name := range []string{"page", "back", "done"} {
		query.Del(name)
	}
	link := func(ending string) string {
		return p.root + (&url.URL{Path: path + ending, RawQuery: query.Encode()}).String()
	}
	return ExportLinks{link(".csv"), link(".json")}
}

// ExportLinks are the addresses of a list as a file; "" for none.
type ExportLinks struct{ CSV, JSON string }

// send writes the list page by page, so that memory holds one page however long the list is. The first page is read before anything is
// sent: what is wrong with the filter is an error of the request. A file that ends early says so in its last row or member.
func (p *Pages) send(w http.ResponseWriter, r *http.Request, e Export, asJSON bool) error {
	at := sett.Page{Size: e.Size}
	if at.Size == 0 {
		at.Size = exportedAtOnce
	}
	rows, next, err := e.Read(at)
	if err != nil {
		return err
	}
	out := newTable(w, e, asJSON)
	for sent := 0; ; {
		rows = rows[:min(len(rows), mostExported-sent)]
		out.add(rows)
		sent += len(rows)
		if next == "" || out.err != nil {
			return out.end(e.Note)
		}
		if sent >= mostExported {
			return out.end(fmt.Sprintf("This file ends after %d rows. Narrow the filter to export the others.", mostExported))
		}
		at.Mark = next
		if rows, next, err = e.Read(at); err != nil {
			p.Log.Error("an export ended early, and its file is incomplete", "list", e.Name, "error", err, "request_id", serve.RequestID(r.Context()),
				"hint", "check the database with: sett doctor")
			return out.end("This file is incomplete, because the server could not read the rest of the list. Try again.")
		}
	}
}

// table writes rows as CSV or JSON.
type table struct {
	to      io.Writer
	csv     *csv.Writer // nil for JSON
	columns []string
	rows    int
	err     error // the first one; the reader is gone
}

func newTable(w http.ResponseWriter, e Export, asJSON bool) *table {
	h, t := w.Header(), &table{to: w, columns: e.Columns}
	ending := ".csv"
	h.Set("Content-Type", "text/csv; charset=utf-8")
	if asJSON {
		ending = ".json"
		h.Set("Content-Type", "application/json")
	}
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s%s"`, e.Name, ending))
	h.Set("Cache-Control", "no-store")
	if asJSON {
		t.write([]byte(`{"results":[`))
		return t
	}
	t.csv = csv.NewWriter(w)
	head := make([]any, len(e.Columns)) // which clients may have named
	for i, name := range e.Columns {
		head[i] = name
	}
	t.addLine(head)
	return t
}

func (t *table) write(data []byte) {
	if t.err == nil {
		_, t.err = t.to.Write(data)
	}
}

func (t *table) add(rows [][]any) {
	for _, row := range rows {
		if t.csv != nil {
			t.addLine(row)
		} else {
			t.addObject(row)
		}
		t.rows++
	}
}

func (t *table) addLine(row []any) {
	line := make([]string, len(row))
	for i, value := range row {
		line[i] = cell.Text(value)
	}
	if t.err == nil {
		t.err = t.csv.Write(line)
	}
}

// addObject writes a row as an object whose members are in the order of the columns.
func (t *table) addObject(row []any) {
	separator := "\n{"
	if t.rows > 0 {
		separator = ",\n{"
	}
	for i, value := range row {
		name, err := json.Marshal(t.columns[i])
		shown, failed := json.Marshal(cell.Value(value))
		if err := errors.Join(err, failed); err != nil {
			t.err = errors.Join(t.err, err)
			return
		}
		t.write(slices.Concat([]byte(separator), name, []byte(":"), shown))
		separator = ","
	}
	t.write([]byte("}"))
}

// end completes the file, with a note why it ends early. That the reader is gone is no error of the server.
func (t *table) end(note string) error {
	if t.csv == nil {
		tail := "\n]"
		if note != "" {
			tail += `,"note":` + strconv.Quote(note) // which is plain ASCII
		}
		t.write([]byte(tail + "}\n"))
		return nil
	}
	if note != "" && t.err == nil {
		t.err = t.csv.Write(append([]string{note}, make([]string, len(t.columns)-1)...))
	}
	t.csv.Flush()
	return nil
}
