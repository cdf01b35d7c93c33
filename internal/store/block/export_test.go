package block

var CountedBundles = countedBundles

const (
	RecentBlocksOf = recentBlocksOf
	RecentFacets   = recentFacets
)
