package sentry

import (
	"time"

	"sett/internal/ingest/notice"
	"sett/internal/sett/scan"
)

// readBreadcrumbs reads the breadcrumbs of an event. Their times are written when its clock is known: see correct.
func (m *Reader) readBreadcrumbs(s *scan.Scanner) {
	e := &m.event
	e.crumbs, e.crumbTimes = emptied(e.crumbs), emptied(e.crumbTimes)
	list(s, func() {
		b, at := m.readBreadcrumb(s)
		e.crumbs, e.crumbTimes = append(e.crumbs, b), append(e.crumbTimes, at)
	})
}

// readBreadcrumb reads what happened before an event, and when. Its level and type are part of the metadata, unless they say nothing.
func (m *Reader) readBreadcrumb(s *scan.Scanner) (b notice.Breadcrumb, at time.Time) {
	var level, kind string
	start := len(m.members)
	for key := range s.Members {
		switch key {
		case "category":
			b.Category = scalar(s)
		case "message":
			b.Message = s.Text()
		case "timestamp":
			at = readTime(s)
		case "level":
			level = scalar(s)
		case "type":
			kind = scalar(s)
		case "data":
			m.members = readData(s, m.members[:start])
		default:
			s.Value()
		}
	}
	if level != "info" {
		m.members = append(m.members, notice.TextMember("level", level)...)
	}
	if kind != "default" {
		m.members = append(m.members, notice.TextMember("type", kind)...)
	}
	b.Metadata = m.members[start:len(m.members):len(m.members)]
	if b.Category == "" {
		b.Category = kind
	}
	return b, at
}

// readData adds the data of a breadcrumb: the members of an object, or any other value under the key value.
func readData(s *scan.Scanner, all []notice.Member) []notice.Member {
	if s.Peek() != '{' {
		if value := s.Value(); value != "null" && value != "[]" {
			all = append(all, notice.Member{Key: "value", Value: notice.JSON(value)})
		}
		return all
	}
	for key := range s.Members {
		all = append(all, notice.Member{Key: key, Value: notice.JSON(s.Value())})
	}
	return all
}

// longestAgo is how much earlier than the server's a clock may be before it is taken for wrong.
const longestAgo = time.Minute

// offset returns by how much the clock of a client is slow, which is at sent when a client reports what happened at its time at; now is the server's
// time then. A clock that a client does not tell is wrong if what happened is yet to come. It is 0 for one that is right.
func offset(at, sent, now time.Time) time.Duration {
	if off := now.Sub(sent); !sent.IsZero() && off.Abs() > longestAgo {
		return off
	}
	return min(0, now.Sub(at))
}

// corrected returns a time of an event by the server's clock. What is corrected is never later than now.
func corrected(at time.Time, off time.Duration, now time.Time) time.Time {
	if off == 0 || at.IsZero() {
		return at
	}
	if at = at.Add(off); at.After(now) {
		return now
	}
	return at
}

// correct sets the times of an event and of its breadcrumbs by the server's clock.
func (e *event) correct(r Request) {
	off := offset(e.at, r.SentAt, r.ReceivedAt)
	e.at = corrected(e.at, off, r.ReceivedAt)
	for i, at := range e.crumbTimes {
		e.crumbs[i].Time = spell(corrected(at, off, r.ReceivedAt))
	}
}
