package release

// Statements whose plans are tested. In a file of tests, the store would be compiled
// once more for the tests of this package.
const (
	CountFaults = countFaults
	ListFaults  = listFaults
)
