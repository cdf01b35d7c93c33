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

// readClientReport reads what a client reports that it discarded.
func readClientReport(_ *Reader, i Item, _ Request) (c Content, _ error) {
	s := scan.New(textOf(i.Payload))
	for key := range s.Members {
		if key != "discarded_events" {
			s.Value()
			continue
		}
		for range s.Elements {
			if d := readDiscard(&s); d.Count > 0 && len(c.Discards) < mostDiscards {
				c.Discards = append(c.Discards, d)
			}
		}
	}
	return c, s.End()
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
