// Package relay sends what a project receives on to the service that it moves from. Reports that were taken come in, each once; requests go
// out, and counts of what became of them by the day. Memory, requests at once and attempts are bounded: what does not fit is dropped and
// counted. It never makes intake wait, never keeps a report on disk, and never decides what is forwarded.
package relay

import (
	"context"
	"sync"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/forward"
)

// The bounds of what waits to be sent on, and of requests at once.
const (
	mostBytes        = 32 << 20
	mostBytesProject = 8 << 20
	mostReports      = 1_000 // of a project
	mostSenders      = 8     // of a project
)

// rereadAfter is how long what a project has set is believed.
const rereadAfter = 10 * time.Second

// Options is what a Relay needs.
type Options struct {
	Do    Doer
	Read  func(ctx context.Context, projectID int64) (forward.Forwarding, error) // NotFound: the project forwards nothing
	Now   func() time.Time
	Agent string // what the requests say they are from
}

// Relay sends reports on. It is safe for concurrent use.
type Relay struct {
	Options
	running context.Context //nolint:containedctx // of everything that is sent; ends when what is left is dropped
	cut     context.CancelFunc
	senders sync.WaitGroup

	mu       sync.Mutex
	lanes    map[int64]*lane // of every project that forwarded since the start
	bytes    int
	closed   bool
	days     map[dayOf]*forward.Day
	problems map[int64]forward.Problem
}

type dayOf struct {
	project int64
	day     time.Time
}

// lane is what waits of a project.
type lane struct {
	reports []forward.Report
	bytes   int
	senders int
	pause   time.Time // the target asked to be left alone until then

	set  forward.Forwarding
	read time.Time // when set was read; zero: never
}

// New returns a Relay, which is to be closed.
func New(o Options) *Relay {
	r := &Relay{Options: o, lanes: map[int64]*lane{}, days: map[dayOf]*forward.Day{}, problems: map[int64]forward.Problem{}}
	r.running, r.cut = context.WithCancel(context.Background())
	return r
}

// Send takes a report of a project, which it may keep, and returns at once.
func (r *Relay) Send(projectID int64, report forward.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lanes[projectID]
	if l == nil {
		l = &lane{}
		r.lanes[projectID] = l
	}
	size := len(report.Body)
	if r.closed || report.Left || len(l.reports) >= mostReports || l.bytes+size > mostBytesProject || r.bytes+size > mostBytes {
		r.count(projectID, report, dropped)
		return
	}
	l.reports = append(l.reports, report)
	l.bytes, r.bytes = l.bytes+size, r.bytes+size
	if l.senders < mostSenders {
		l.senders++
		r.senders.Go(func() { r.empty(projectID, l) })
	}
}

// empty sends what waits in a lane until there is nothing left.
func (r *Relay) empty(projectID int64, l *lane) {
	for {
		report, ok := r.next(projectID, l)
		if !ok {
			return
		}
		set, err := r.settings(projectID, l)
		became := dropped
		switch {
		case err != nil:
			r.note(projectID, "the settings could not be read")
		case !set.Runs(report.At):
			continue
		default:
			request, ok := set.Target.Request(report)
			if !ok {
				continue
			}
			became = r.deliver(projectID, l, request)
		}
		r.mu.Lock()
		r.count(projectID, report, became)
		r.mu.Unlock()
	}
}

// next takes the oldest report of a lane. If there is none, its sender is gone.
func (r *Relay) next(projectID int64, l *lane) (report forward.Report, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(l.reports) == 0 {
		l.senders--
		return report, false
	}
	report, l.reports = l.reports[0], l.reports[1:]
	l.bytes, r.bytes = l.bytes-len(report.Body), r.bytes-len(report.Body)
	return report, true
}

// settings returns what the project of a lane has set.
func (r *Relay) settings(projectID int64, l *lane) (forward.Forwarding, error) {
	r.mu.Lock()
	set, read := l.set, l.read
	r.mu.Unlock()
	if !read.IsZero() && r.Now().Sub(read).Abs() < rereadAfter {
		return set, nil
	}
	set, err := r.Read(r.running, projectID)
	if isNotFound(err) {
		set, err = forward.Forwarding{}, nil
	}
	if err != nil {
		return set, err
	}
	r.mu.Lock()
	l.set, l.read = set, r.Now()
	r.mu.Unlock()
	return set, nil
}

// Save calls store with what became of reports since it was last called, and with the newest problems, if there is any of these. What store
// fails to keep is in the next call.
func (r *Relay) Save(store func([]forward.Day, []forward.Problem) error) error {
	days, problems := r.take()
	if len(days)+len(problems) == 0 {
		return nil
	}
	err := store(days, problems)
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, d := range days {
			r.dayOf(d.ProjectID, d.Day).Add(d)
		}
		for _, p := range problems {
			if _, newer := r.problems[p.ProjectID]; !newer {
				r.problems[p.ProjectID] = p
			}
		}
	}
	return err
}

func (r *Relay) take() (days []forward.Day, problems []forward.Problem) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range r.days {
		days = append(days, *d)
	}
	for _, p := range r.problems {
		problems = append(problems, p)
	}
	clear(r.days)
	clear(r.problems)
	return days, problems
}

// dayOf returns the counts of a project on a day. The caller holds mu.
func (r *Relay) dayOf(projectID int64, at time.Time) *forward.Day {
	key := dayOf{projectID, accounts.Day(at)}
	d := r.days[key]
	if d == nil {
		d = &forward.Day{ProjectID: projectID, Day: key.day}
		r.days[key] = d
	}
	return d
}

// note keeps why a report of a project was not accepted.
func (r *Relay) note(projectID int64, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems[projectID] = forward.Problem{ProjectID: projectID, Text: text, At: r.Now()}
}

// Close takes nothing more. It sends what waits until ctx ends; then the rest is dropped and counted, for a last Save.
func (r *Relay) Close(ctx context.Context) {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	done := make(chan struct{})
	go func() {
		r.senders.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	r.cut()
	<-done
}
