package events_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/setttest"
)

func TestExportOfEvents(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		b := signedIn(t, s)
		report(s, `{"event_type":"job","ts":"2026-11-18T10:00:01Z","time":"mine","tags":["a","b"],"n":12345678901234567890}`,
			`{"event_type":"request","ts":"2026-11-18T10:00:02Z","path":"=1+1","ok":true,"n":1.5}`, `{"event_type":"request","ts":"2026-11-18T10:00:03Z","path":"/","n":2}`)
		want := "time,event_type,n,ok,path,tags,other_fields\n" +
			"2026-11-18T10:00:03Z,request,2,,/,,\n" +
			"2026-11-18T10:00:02Z,request,1.5,true,'=1+1,,\n" +
			"2026-11-18T10:00:01Z,job,12345678901234567890,,,\"[\"\"a\"\",\"\"b\"\"]\",\"{\"\"time\"\":\"\"mine\"\"}\"\n"
		if diff := cmp.Diff(want, b.Get(in(s, ".csv")).Want(200).Body); diff != "" {
			t.Errorf("CSV (-want +got):\n%s", diff)
		}
		for query, want := range map[string]string{
			"?q=event_type:job":                     `{"results":[` + "\n" + `{"time":"2026-11-18T10:00:01Z","event_type":"job","n":12345678901234567890,"tags":["a","b"],"other_fields":{"time":"mine"}}` + "\n]}\n",
			"?by=event_type":                        `{"results":[` + "\n" + `{"event_type":"request","events":2},` + "\n" + `{"event_type":"job","events":1}` + "\n]}\n",
			"?of=n&q=path:*":                        `{"results":[` + "\n" + `{"events":2,"sum(n)":3.5,"avg(n)":1.75,"percentile(95, n)":1.9885343702815776,"max(n)":2}` + "\n]}\n",
			"?q=stats+count()+as+n+by+bin(1s)+as+t": `{"results":[` + "\n" + `{"t":"2026-11-18T10:00:01Z","n":1},` + "\n" + `{"t":"2026-11-18T10:00:02Z","n":1},` + "\n" + `{"t":"2026-11-18T10:00:03Z","n":1}` + "\n]}\n",
			"?q=path:none":                          `{"results":[` + "\n]}\n",
		} {
			if diff := cmp.Diff(want, b.Get(in(s, ".json"+query)).Want(200).Body); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
		b.Get(in(s, ".json?q="+strings.Repeat("a+", 1500))).Want(422)
		b.Get(in(s, "?q=event_type:job")).Want(200, in(s, ".csv?q=event_type%3Ajob")).CheckPage()
		b.Get(in(s, "?q=path:none")).Want(200).CheckPage().Lacks("insights.csv")
	})
}

// Whatever clients send, a file has a bounded number of columns and rows, and says what it leaves out.
func TestExportOfManyEvents(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := signedIn(t, s)
	var lines []string
	for i := range 20_010 {
		lines = append(lines, fmt.Sprintf(`{"event_type":"e","common":%d,"key-%d":1}`, i, i%200))
		if len(lines) == 10_000 || i == 20_009 {
			report(s, lines...)
			lines = nil
		}
	}
	rows, err := csv.NewReader(strings.NewReader(b.Get(in(s, ".csv")).Want(200).Body)).ReadAll()
	if err != nil || len(rows) != 20_002 || len(rows[0]) != 103 || rows[0][2] != "common" {
		t.Fatalf("%d rows, %d columns, %v %v", len(rows), len(rows[0]), err, rows[len(rows)-1])
	}
	seen := map[string]bool{}
	for _, row := range rows[1:20_001] {
		seen[row[2]] = true
		var others map[string]int
		if row[102] != "" && (json.Unmarshal([]byte(row[102]), &others) != nil || len(others) != 1) {
			t.Fatalf("the other fields are %s", row[102])
		}
	}
	if note := rows[20_001][0]; len(seen) != 20_000 || note != "This file has the first 20000 of 20010 rows. Choose a shorter period to export the others." {
		t.Errorf("%d different events, note %q", len(seen), note)
	}
}
