package web

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// WriteCSV answers with a CSV file for download. The first row contains the column names.
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

// plainCell prevents spreadsheets from reading a text as a formula (OWASP, CSV injection), also after spaces and with the
// full-width characters of East Asia.
func plainCell(text string) string {
	begins := strings.TrimLeft(text, " \u00a0\u3000\ufeff")
	if first, _ := utf8.DecodeRuneInString(begins); begins != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		return "'" + text
	}
	return text
}
