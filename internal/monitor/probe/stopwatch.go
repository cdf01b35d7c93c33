package probe

import (
	"sync"
	"time"

	"sett/internal/sett/checks"
)

// step is a part of a look, finer than a checks.ProbePhase: the first byte of a response parts its headers in two.
type step int

const (
	resolving step = iota
	connecting
	handshaking
	requesting
	waiting // for the first byte
	readingHeaders
	readingBody
	steps // their number
)

// phase returns the phase that the step is part of.
func (s step) phase() checks.ProbePhase {
	return [steps]checks.ProbePhase{
		checks.PhaseDNS, checks.PhaseConnect, checks.PhaseTLS, checks.PhaseRequest, checks.PhaseHeaders, checks.PhaseHeaders, checks.PhaseBody,
	}[s]
}

// stopwatch measures the steps of one attempt. HTTP/2 reports them from its own goroutines.
type stopwatch struct {
	mu     sync.Mutex
	at     step
	since  time.Time
	passed [steps]time.Duration
	began  time.Time
}

func startStopwatch() *stopwatch {
	now := time.Now()
	return &stopwatch{at: connecting, since: now, began: now}
}

// enter ends the step that is on and begins another.
func (w *stopwatch) enter(next step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.switchTo(next)
}

func (w *stopwatch) switchTo(next step) {
	now := time.Now()
	w.passed[w.at] += now.Sub(w.since)
	w.at, w.since = next, now
}

// reach enters a step unless a later one was entered: HTTP/2 may report that the request was sent after its response was
// read.
func (w *stopwatch) reach(next step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.at < next {
		w.switchTo(next)
	}
}

// forget takes out the time since a moment of the step that is on.
func (w *stopwatch) forget(since time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	unused := time.Since(since)
	w.since, w.began = w.since.Add(unused), w.began.Add(unused)
}

// step returns the one that is on.
func (w *stopwatch) step() step {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

// read returns the time that has passed, in all and by phase.
func (w *stopwatch) read() (time.Duration, checks.ProbePhases) {
	w.enter(w.step())
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.since.Sub(w.began), checks.ProbePhases{
		DNS: w.passed[resolving], Connect: w.passed[connecting], TLS: w.passed[handshaking],
		FirstByte: w.passed[requesting] + w.passed[waiting], Body: w.passed[readingHeaders] + w.passed[readingBody],
	}
}
