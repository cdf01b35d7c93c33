package sett

import "time"

// ProjectKey is an API key of a project, with which its clients report.
type ProjectKey struct {
	Key       string
	CreatedAt time.Time
	EndsAt    time.Time // from when it is worth nothing; zero: never
	UsedAt    time.Time // when a notice or deploy came with it, to the hour or so; zero: never
}

// MostProjectKeys is how many keys a project may have at a time.
const MostProjectKeys = 10

// KeyUseEvery is how often it is noted that a key is used.
const KeyUseEvery = time.Hour

// KeyGraces are the times for which a key that is revoked may still work: none, an hour, a day, a week, thirty days.
func KeyGraces() []time.Duration {
	return []time.Duration{0, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour}
}
