package api

import (
	"errors"
	"time"

	"sett/internal/base/moment"
)

// timeParam is a query parameter that names a moment: seconds since 1970, as the contract has it, RFC 3339, as older
// clients send it (wire.md §1.3), or any other form of package moment. It is zero when the parameter is absent.
type timeParam struct{ time.Time }

// UnmarshalText reads a time. One outside of the years 1970 to 9999 is a mistake.
func (p *timeParam) UnmarshalText(text []byte) error {
	at, ok := moment.Read(string(text))
	if !ok || at.Year() < 1970 {
		return errors.New("must be Unix seconds, such as 1795000000, or a time such as 2026-11-18T10:30:00Z")
	}
	p.Time = at
	return nil
}

// JSONSchema describes both forms. What stands in an address is text, and of two types generators of clients make none
// that both forms fit in.
func (timeParam) JSONSchema() map[string]any { return map[string]any{"type": "string"} }
