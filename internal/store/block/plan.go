package block

import "fmt"

// CountedBundles is the statement that reads the notices for a block. Its plan is tested.
func (s *Store) CountedBundles() string { return fmt.Sprintf(countedBundles, s.counted()) }

// Statements whose plans are tested. In a file of tests, the store would be compiled
// once more for the tests of this package.
const (
	RecentBlocksOf = recentBlocksOf
	RecentFacets   = recentFacets

	ObjectFigures    = objectFigures
	TalliesOfProject = talliesOfProject
	BlocksToRewrite  = blocksToRewrite
)
