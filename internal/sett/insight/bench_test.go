package insight

import (
	"fmt"
	"testing"
	"time"
)

// benchEvents is how many events a query of a benchmark reads.
const benchEvents = 200_000

// benchChunks returns packed requests of a day.
func benchChunks(b *testing.B) (chunks []*Chunk) {
	b.Helper()
	packer := NewPacker()
	for from := 0; from < benchEvents; from += mostRows {
		var events []Event
		for i := from; i < min(from+mostRows, benchEvents); i++ {
			events = append(events, Event{At: noon.UnixMicro() + int64(i)*400_000, Fields: []Field{
				TextField("event_type", "request"), TextField("path", fmt.Sprintf("/orders/%d", i%97)), NumberField("status", float64(200+100*(i%4))),
				NumberField("duration", float64(i*7919%10007)/10), TextField("request_id", fmt.Sprintf("%x", i*2654435761)),
			}})
		}
		packed, err := packer.Pack(events)
		if err != nil {
			b.Fatal(err)
		}
		chunks = append(chunks, packed...)
	}
	return chunks
}

func BenchmarkQuery(b *testing.B) {
	chunks := benchChunks(b)
	for name, query := range map[string]string{
		"group":  "stats count() by path",
		"bins":   "stats count() as n, avg(duration) by path, bin(1h)",
		"filter": "filter status >= 400 and duration > 500 and path like \"/orders/1%\" | stats count()",
		"rows":   "filter status == 500 | fields @ts, path, duration | sort duration desc | limit 100",
	} {
		b.Run(name, func(b *testing.B) {
			s, err := ParseStatement(query)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				run := NewRun(s.Plan(noon.Add(-time.Hour), noon.Add(100*time.Hour), time.UTC))
				for _, c := range chunks {
					at, err := OpenTimes(c.Times, c.First, c.Rows)
					if err != nil {
						b.Fatal(err)
					}
					if err := run.Add(FrameOfChunk(at, func(n int) ([]byte, error) { return c.Columns.Parts[n], nil })); err != nil {
						b.Fatal(err)
					}
				}
				_, _ = run.Finish()
			}
		})
	}
}
