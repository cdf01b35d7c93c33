package rig

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// Metric returns the value of a metric of a server; -1 if it has none.
func (s *Server) Metric(t testing.TB, name string) int {
	t.Helper()
	answer, err := http.Get(s.Base + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(body)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				t.Fatal(err)
			}
			return int(n)
		}
	}
	return -1
}
