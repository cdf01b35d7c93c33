package sett

import "slices"

// audible reports whether the alert is about no environment, or about one that is neither excluded nor muted. Of several,
// one such will do.
func (h Hearing) audible() bool {
	several := h.Alert.Facts.Environments
	if len(several) == 0 {
		several = []string{h.Alert.Environment}
	}
	return slices.ContainsFunc(several, func(e string) bool {
		return e == "" || !slices.Contains(h.Integration.ExcludedEnvironments, e) && !slices.Contains(h.Muted, e)
	})
}
