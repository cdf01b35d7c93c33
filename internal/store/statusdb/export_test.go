package statusdb

const (
	ChangedStatusEntries = changedStatusEntries
	DaysWithChecks       = daysWithChecks
	FoldedDays           = rolledUpDays
	FreshOutages         = freshOutages
	OutageBefore         = outageBefore
	RolledDaysOf         = rolledDaysOf
	SitesOfDays          = sitesOfDays
	TakenDomain          = takenDomain
	TakenSlug            = takenSlug
	TurnsOfCheckIns      = turnsOfCheckIns
)
