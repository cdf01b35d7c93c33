package notify

import "time"

// retries is the backoff after each failed attempt; after one more failure the message fails. That is about 42 hours.
func retries() []time.Duration {
	return []time.Duration{
		5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
		2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 24 * time.Hour,
	}
}

// jitter is the random share by which a wait is shortened or lengthened, so that messages that failed together are not
// retried together.
const jitter = 0.2

// retryAfter returns the wait after the given number of failed attempts; chance is from 0 to 1. again is false after the
// last one.
func retryAfter(tries int, chance float64) (wait time.Duration, again bool) {
	table := retries()
	if tries < 1 || tries > len(table) {
		return 0, false
	}
	factor := 1 + jitter*(2*chance-1)
	return time.Duration(float64(table[tries-1]) * factor), true
}
