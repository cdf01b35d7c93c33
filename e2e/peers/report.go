package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// row is a line of the report: what it shows of the rounds of a product.
type row struct {
	title string
	show  func(rounds []figures) string
}

var rows = []row{
	{"body, bytes on average", middle(func(f figures) string { return count(float64(f.bodyBytes)) }, func(f figures) float64 { return float64(f.bodyBytes) })},
	{"accepted, events/s", middle(func(f figures) string { return count(f.accepted) }, func(f figures) float64 { return f.accepted })},
	{"stored, events/s", middle(func(f figures) string { return count(f.drained) }, func(f figures) float64 { return f.drained })},
	{"CPU for 10,000 events", middle(func(f figures) string { return fmt.Sprintf("%.1f s", f.cpu.Seconds()) }, func(f figures) float64 { return f.cpu.Seconds() })},
	{"memory, idle", middle(func(f figures) string { return megabytes(f.idle) }, func(f figures) float64 { return float64(f.idle) })},
	{"memory, peak", middle(func(f figures) string { return megabytes(f.peak) }, func(f figures) float64 { return float64(f.peak) })},
	{"disk, bytes an event", middle(func(f figures) string { return count(float64(f.disk)) }, func(f figures) float64 { return float64(f.disk) })},
	{"other processes, cores", middle(func(f figures) string { return fmt.Sprintf("%.1f", f.others) }, func(f figures) float64 { return f.others })},
	{"answers other than success", func(rounds []figures) string {
		return fmt.Sprint(total(rounds, func(f figures) int { return f.refused }))
	}},
	{"accepted before kill -9, of those missing", func(rounds []figures) string {
		return count(float64(total(rounds, func(f figures) int { return f.promised }))) + ", " + fmt.Sprint(total(rounds, func(f figures) int { return f.missing }))
	}},
	{"restart until nothing waits", middle(func(f figures) string { return f.recoverAfter.Round(100 * time.Millisecond).String() }, func(f figures) float64 { return f.recoverAfter.Seconds() })},
}

// summary is a round in one line.
func summary(f figures) string {
	parts := make([]string, len(rows))
	for i, r := range rows {
		parts[i] = r.title + ": " + r.show([]figures{f})
	}
	return strings.Join(parts, "; ")
}

// middle shows the median of the rounds.
func middle(show func(figures) string, by func(figures) float64) func([]figures) string {
	return func(rounds []figures) string {
		sorted := slices.SortedFunc(slices.Values(rounds), func(a, b figures) int { return cmp.Compare(by(a), by(b)) })
		return show(sorted[len(sorted)/2])
	}
}

func total(rounds []figures, of func(figures) int) (sum int) {
	for _, f := range rounds {
		sum += of(f)
	}
	return sum
}

// count writes a number with commas.
func count(n float64) string {
	text := fmt.Sprintf("%.0f", n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", n>>20) }

// printTable prints the figures of products, each a column.
func printTable(w io.Writer, names []string, of map[string][]figures) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\t%s\t\n", strings.Join(names, "\t"))
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t", r.title)
		for _, name := range names {
			fmt.Fprintf(t, "%s\t", r.show(of[name]))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// markdown writes the same as a table of a Markdown document.
func markdown(w io.Writer, names []string, of map[string][]figures) {
	fmt.Fprintf(w, "| | %s |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	for _, r := range rows {
		fmt.Fprintf(w, "| %s |", r.title)
		for _, name := range names {
			fmt.Fprintf(w, " %s |", r.show(of[name]))
		}
		fmt.Fprintln(w)
	}
}
