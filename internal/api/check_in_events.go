package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/checks"
)

// CheckInEvent is a line of a check-in's history.
type CheckInEvent struct {
	ID        int64        `json:"id"`
	Event     string       `json:"event" enum:"reported,missing,reporting,reminded,forgiven,paused,resumed,changed" doc:"reported: a ping arrived; missing: a ping was missed; reporting: the job succeeded after missed pings or failures; reminded: a ping is still missing, and no more are counted; forgiven: a ping was not expected because no server was running."`
	CreatedAt time.Time    `json:"created_at" doc:"Time of the event; for a missed ping, its deadline."`
	Payload   *PingPayload `json:"payload" doc:"Data that the job sent with the ping; null for none."`
	Reason    *string      `json:"reason" doc:"Of a miss: why, if the job started and did not end in time; null if no ping arrived."`
}

// PingPayload is the data of a ping.
type PingPayload struct {
	Status   *string `json:"status" enum:"success,error"`
	Duration *int64  `json:"duration" doc:"In milliseconds."`
	ExitCode *int    `json:"exit_code"`
	Stdout   string  `json:"stdout" doc:"Output of the job, or its end."`
	Stderr   string  `json:"stderr" doc:"Output of the job, or its end."`

	Environment *string `json:"environment" doc:"As Sentry SDKs send it."`
	Release     *string `json:"release" doc:"As Sentry SDKs send it."`
}

func viewCheckInEvent(e checks.CheckInEvent) CheckInEvent {
	v := CheckInEvent{ID: e.ID, Event: string(e.Kind), CreatedAt: e.At}
	switch p := e.Payload; {
	case p == nil:
	case e.Kind == checks.CheckInMissed:
		v.Reason = nullText(p.Reason)
	default:
		v.Payload = &PingPayload{
			Status: nullText(p.Status), Duration: p.Duration, ExitCode: p.ExitCode, Stdout: p.Stdout, Stderr: p.Stderr,
			Environment: nullText(p.Environment), Release: nullText(p.Release),
		}
	}
	return v
}

func (a *API) listCheckInEvents(w http.ResponseWriter, r *http.Request) error {
	c, err := a.checkIn(r)
	if err != nil {
		return err
	}
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	events, marks, err := a.Uptime.ListCheckInEvents(r.Context(), c.ProjectID, c.ID, page.Page)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(events, viewCheckInEvent), marks))
}
