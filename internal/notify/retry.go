package notify

import "time"

// retries are how long a message waits after each try that failed; after one more it is given up. That is some 42 hours.
func retries() []time.Duration {
	return []time.Duration{
		5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
		2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 24 * time.Hour,
	}
}

// spread is the share by which chance may shorten or lengthen a wait, so that what failed together does not come back
// together.
const spread = 0.2

// retryAfter returns how long to wait after so many tries, of which the last has just failed; chance is from 0 to 1.
// again is false when the message is to be given up.
func retryAfter(tries int, chance float64) (wait time.Duration, again bool) {
	table := retries()
	if tries < 1 || tries > len(table) {
		return 0, false
	}
	factor := 1 + spread*(2*chance-1)
	return time.Duration(float64(table[tries-1]) * factor), true
}
