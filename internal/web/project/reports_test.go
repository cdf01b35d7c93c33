package project

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/sett/stats"
)

// The sum of a long report is that of all its rows, of which the page shows the greatest.
func TestLongReport(t *testing.T) {
	t.Parallel()
	var rows []stats.ReportRow
	for i := range mostReportRows + 5 {
		rows = append(rows, stats.ReportRow{Label: fmt.Sprint("user ", i), Count: 2})
	}
	var page reportPage
	page.fill(rows, stats.ReportSpan{From: time.Unix(0, 0), To: time.Unix(86400, 0)})
	if len(page.Rows) != mostReportRows || page.Fewer != 5 || page.Total != 2*int64(len(rows)) || page.Rows[0].Label != "user 0" {
		t.Errorf("%d rows and %d more, in all %d", len(page.Rows), page.Fewer, page.Total)
	}
}
