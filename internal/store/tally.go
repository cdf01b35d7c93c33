package store

import (
	"slices"
	"time"

	"sett/internal/sett"
)

// The widths of buckets, in seconds.
const (
	minute = 60
	hour   = 3600
	day    = 86400
)

// The kinds of named buckets.
const (
	byClass    = "class"
	byLocation = "location"
	byUser     = "user"
)

type faultBucket struct{ width, at, fault int64 }

type projectBucket struct {
	width, at, project int64
	environment        string
}

type namedBucket struct {
	kind        string
	at, project int64
	environment string
	name        string
}

type faultUser struct {
	fault int64
	name  string
}

type ledgerLine struct {
	account string
	day     int64 // microseconds
	project int64
}

// faultCount is what a fault's own counters get.
type faultCount struct {
	n    int64
	last sett.NoticeID
}

// tally is what notices add to every count, summed so that each row is written once.
type tally struct {
	counts   map[int64]faultCount // by fault
	faults   map[faultBucket]int64
	projects map[projectBucket]int64
	named    map[namedBucket]int64
	users    map[faultUser]int64
	ledger   map[ledgerLine]*[4]int64 // in the order of outcomes
}

// outcomes lists how a notice can end, in the order of the ledger's columns.
var outcomes = []sett.Outcome{sett.Stored, sett.Ignored, sett.Limited, sett.InvalidNotice}

func newTally() *tally {
	return &tally{
		map[int64]faultCount{},
		map[faultBucket]int64{},
		map[projectBucket]int64{},
		map[namedBucket]int64{},
		map[faultUser]int64{},
		map[ledgerLine]*[4]int64{},
	}
}

// owner is whose a notice is.
type owner struct {
	account     string
	project     int64
	environment string
	fault       int64
}

// addQuick counts one stored notice in what lists and series show.
func (s *tally) addQuick(o owner, id sett.NoticeID) {
	c := s.counts[o.fault]
	s.counts[o.fault] = faultCount{c.n + 1, max(c.last, id)}
	at := id.Time()
	for _, width := range []int64{minute, hour, day} {
		start := at.Unix() / width * width
		s.faults[faultBucket{width, start, o.fault}]++
		s.projects[projectBucket{width, start, o.project, o.environment}]++
	}
	s.end(o.account, o.project, at, sett.Stored, 1)
}

// addSlow counts one stored notice by its names.
func (s *tally) addSlow(o owner, id sett.NoticeID, f facts) {
	full := id.Time().Unix() / hour * hour
	s.named[namedBucket{byClass, full, o.project, o.environment, f.class}]++
	if f.location != "" {
		s.named[namedBucket{byLocation, full, o.project, o.environment, f.location}]++
	}
	if f.user != "" {
		s.named[namedBucket{byUser, full, o.project, o.environment, f.user}]++
		s.users[faultUser{o.fault, f.user}]++
	}
}

// end counts how n notices of a project ended.
func (s *tally) end(account string, project int64, at time.Time, o sett.Outcome, n int64) {
	k := ledgerLine{account, micros(sett.Day(at)), project}
	if s.ledger[k] == nil {
		s.ledger[k] = new([4]int64)
	}
	s.ledger[k][slices.Index(outcomes, o)] += n
}

// merge adds what another tally holds.
func (s *tally) merge(more *tally) {
	for k, c := range more.counts {
		s.counts[k] = faultCount{s.counts[k].n + c.n, max(s.counts[k].last, c.last)}
	}
	addAll(s.faults, more.faults)
	addAll(s.projects, more.projects)
	addAll(s.named, more.named)
	addAll(s.users, more.users)
	for k, n := range more.ledger {
		if s.ledger[k] == nil {
			s.ledger[k] = new([4]int64)
		}
		for i := range n {
			s.ledger[k][i] += n[i]
		}
	}
}

func addAll[K comparable](dst, src map[K]int64) {
	for k, n := range src {
		dst[k] += n
	}
}

// location names where a notice happened, such as "OrdersController#create".
func location(component, action string) string {
	if component == "" || action == "" {
		return component + action
	}
	return component + "#" + action
}
