package sett

// Address returns where people find the page, without trailing slash: at its own domain once that is verified, else at the
// server with that base URL.
func (p StatusPage) Address(baseURL string) string {
	if !p.Domain.VerifiedAt.IsZero() {
		return "https://" + p.Domain.Name
	}
	return baseURL + "/status/" + p.Slug
}
