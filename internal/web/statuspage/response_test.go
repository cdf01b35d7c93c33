package statuspage

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/sett/status/locale"
)

// hoursOf are response times of so many milliseconds in each hour; none where it is negative, and where there is no number.
func hoursOf(millis ...int) (times status.ResponseTimes) {
	for n, ms := range millis {
		if ms >= 0 {
			times.Hours[n] = status.ResponseHour{Total: time.Duration(2*ms) * time.Millisecond, Checks: 2}
		}
	}
	return times
}

func TestChartsOfResponseTimes(t *testing.T) {
	t.Parallel()
	if c := chartOf(locale.English, hoursOf()); c != nil {
		t.Errorf("nothing was measured: %+v", c)
	}
	c := chartOf(locale.English, hoursOf(100, 200, -1, 50))
	want := responseChart{
		Path: "M5 13h0l10 -11M35 18h0", Mean: "117\u00a0ms on average", Text: "Average by the hour: 50\u00a0ms to 200\u00a0ms, 21 hours without data",
	}
	if c == nil || *c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
	if c := chartOf(locale.German, hoursOf(1250)); c.Mean != "im Mittel 1,2\u00a0s" || !strings.HasPrefix(c.Text, "Mittel je Stunde: 1,2\u00a0s, ") {
		t.Errorf("%+v", c)
	}
}

// drawnWith renders a view with response times.
func drawnWith(t *testing.T, v status.StatusView, times map[int64]status.ResponseTimes) *rendering {
	t.Helper()
	d := &rendering{view: v, history: v.Incidents, responses: responses{times: times}}
	if err := newPages(t).render(d, nil); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestResponseTimesAreOnThePageAndInTheSummary(t *testing.T) {
	t.Parallel()
	v := fullView()
	d := drawnWith(t, v, map[int64]status.ResponseTimes{v.Components[0].ID: hoursOf(100, 200)})
	if n := strings.Count(string(d.main.front.body), `class="times"`); n != 1 {
		t.Errorf("%d charts, want 1", n)
	}
	var s struct {
		Components []struct {
			ID   string
			Took *float64 `json:"response_time_ms"`
		}
	}
	if err := json.Unmarshal(d.main.summary.body, &s); err != nil || s.Components[0].Took == nil || *s.Components[0].Took != 150 || s.Components[1].Took != nil {
		t.Errorf("%+v, %v", s, err)
	}
	if d := drawnWith(t, v, nil); strings.Contains(string(d.main.front.body)+string(d.main.summary.body), "esponse") {
		t.Error("a page shows response times that it does not have")
	}
}

// The budget of a cold page, with its style and script.
func TestAPageOfManyChartsIsSmall(t *testing.T) {
	t.Parallel()
	v, times := fullView(), map[int64]status.ResponseTimes{}
	v.Components = nil
	for n := range 100 {
		c := status.ComponentView{Name: fmt.Sprintf("Component number %d", n), State: status.ComponentUp, SeenAt: noon, Days: days(map[int]time.Duration{n % 90: time.Hour}, n%7)}
		c.ID, c.SiteID = int64(n+1), sett.UUID{1}
		v.Components = append(v.Components, c)
		var hours []int
		for h := range status.ResponseHours {
			hours = append(hours, 100+(n*7919+h*h*104729)%301)
		}
		times[c.ID] = hoursOf(hours...)
	}
	d := drawnWith(t, v, times)
	size := len(d.main.front.packed)
	for _, a := range d.main.pages.assets {
		size += len(serve.Gzip(a.body))
	}
	t.Logf("%d bytes with 100 charts", size)
	if size > 30<<10 {
		t.Errorf("a cold page has %d bytes", size)
	}
}
