package sett

import "strings"

// SetField applies one field of a change: the value when it was sent, the default when it was sent as null or as an
// empty text.
func SetField[T any](p *Problems, field string, o Optional[T], dst *T, fallback T) {
	switch usable := Check(p, field, o); {
	case o.Blank():
		*dst = fallback
	case usable:
		*dst = o.Value
	}
}

// SetName applies a name, without the spaces around it. One cannot be without: null is as wrong as a blank. A name that
// stays is not held against today's rules: notices may have brought it, and it may be older than they are.
func SetName(p *Problems, o Optional[string], dst *string) {
	SetField(p, "name", o, dst, "")
	if o.Bad == "" && (o.Sent || *dst == "") {
		*dst = strings.TrimSpace(*dst)
		CheckName(p, "name", *dst)
	}
}
