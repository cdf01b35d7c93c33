package releasedb

// Statements whose plans are tested.
const (
	CountFaults = countFaults
	ListFaults  = listFaults
)
