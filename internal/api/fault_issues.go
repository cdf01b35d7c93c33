package api

import (
	"net/http"

	"sett/internal/notify/channel"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
)

const issuePath = faultPath + "/issue"

func (a *API) faultIssueRoutes() []serve.Route {
	const tag = "Faults"
	return []serve.Route{
		{
			Method: "POST", Path: issuePath, Name: "createFaultIssue", Tag: tag, Permission: accounts.WorkFaults,
			Body: issueBody{}, Result: Delivery{}, Status: http.StatusAccepted, Handle: a.askIssue(alerts.AlertIssueCreate),
			Doc: "Create an issue for a fault in an issue tracker. The fault is linked with the issue when it is created. The delivery shows the result.",
		},
		{
			Method: "POST", Path: issuePath + "/close", Name: "closeFaultIssue", Tag: tag, Permission: accounts.WorkFaults,
			Body: issueBody{}, Result: Delivery{}, Status: http.StatusAccepted, Handle: a.askIssue(alerts.AlertIssueClose),
			Doc: "Close the linked issue of a fault in an issue tracker.",
		},
		{
			Method: "POST", Path: issuePath + "/reopen", Name: "reopenFaultIssue", Tag: tag, Permission: accounts.WorkFaults,
			Body: issueBody{}, Result: Delivery{}, Status: http.StatusAccepted, Handle: a.askIssue(alerts.AlertIssueReopen),
			Doc: "Reopen the linked issue of a fault in an issue tracker.",
		},
	}
}

// issueBody says which issue tracker is meant.
type issueBody struct {
	ChannelID sett.Optional[int64] `json:"channel_id" required:"true" doc:"Id of an integration of the project that is an issue tracker."`
}

// askIssue returns the handler that asks an issue tracker for something.
func (a *API) askIssue(event alerts.AlertEvent) serve.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		var body issueBody
		if err := decodeOwn(w, r, &body); err != nil {
			return err
		}
		var problems sett.Problems
		sett.CheckSent(&problems, "channel_id", body.ChannelID, "an integer")
		if err := problems.Refusal(); err != nil {
			return err
		}
		d, err := a.Deliveries.AskIssue(r.Context(), a.Now(), userID(r), pathID(r, "project_id"), pathID(r, "fault_id"), body.ChannelID.Value, event, channel.Rules())
		return writeDelivery(w, d, err)
	}
}
