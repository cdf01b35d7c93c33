package sett

import "errors"

// LenientBool is a boolean of a request body that clients also send as a string: "true", "false", "1" or "0", as
// Terraform's provider does (wire.md §1.6). The interface documents it as a boolean.
type LenientBool bool

// UnmarshalJSON reads either form. Anything else is an error, whose text Optional replaces.
func (b *LenientBool) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case `true`, `"true"`, `"1"`:
		*b = true
	case `false`, `"false"`, `"0"`:
		*b = false
	default:
		return errors.New("no boolean")
	}
	return nil
}
