package checks

import (
	"testing"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/sett/run"
)

func (j *job) starts(at, id string) {
	j.update(j.Ping(Ping{At: clockAt(at), Run: run.Report{ID: id, Started: true}}))
}

func (j *job) ends(at, id string) {
	j.update(j.Ping(Ping{At: clockAt(at), Run: run.Report{ID: id}}))
}

func (j *job) wantRun(when, id string) {
	j.t.Helper()
	if j.Run.IsOpen() != (id != "") || j.Run.ID != id {
		j.t.Errorf("%s: the run is %+v, want %q", when, j.Run.Open, id)
	}
}

func TestARunThatDoesNotEndIsMissedOnce(t *testing.T) {
	t.Parallel()
	j := newJob(t, cronned("0 * * * *", "1 minute"))
	j.starts("12:00", "a")
	j.want("started for the first time", "pending - - 0")
	j.sweep("12:29:59")
	j.wantRun("before its time is over", "a")
	after, events := j.Sweep(clockAt("12:30"), nil)
	if len(events) != 1 || events[0].Facts == nil || events[0].Facts.Reason != "The job started on 18 November 2026, 12:00:00 UTC and has not ended within 30 minutes." ||
		events[0].Payload.Reason != events[0].Facts.Reason || after.Alerts(events)[0].Event != alerts.AlertCheckInMissing {
		t.Errorf("the events are %+v", events)
	}
	j.update(after, events)
	j.want("its time is over", "missing - - 1")
	j.wantRun("its time is over", "")
	j.sweep("14:30")
	j.ends("14:31", "a")
	j.want("ended late", "reporting 15:00:00 15:01:00 0")
	j.wantHistory("missing 12:30:00", "reporting 14:31:00")
}

// A job that takes longer than its grace period is not late: it started in time.
func TestAStartIsInTime(t *testing.T) {
	t.Parallel()
	j := newJob(t, cronned("0 * * * *", "1 minute"))
	j.ping("12:20")
	j.starts("13:00", "a")
	j.want("started", "reporting 14:00:00 14:01:00 0")
	j.sweep("13:20")
	j.ends("13:20", "a")
	j.want("ended", "reporting 14:00:00 14:01:00 0")
	j.sweep("14:10")
	j.starts("14:11", "b")
	j.want("started late", "missing 15:00:00 15:01:00 1")
	j.ends("14:12", "b")
	j.wantHistory("missing 14:01:00", "reporting 14:12:00")
	j.starts("14:00", "c")
	j.want("a start that was overtaken", "reporting 15:00:00 15:01:00 0")
}

func TestARunWhileNoServerIsAliveHasALittleLonger(t *testing.T) {
	t.Parallel()
	j := newJob(t, every("1 day", ""))
	j.starts("12:00", "a")
	j.blindFrom("12:20", "12:50")
	j.sweep("12:50")
	j.wantHistory("forgiven 12:50:00")
	j.sweep("12:51:59")
	j.wantRun("soon after", "a")
	j.sweep("12:52")
	j.wantHistory("missing 12:52:00")
	j.starts("13:00", "b")
	j.blindFrom("13:10", "13:20")
	j.sweep("13:30")
	j.wantHistory("missing 13:30:00")
}

func TestRunsAndPauses(t *testing.T) {
	t.Parallel()
	j := newJob(t, every("1 hour", "5 minutes"))
	j.ping("12:00")
	j.starts("12:50", "a")
	j.pause("12:51", "15:00")
	j.starts("13:00", "b")
	j.wantRun("while it is paused", "")
	j.sweep("15:00")
	j.starts("15:01", "c")
	j.wantRun("after the pause", "c")
	j.wantHistory("paused 12:51:00", "resumed 15:00:00")
}

// A job that never ends is reported so often and no more.
func TestRunsAreNotWatchedForever(t *testing.T) {
	t.Parallel()
	j := newJob(t, every("1 day", ""))
	at := clockAt("00:00")
	for range 2 * mostMisses {
		j.update(j.Ping(Ping{At: at, Run: run.Report{Started: true, Longest: time.Minute}}))
		at = at.Add(time.Minute)
		j.update(j.Sweep(at, nil))
	}
	if len(j.history) != mostMisses {
		t.Errorf("%d misses are reported", len(j.history))
	}
	j.ends("19 12:00", "")
	j.starts("19 12:01", "a")
	j.wantRun("after a ping", "a")
}

func TestARunOfAClockThatWasSetBack(t *testing.T) {
	t.Parallel()
	j := newJob(t, every("1 hour", "5 minutes"))
	j.starts("20 12:00", "a")
	j.update(j.SetBack(clockAt("12:00")))
	j.sweep("12:29")
	j.wantRun("before", "a")
	j.sweep("12:30")
	j.wantHistory("missing 12:30:00")
}
