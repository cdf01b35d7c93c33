package events

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/insight"
	"sett/internal/web"
)

// The bounds of an export.
const (
	eventsOfExport  = 20_000
	columnsOfExport = 100
	rowsAtOnce      = 200
)

// export returns the events of a search, or the rows of a query, as a file.
func (p *pages) export(r *http.Request) (web.Export, error) {
	now := p.NowFor(r)
	a := askedOf(r, now)
	if a.problem != nil {
		return web.Export{}, a.problem
	}
	plan := a.plan(now, eventsOfExport)
	plan.Step = 0
	found, err := p.Insights.Query(r.Context(), p.Now(), time.Now().Add(p.Insights.QueryTime), web.Project(r), plan)
	if err != nil {
		return web.Export{}, err
	}
	if a.Question.Lists() {
		file := fileOfEvents(found.Events)
		file.Name, file.Note = "insights", noteOf(found, found.Total, len(found.Events))
		return file, nil
	}
	answer := a.Question.Statement.Answer(found, now.Location())
	file := fileOfAnswer(answer)
	file.Name, file.Note = "insights", noteOf(found, answer.Total, len(answer.Rows))
	return file, nil
}

// noteOf says why the file of a result does not have all; "" if it does.
func noteOf(found insight.Result, total int64, rows int) string {
	switch {
	case found.Since > 0:
		return "This file is incomplete: the search ran out of time. It has searched all events since " + time.UnixMicro(found.Since).UTC().Format(time.RFC3339) + "."
	case found.Unread > 0:
		return "This file is incomplete: some stored events are damaged."
	case found.Dropped:
		return "This file is incomplete: the query has too many groups, or its events are too large."
	case total > int64(rows):
		return fmt.Sprintf("This file has the first %d of %d rows. Choose a shorter period to export the others.", rows, total)
	}
	return ""
}

// fileOfEvents has a column for each of the most frequent keys. Other fields are an object in the last column.
func fileOfEvents(events []insight.Event) web.Export {
	keys := columnsOf(events)
	file := web.Export{Columns: slices.Concat([]string{timeColumn, insight.KeyType}, keys, []string{othersColumn})}
	file.Read = inPages(len(events), func(i int) []any {
		row := make([]any, len(file.Columns))
		row[0] = events[i].Time()
		others := map[string]json.RawMessage{}
		for _, f := range events[i].Fields {
			at, ok := slices.BinarySearch(keys, f.Key)
			switch {
			case f.Key == insight.KeyType:
				row[1] = cellOfFile(insight.ReadValue(f.Value))
			case ok:
				row[2+at] = cellOfFile(insight.ReadValue(f.Value))
			default:
				others[f.Key] = json.RawMessage(f.Value)
			}
		}
		if text, err := json.Marshal(others); err == nil && len(others) > 0 {
			row[len(row)-1] = json.RawMessage(text)
		}
		return row
	})
	return file
}

// The columns that a file of events has whatever the keys are.
const (
	timeColumn   = "time"
	othersColumn = "other_fields"
)

// columnsOf returns the keys that most events have, in their order.
func columnsOf(events []insight.Event) []string {
	counts := map[string]int{}
	for _, e := range events {
		for _, f := range e.Fields {
			counts[f.Key]++
		}
	}
	for _, own := range []string{timeColumn, insight.KeyType, othersColumn} {
		delete(counts, own)
	}
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	keys = keys[:min(len(keys), columnsOfExport)]
	slices.Sort(keys)
	return keys
}

// fileOfAnswer has the columns of a query.
func fileOfAnswer(a insight.Answer) (file web.Export) {
	for _, c := range a.Columns {
		file.Columns = append(file.Columns, c.Name)
	}
	file.Read = inPages(len(a.Rows), func(i int) (row []any) {
		for _, v := range a.Rows[i].Values() {
			row = append(row, cellOfFile(v))
		}
		return row
	})
	return file
}

// inPages returns rows page by page, so that they are not in memory at once.
func inPages(n int, row func(i int) []any) func(sett.Page) ([][]any, string, error) {
	return func(page sett.Page) (rows [][]any, next string, err error) {
		from, _ := strconv.Atoi(page.Mark)
		end := min(n, from+rowsAtOnce)
		for i := from; i < end; i++ {
			rows = append(rows, row(i))
		}
		if end < n {
			next = strconv.Itoa(end)
		}
		return rows, next, nil
	}
}

// cellOfFile returns a value for a file: a text, a time, JSON of what is neither, or nil.
func cellOfFile(v insight.Value) any {
	switch v.Kind {
	case insight.Moment:
		return time.UnixMicro(int64(v.Num)).UTC()
	case insight.Absent:
		return nil
	case insight.Text:
		return v.Text
	}
	return json.RawMessage(v.Text)
}
