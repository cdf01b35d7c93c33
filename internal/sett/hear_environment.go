package sett

import "slices"

// audible reports whether the alert is about no environment, or about any that is neither excluded nor muted.
func (h Hearing) audible() bool {
	return len(h.Environments) == 0 || slices.ContainsFunc(h.Environments, func(e string) bool {
		return !slices.Contains(h.Integration.ExcludedEnvironments, e) && !slices.Contains(h.Muted, e)
	})
}
