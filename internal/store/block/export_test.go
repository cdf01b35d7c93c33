package block

const (
	RecentBlocksOf = recentBlocksOf
	RecentFacets   = recentFacets
)
