package sett

import "testing"

func TestCheckIssue(t *testing.T) {
	t.Parallel()
	const (
		noTracker = "Please correct: channel_id must be the id of an integration that is an issue tracker."
		linked    = "This fault is already linked with an issue of this tracker. Unlink it to create another one."
		asked     = "This tracker was already asked for an issue of this fault, and has not answered yet. See the deliveries of the integration."
		unlinked  = "This fault is not linked with an issue of this tracker. Create one, or link one."
	)
	for _, c := range []struct {
		event                  AlertEvent
		tracker, linked, asked bool
		want                   string
	}{
		{AlertIssueCreate, true, false, false, ""},
		{AlertIssueCreate, false, false, false, noTracker},
		{AlertIssueCreate, true, true, false, linked},
		{AlertIssueCreate, true, false, true, asked},
		{AlertIssueClose, true, true, false, ""},
		{AlertIssueClose, true, true, true, ""},
		{AlertIssueClose, true, false, false, unlinked},
		{AlertIssueClose, false, true, false, noTracker},
		{AlertIssueReopen, true, true, false, ""},
		{AlertIssueReopen, true, false, true, unlinked},
	} {
		err := CheckIssue(c.event, IntegrationKind{Tracker: c.tracker}, c.linked, c.asked)
		if err == nil && c.want != "" || err != nil && (err.Error() != c.want || CodeOf(err) != Invalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
