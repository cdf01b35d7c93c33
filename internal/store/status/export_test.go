package status

const (
	ChangedStatusEntries = changedStatusEntries
	DaysWithChecks       = daysWithChecks
	FoldedDays           = foldedDays
	FreshOutages         = freshOutages
	OutageBefore         = outageBefore
	RolledDaysOf         = rolledDaysOf
	SitesOfDays          = sitesOfDays
	TakenDomain          = takenDomain
	TakenSlug            = takenSlug
	TurnsOfCheckIns      = turnsOfCheckIns
)
