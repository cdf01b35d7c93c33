package sett

import "slices"

// audible reports whether the alert is about no environment, or about one that is neither excluded nor muted.
func (h Hearing) audible() bool {
	e := h.Alert.Environment
	return e == "" || !slices.Contains(h.Integration.ExcludedEnvironments, e) && !slices.Contains(h.Muted, e)
}
