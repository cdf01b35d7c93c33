package sett

import "time"

// DeployEffect is what came of a deploy, until the next one to its environment.
type DeployEffect struct {
	Resolved   int64     // faults that it resolved
	New        int64     // faults that were made after it
	Reopened   int64     // times that a resolved fault occurred again after it
	Until      time.Time // of the next deploy; zero: there was none yet
	HourBefore int64     // notices in its environment, in the 60 minutes before the minute of the deploy
	HourAfter  int64     // and in the 60 from that minute on
}
