package web

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
)

// WriteCSV answers with a table for programs, which browsers save under a name. The first row has the names of columns.
func WriteCSV(w http.ResponseWriter, name string, rows [][]string) error {
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s"`, name))
	h.Set("Cache-Control", "no-store")
	for _, row := range rows {
		for i := range row {
			row[i] = plainCell(row[i])
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// plainCell keeps spreadsheets from taking for a formula what clients and people wrote (OWASP, CSV injection).
func plainCell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
