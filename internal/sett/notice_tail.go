package sett

import "time"

// TailedNotice is a notice as a list of what comes in shows it, with what is known of its fault.
type TailedNotice struct {
	Key         NoticeID
	FaultID     int64
	Class       string
	Message     string
	Component   string
	Action      string
	Environment string
}

// CreatedAt returns when the server accepted the notice.
func (n TailedNotice) CreatedAt() time.Time { return n.Key.Time() }
