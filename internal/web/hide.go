package web

import "regexp"

// mailAddress matches probable email addresses.
var mailAddress = regexp.MustCompile(`[^\s@<>"'(),;:]{1,64}@[^\s@<>"'(),;:]{1,255}\.[^\s@<>"'(),;:.]{2,63}`)

// HideMails masks email addresses in a text, for pages that everybody can see.
func HideMails(text string) string { return mailAddress.ReplaceAllString(text, "[address]") }
