package sett

// Plan is what the accounts of a server may use.
type Plan string

// The plans. Sold services have them in this order; whoever runs sett for themselves has everything.
const (
	SelfHosted     Plan = "self-hosted"
	DeveloperPlan  Plan = "developer"
	TeamPlan       Plan = "team"
	BusinessPlan   Plan = "business"
	EnterprisePlan Plan = "enterprise"
)

// CustomStatusPages reports whether status pages may hide the branding and have features: the Team plan and above
// (contract, Status page).
func (p Plan) CustomStatusPages() bool { return p != DeveloperPlan }

// Under returns the page as it is shown while the plan is in force. What the plan does not have stays stored, and is shown
// again once one has it; a domain is in every plan.
func (page StatusPage) Under(p Plan) StatusPage {
	if !p.CustomStatusPages() {
		page.HideBranding, page.Features = false, StatusFeatures{}
	}
	return page
}
