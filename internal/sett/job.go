package sett

import "time"

// Job is background work of a server, and how it does.
type Job struct {
	Name     string
	Every    time.Duration // the longest rest; 0: it waits to be woken
	Running  bool
	Began    time.Time     // the round that runs, or the last; zero before the first
	Took     time.Duration // the last round that has ended
	Next     time.Time     // when the next is due at the latest; zero while one runs, and when it waits to be woken
	Failures int           // in a row, up to the last round
	FailedAt time.Time     // the last failure; zero: there was none
	Problem  string        // of the last failure
}
