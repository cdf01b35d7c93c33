package status

// Statements whose plans are tested. In a file of tests, the store would be compiled
// once more for the tests of this package.
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
