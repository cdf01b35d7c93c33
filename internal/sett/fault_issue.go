package sett

// CheckIssue returns the Invalid error of asking an integration of a kind for what an event of AlertIssueCreate, AlertIssueClose and
// AlertIssueReopen stands for, or nil. linked says whether the fault is linked with an issue there, and asked whether the
// integration is at making one.
func CheckIssue(event AlertEvent, kind IntegrationKind, linked, asked bool) error {
	creates := event == AlertIssueCreate
	switch {
	case kind.LinkOnly:
		return Refuse("channel_id", "must be the id of a tracker in which sett can create issues; with %s, faults can only be linked", kind.Type)
	case !kind.Tracker:
		return Refuse("channel_id", "must be the id of an integration that is an issue tracker")
	case creates && linked:
		return Errorf(Invalid, "This fault is already linked with an issue of this tracker. Unlink it to create another one.")
	case creates && asked:
		return Errorf(Invalid, "This tracker was already asked for an issue of this fault, and has not answered yet. See the deliveries of the integration.")
	case !creates && !linked:
		return Errorf(Invalid, "This fault is not linked with an issue of this tracker. Create one, or link one.")
	}
	return nil
}
