package events

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett/insight"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// rowsOfPage is how many rows of a table a page shows, unless its address asks for all.
const rowsOfPage = 100

// head is the head of a column. Its link sorts by it.
type head struct {
	Name, Sort string
	Number     bool
	Order      string // ascending or descending, if the table is sorted by it
}

// tableRow is a row.
type tableRow struct {
	Cells []cell
	Bar   draw.Spark
}

// cell is a value. Its link leads to the events that have it.
type cell struct {
	Text, Path string
	When       *web.Moment
	Number     bool
}

func (v *result) fillTable(s web.Shell, a asked, answer insight.Answer, plan insight.Plan) {
	for _, c := range answer.Columns {
		v.Columns = append(v.Columns, headOf(a, c))
	}
	most, of := 0.0, -1
	if v.Bars {
		of = barred(a, answer)
		for _, row := range answer.Rows {
			most = max(most, row.Values()[of].Num)
		}
	}
	for n, row := range answer.Rows {
		if n == rowsOfPage && !a.All {
			v.More = int64(len(answer.Rows))
			break
		}
		next := tableRow{}
		for i, value := range row.Values() {
			next.Cells = append(next.Cells, cellOf(s, answer.Columns[i], value))
		}
		a.link(s, next.Cells, answer.Columns, row.Values(), plan)
		if of >= 0 {
			next.Bar = bar(row.Values()[of].Num, most)
		}
		v.Table = append(v.Table, next)
	}
}

// barred returns the column that bars are of: the number that rows are sorted by, or the first one.
func barred(a asked, answer insight.Answer) int {
	numbers := insight.ShapeOf(answer).Numbers
	by, _ := a.Question.Statement.Sorted()
	for _, i := range numbers {
		if answer.Columns[i].Name == by {
			return i
		}
	}
	return numbers[0]
}

func headOf(a asked, c insight.AnswerColumn) head {
	h := head{Name: c.Name, Number: c.Type == "integer" || c.Type == "float"}
	if c.Type == "json" {
		return h
	}
	by, desc := a.Question.Statement.Sorted()
	sorted := by == c.Name || by == a.Question.Statement.Key(c.Name)
	if sorted {
		h.Order = map[bool]string{true: "descending", false: "ascending"}[desc]
	}
	if q := a.Question.Statement.SortedBy(c, !(sorted && desc)); q != "" {
		h.Sort = a.query(q)
	}
	return h
}

func cellOf(s web.Shell, c insight.AnswerColumn, v insight.Value) cell {
	switch v.Kind {
	case insight.Moment:
		when := s.Moment(time.UnixMicro(int64(v.Num)))
		return cell{Text: v.Text, When: &when}
	case insight.Absent:
		if c.Result {
			return cell{Text: "–", Number: true}
		}
		return cell{Text: none}
	case insight.Number:
		if c.Result {
			return cell{Text: shownNumber(v.Num), Number: true}
		}
		return cell{Text: v.Text, Number: true}
	}
	return cell{Text: v.Text}
}

// link links cells to the events of their group, or to those that have the value of the cell.
func (a asked) link(s web.Shell, cells []cell, columns []insight.AnswerColumn, values []insight.Value, plan insight.Plan) {
	statement, path := a.Question.Statement, pathIn(s.Nav.Project.ID)
	var all []insight.Is
	there := a.viewed("")
	for i, c := range columns {
		by, grouped := statement.By(c.Name)
		switch {
		case !grouped:
			if key := statement.Key(c.Name); !a.Question.Counts() && !strings.HasPrefix(key, "@") {
				if q := statement.Narrow(insight.Is{Key: key, Value: values[i]}); q != "" {
					cells[i].Path = path + a.query(q)
				}
			}
		case by.Step == 0:
			all = append(all, insight.Is{Key: by.Key, Value: values[i]})
		default:
			from, length := time.UnixMicro(int64(values[i].Num)), stepIn(plan, by.Name)
			there = there.in(from, from.Add(length))
		}
	}
	if !a.Question.Counts() || len(statement.Ungrouped(columns)) > 0 {
		return
	}
	q := statement.Narrow(all...)
	if q == "" && len(all) > 0 {
		return
	}
	for i, c := range columns {
		if _, grouped := statement.By(c.Name); grouped {
			cells[i].Path = path + there.query(q)
		}
	}
}

// stepIn returns the step of a column of times.
func stepIn(plan insight.Plan, column string) time.Duration {
	for _, b := range plan.Stat.By {
		if b.Name == column {
			return time.Duration(b.Step) * time.Microsecond
		}
	}
	return 0
}

const barWidth = 120

// bar returns a horizontal bar.
func bar(n, most float64) draw.Spark {
	if n <= 0 || most <= 0 {
		return draw.Spark{Width: barWidth, Height: 12, Text: "0% of the highest"}
	}
	return draw.Spark{Width: barWidth, Height: 12, Bars: fmt.Sprintf("M0 1h%dv10H0z", max(1, int(n*barWidth/most))), Text: fmt.Sprintf("%d%% of the highest", int(n*100/most))}
}

// shownNumber returns a number with at most three digits after the point.
func shownNumber(n float64) string {
	const mostExact = 1e6 // from which on a fraction does not matter
	switch {
	case n == float64(int64(n)), n > mostExact && n < 1e15:
		return web.Number(int64(n))
	case n != 0 && n < 0.001 && n > -0.001, n >= 1e15, n <= -1e15:
		return strconv.FormatFloat(n, 'g', 4, 64)
	}
	whole, rest, _ := strings.Cut(strconv.FormatFloat(n, 'f', 3, 64), ".")
	if digits, err := strconv.ParseInt(whole, 10, 64); err == nil && digits != 0 {
		whole = web.Number(digits)
	}
	return strings.TrimRight(whole+"."+strings.TrimRight(rest, "0"), ".")
}
