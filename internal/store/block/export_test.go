package block

import "fmt"

// CountedBundles is the statement that reads the notices for a block.
func (s *Store) CountedBundles() string { return fmt.Sprintf(countedBundles, s.counted()) }

const (
	RecentBlocksOf = recentBlocksOf
	RecentFacets   = recentFacets

	ObjectFigures    = objectFigures
	TalliesOfProject = talliesOfProject
	BlocksToRewrite  = blocksToRewrite
)
