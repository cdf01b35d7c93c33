package statuspage

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sett/internal/sett/status"
	"sett/internal/sett/status/locale"
)

// responses are the response times of the sites of a page.
type responses struct {
	times  map[int64]status.ResponseTimes // by component; nil: the page shows none
	readAt time.Time
}

// responsesEvery is how often they are read: this reads every check of a day.
const responsesEvery = 5 * time.Minute

// responsesOf returns the response times of a page, those of the last rendering while they are new.
func (p *Pages) responsesOf(ctx context.Context, view status.StatusView, before *rendering) (r responses, err error) {
	now := view.ReadAt
	switch {
	case !view.Page.ResponseTimes:
		return r, nil
	case before != nil && before.view.Page.Revision == view.Page.Revision && before.responses.times != nil &&
		now.Sub(before.responses.readAt) < responsesEvery && status.FirstResponseHour(now).Equal(status.FirstResponseHour(before.responses.readAt)):
		return before.responses, nil
	}
	r.readAt = now
	r.times, err = p.Status.ResponseTimes(ctx, now, view.Page.Number)
	return r, err
}

// responseChart is the response times of a site as the page shows them.
type responseChart struct {
	Path string
	Text string // what the line shows
	Mean string
}

// The picture of response times: hourStep is between two hours, and the line is between the heights lineTop and lineBottom, which is zero.
const (
	hourStep            = 10
	hourMiddle          = hourStep / 2
	lineTop, lineBottom = 2, 23
)

// chartOf returns the chart of response times, nil when no check succeeded. Where nothing was measured, it has no line.
func chartOf(l locale.Language, times status.ResponseTimes) *responseChart {
	mean, ok := times.Mean()
	if !ok {
		return nil
	}
	low, high, without := times.Range()
	between := l.Text("response_range", l.Took(low), l.Took(high))
	if l.Took(low) == l.Took(high) {
		between = l.Took(low)
	}
	c := &responseChart{Path: linePath(times, high), Mean: l.Text("response_mean", l.Took(mean)), Text: l.Text("response_hours", between)}
	if without > 0 {
		c.Text = l.List([]string{c.Text, l.Text("bare", l.Count("hours", int64(without)))})
	}
	return c
}

// linePath draws the averages of the hours: a line through hours in a row, a dot for one alone.
func linePath(times status.ResponseTimes, high time.Duration) string {
	var b strings.Builder
	drawn, last := false, 0
	for n, h := range times.Hours {
		mean, ok := h.Mean()
		y := lineBottom
		if high > 0 {
			y -= int((lineBottom - lineTop) * float64(mean) / float64(high))
		}
		switch {
		case ok && drawn:
			fmt.Fprintf(&b, "l%d %d", hourStep, y-last)
		case ok:
			fmt.Fprintf(&b, "M%d %dh0", hourMiddle+n*hourStep, y)
		}
		drawn, last = ok, y
	}
	return b.String()
}
