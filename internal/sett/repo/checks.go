package repo

import "slices"

// CheckState reads the state of a check or a pipeline, in the words of any of the hosts: a status of GitHub, Gitea or Bitbucket, a pipeline
// of GitLab.
func CheckState(said string) Checks {
	switch said {
	case "success", "SUCCESSFUL", "warning":
		return ChecksPassed
	case "failure", "error", "failed", "canceled", "FAILED", "STOPPED":
		return ChecksFailed
	case "pending", "running", "created", "preparing", "waiting_for_resource", "INPROGRESS":
		return ChecksRunning
	}
	return ChecksUnknown
}

// CheckRun reads the status and the conclusion of a check run or a check suite of GitHub.
func CheckRun(status, conclusion string) Checks {
	switch {
	case status != "completed":
		return ChecksRunning
	case slices.Contains([]string{"success", "neutral", "skipped"}, conclusion):
		return ChecksPassed
	case slices.Contains([]string{"failure", "timed_out", "startup_failure", "cancelled", "action_required"}, conclusion):
		return ChecksFailed
	}
	return ChecksUnknown
}

// Together is the result of several checks: one that failed decides, then one that runs.
func Together(all []Checks) Checks {
	for _, c := range []Checks{ChecksFailed, ChecksRunning, ChecksPassed} {
		if slices.Contains(all, c) {
			return c
		}
	}
	return ChecksUnknown
}

// TogetherOfSome is Together where there are more checks than these: that all have passed is not known.
func TogetherOfSome(some []Checks) Checks {
	if c := Together(some); c != ChecksPassed {
		return c
	}
	return ChecksUnknown
}
