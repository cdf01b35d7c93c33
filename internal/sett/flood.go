package sett

import "time"

// FloodWindow is the time in which a receiver gets no more messages than its limit. It begins with a message.
const FloodWindow = 10 * time.Minute

// Flood is what a receiver got, and was spared, in one window.
type Flood struct {
	BeganAt time.Time // zero: there was no message yet
	Sent    int64
	Held    int64
}

// Over reports whether the next message begins a new window: also when the clock was set back.
func (f Flood) Over(now time.Time) bool {
	return f.BeganAt.IsZero() || now.Before(f.BeganAt) || !now.Before(f.BeganAt.Add(FloodWindow))
}

// Pass counts one more message and reports whether it is held, because the receiver has had as many as the limit.
func (f Flood) Pass(now time.Time, limit int64) (next Flood, held bool) {
	if f = f.at(now); f.Sent >= limit {
		f.Held++
		return f, true
	}
	f.Sent++
	return f, false
}

// Hold counts a message that is held whatever the limit.
func (f Flood) Hold(now time.Time) Flood {
	f = f.at(now)
	f.Held++
	return f
}

func (f Flood) at(now time.Time) Flood {
	if f.Over(now) {
		return Flood{BeganAt: now}
	}
	return f
}

// Facts are what the receiver is told of a window that is over.
func (f Flood) Facts(limit int64) *HeldFacts {
	return &HeldFacts{Count: f.Held, Limit: limit, Minutes: int64(FloodWindow / time.Minute)}
}

// FloodLimit is how many messages the integration gets in one FloodWindow.
func (i Integration) FloodLimit() int64 {
	if i.NotificationLimit < 1 {
		return DefaultNotificationLimit
	}
	return i.NotificationLimit
}
