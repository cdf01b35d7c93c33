package sentry

import (
	"sett/internal/sett/scan"
	"sett/internal/sett/stats"
)

// The bounds of a report of what a client discarded. Anyone who has a DSN can send one.
const (
	mostDiscards    = 100
	largestQuantity = 1_000_000
)

// ReadClientReport returns what a client reports that it discarded. The error is that of JSON that cannot be read.
func ReadClientReport(payload []byte) (all []stats.Discard, err error) {
	s := scan.New(textOf(payload))
	for key := range s.Members {
		if key != "discarded_events" {
			s.Value()
			continue
		}
		for range s.Elements {
			if d := readDiscard(&s); d.Count > 0 && len(all) < mostDiscards {
				all = append(all, d)
			}
		}
	}
	return all, s.End()
}

func readDiscard(s *scan.Scanner) stats.Discard {
	var reason, category, quantity string
	for key := range s.Members {
		switch key {
		case "reason":
			reason = scalar(s)
		case "category":
			category = scalar(s)
		case "quantity":
			quantity = scalar(s)
		default:
			s.Value()
		}
	}
	n, _ := wholeNumber(quantity)
	return stats.Discard{
		Source: stats.ByClient, Category: stats.DiscardCategory(category), Reason: stats.DiscardReason(reason), Count: int64(min(n, largestQuantity)),
	}
}
