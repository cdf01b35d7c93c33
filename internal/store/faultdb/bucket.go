package faultdb

// The widths of buckets, in seconds.
const (
	Minute = 60
	Hour   = 3600
	Day    = 86400
)

// Widths lists the widths of the buckets of faults and projects.
var Widths = [...]int64{Minute, Hour, Day}

// The kinds of named buckets.
const (
	OfClass    = "class"
	OfLocation = "location"
	OfUser     = "user"
)
