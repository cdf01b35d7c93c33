package statuspage

import "sett/internal/serve"

// subscribeRoutes are those by which people subscribe to a page and unsubscribe, below its root.
func (p *Pages) subscribeRoutes(string) []serve.Route { return nil }
