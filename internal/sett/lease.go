package sett

import "time"

// longestLease is for how long a lease is taken at most.
const longestLease = AgentSilence

// LatestLease returns when a lease that somebody holds now ends at the latest, by any server's clock. One that ends later
// was taken by a clock which was set back since, and is over.
func LatestLease(now time.Time) time.Time { return now.Add(longestLease + clockSkew) }
