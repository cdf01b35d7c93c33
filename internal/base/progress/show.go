package progress

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// logEvery is how often a line of the log says how far work is, and moveEvery how often the line on a terminal does.
const (
	logEvery  = 10 * time.Second
	moveEvery = 200 * time.Millisecond
)

// width is how wide the line on a terminal is at most. A longer one would wrap, and could not be rewritten.
const width = 79

// Show shows the steps of the context that it returns: on w if that is a terminal, else in the log. Call stop before anything else is
// written to w.
func Show(ctx context.Context, w io.Writer, log *slog.Logger) (_ context.Context, stop func()) {
	if isTerminal(w) {
		return Line(ctx, w)
	}
	return Log(ctx, log)
}

// Log shows the steps of the context that it returns as lines of a log.
func Log(ctx context.Context, log *slog.Logger) (_ context.Context, stop func()) {
	var last time.Time
	to := func(s State) {
		if s.Took < hidden || time.Since(last) < logEvery {
			return
		}
		last = time.Now()
		attrs := []any{"done", s.Done, "unit", string(s.Unit)}
		if s.Total > 0 {
			attrs = append(attrs, "total", s.Total)
		}
		if s.Left > 0 {
			attrs = append(attrs, "left_ms", s.Left.Milliseconds())
		}
		log.Info(s.What, append(attrs, "duration_ms", s.Took.Milliseconds())...)
	}
	return (&shown{to: to, idle: func() {}}).begin(ctx, time.Second)
}

// Line shows the steps of the context that it returns as one line of a terminal, which it rewrites, and removes when a step ends.
func Line(ctx context.Context, w io.Writer) (_ context.Context, stop func()) {
	last := 0
	write := func(text string) {
		if runes := []rune(text); len(runes) > width {
			text = string(runes[:width])
		}
		length := utf8.RuneCountInString(text)
		fmt.Fprint(w, "\r"+text+strings.Repeat(" ", max(0, last-length)))
		last = length
	}
	remove := func() {
		if last > 0 {
			write("")
			fmt.Fprint(w, "\r")
		}
	}
	ctx, end := (&shown{to: func(s State) { write(s.String()) }, idle: remove}).begin(ctx, moveEvery)
	return ctx, sync.OnceFunc(func() { end(); remove() })
}

// Follow lets its caller ask how far the current step of the context that it returns is; false if there is none.
func Follow(ctx context.Context) (_ context.Context, current func() (State, bool)) {
	p := &shown{to: func(State) {}, idle: func() {}}
	return p.in(ctx), func() (State, bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.steps) == 0 {
			return State{}, false
		}
		return p.steps[len(p.steps)-1].state(), true
	}
}

// Record keeps how far each step of the context that it returns was when it ended, for tests of the work.
func Record(ctx context.Context) (_ context.Context, ended func() []State) {
	var all []State
	p := &shown{to: func(State) {}, idle: func() {}, last: func(s State) { all = append(all, s) }}
	return p.in(ctx), func() []State {
		p.mu.Lock()
		defer p.mu.Unlock()
		return all
	}
}

// isTerminal reports whether people see what is written there.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// String is the state in words: "copying the database: 412 of 1130 MB, 98 MB/s, about 8 s left".
func (s State) String() string {
	text := s.What
	switch {
	case s.Unit == Percent:
		text += fmt.Sprintf(": %d %%", s.Done)
	case s.Total > 0:
		text += fmt.Sprintf(": %s of %s", s.Unit.number(s.Done), s.Unit.write(s.Total))
	case s.Done > 0:
		text += ": " + s.Unit.write(s.Done)
	}
	if perSecond := float64(s.Done) / max(s.Took.Seconds(), 0.001); s.Done > 0 && (s.Unit == Bytes || s.Unit == Rows) {
		text += ", " + s.Unit.write(int64(perSecond)) + "/s"
	}
	if s.Left > 0 {
		return text + ", about " + seconds(s.Left) + " left"
	}
	return text + ", " + seconds(s.Took)
}

// number writes a number of units without their name.
func (u Unit) number(n int64) string {
	if u == Bytes {
		n /= 1_000_000
	}
	return strconv.FormatInt(n, 10)
}

func (u Unit) write(n int64) string {
	if u == Bytes {
		return u.number(n) + " MB"
	}
	return u.number(n) + " " + string(u)
}

// seconds writes a duration to the second: "34 s", "2 min 5 s".
func seconds(d time.Duration) string {
	d = d.Round(time.Second)
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}
