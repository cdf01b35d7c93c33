package store

// The widths of buckets, in seconds.
const (
	minute = 60
	hour   = 3600
	day    = 86400
)

// widths are those of the buckets that count faults and projects.
var widths = [...]int64{minute, hour, day}

// The kinds of named buckets.
const (
	ofClass    = "class"
	ofLocation = "location"
	ofUser     = "user"
)
