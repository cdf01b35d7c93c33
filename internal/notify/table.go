package notify

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"sett/internal/event/payload"
	"sett/internal/notify/channel"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
)

// table lists the facts about the subject of the alert; empty ones are left out.
func (s *alertContext) table() []channel.Fact {
	var rows []channel.Fact
	switch {
	case s.fault != nil:
		rows = s.faultTable()
	case s.site != nil:
		rows = s.siteTable()
	case s.checkIn != nil:
		rows = s.checkInTable()
	case s.Facts.Alarm != nil:
		rows = s.alarmTable()
	case s.deploy != nil:
		rows = []channel.Fact{{Name: "Revision", Value: s.deploy.Revision}, {Name: "Repository", Value: s.deploy.Repository}}
	}
	if by := s.acknowledged; by != nil {
		rows = append(rows, channel.Fact{Name: "Looking at it", Value: by.Who()}, at("Since", by.At))
	}
	var shown []channel.Fact
	for _, f := range rows {
		if f.Value = cut(line(f.Value), mostFact); f.Value != "" {
			shown = append(shown, f)
		}
	}
	return shown
}

func (s *alertContext) faultTable() []channel.Fact {
	f := s.fault
	rows := []channel.Fact{{Name: "Where", Value: whereIn(*f)}, {Name: "Events", Value: number(f.NoticesCount)}}
	if f.Assignee != nil {
		rows = append(rows, channel.Fact{Name: "Assignee", Value: nameOf(f.Assignee)})
	}
	rows = append(rows, channel.Fact{Name: "Tags", Value: strings.Join(f.Tags, ", ")})
	if n := s.notice; n != nil {
		rows = append(rows, channel.Fact{Name: "Request", Value: n.Request.URL}, channel.Fact{Name: "Host", Value: n.Environment.Hostname},
			channel.Fact{Name: "Revision", Value: n.Environment.Revision})
		if u := n.Request.User; u != nil {
			rows = append(rows, channel.Fact{Name: "User", Value: cmp.Or(u.Email, fmt.Sprint(u.ID))})
		}
	}
	return rows
}

// whereIn is the location of a fault in the program.
func whereIn(f faults.Fault) string {
	if f.Component != "" && f.Action != "" {
		return f.Component + "#" + f.Action
	}
	return cmp.Or(f.Component, f.Action)
}

// number formats a count; "" if unknown.
func number(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// at is a fact about a time.
func at(name string, t time.Time) channel.Fact {
	return channel.Fact{Name: name, Value: when(t, time.UTC), At: t}
}

func (s *alertContext) siteTable() []channel.Fact {
	f := s.Facts.Site
	rows := []channel.Fact{{Name: "Address", Value: f.URL}, at("Down since", f.DownAt), at("Up since", f.UpAt)}
	switch {
	case f.Slow != nil:
		rows = append(rows, at("Slow since", f.Slow.SlowAt), at("Fast since", f.Slow.FastAt))
	case s.Event != alerts.AlertCertWillExpire:
		rows = append(rows, channel.Fact{Name: "Status", Value: number(int64(f.Status))})
	default:
		rows = append(rows, at("Certificate expires", f.CertWillExpireAt), channel.Fact{Name: "Authority", Value: line(f.CertAuthority)})
	}
	return rows
}

func (s *alertContext) checkInTable() []channel.Fact {
	c := s.checkIn
	schedule := c.CronSchedule
	if c.ReportPeriod != "" {
		schedule = "every " + c.ReportPeriod
	}
	return []channel.Fact{
		{Name: "Schedule", Value: schedule}, at("Last report", c.ReportedAt), {Name: "Missed", Value: number(c.MissedCount)},
	}
}

// alarmTable says what was counted.
func (s *alertContext) alarmTable() []channel.Fact {
	f := s.Facts.Alarm
	rows := []channel.Fact{
		{Name: "Condition", Value: f.Condition}, {Name: "Rows", Value: fmt.Sprint(f.Count)}, at("From", f.From), at("To", f.To), {Name: "Query", Value: f.Query},
	}
	for i, row := range f.Rows {
		rows = append(rows, channel.Fact{Name: fmt.Sprint("Row ", i+1), Value: row})
	}
	return rows
}

// mostTrace is the maximum number of frames in a message.
const mostTrace = 10

// trace is the backtrace, application frames first.
func (s *alertContext) trace() []string {
	if s.notice == nil {
		return nil
	}
	var own, others []string
	for _, f := range s.notice.Backtrace {
		if shown := cut(line(frameText(f)), mostFact); f.Context == "app" {
			own = append(own, shown)
		} else {
			others = append(others, shown)
		}
		if len(own) == mostTrace {
			break
		}
	}
	all := append(own, others...)
	return all[:min(len(all), mostTrace)]
}

// frameText formats a frame: "app/orders.rb:12 in create".
func frameText(f payload.Frame) string {
	file := strings.TrimPrefix(f.File, "[PROJECT_ROOT]/")
	if f.Number != nil && file != "" {
		file += fmt.Sprint(":", *f.Number)
	}
	switch {
	case file == "":
		return f.Method
	case f.Method == "":
		return file
	}
	return file + " in " + f.Method
}
