package ingest

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/sett/move"
	"sett/internal/store/uptimedb"
)

// pingRecorder is what Pings needs of the store; a test puts a failing one in its place.
type pingRecorder interface {
	RecordPings(context.Context, []uptimedb.PingReport) (found []bool, err error)
}

// Pings passes check-in pings to the store: those that arrive together share a transaction.
type Pings struct {
	committer *committer[uptimedb.PingReport, bool]
	spool     *Spool // nil: there is none
}

// KeepIn gives pings a spool to wait in while the store does not take them. Call it before the first ping arrives.
func (p *Pings) KeepIn(s *Spool) { p.spool = s }

// record stores a ping, and reports whether it has a check-in; one that goes to the spool is believed to have.
func (p *Pings) record(ping uptimedb.PingReport) (found bool, err error) {
	if !p.spool.Holds() {
		if found, err = p.committer.do(ping); !p.spool.takes(err) {
			return found, err
		}
	}
	return true, p.spool.Ping(ping)
}

// NewPings returns running Pings; Close ends them.
func NewPings(r pingRecorder, now func() time.Time, log *slog.Logger) *Pings {
	failures := trouble{message: "reports of check-ins cannot be stored, so clients get an error"}
	return &Pings{committer: newCommitter(func(ctx context.Context, pings []uptimedb.PingReport) ([]bool, error) {
		found, err := r.RecordPings(ctx, pings)
		failures.note(log, now(), err)
		return found, err
	})}
}

// Close takes nothing more, stores what is queued and returns when that is done.
func (p *Pings) Close() { p.committer.close() }

// Queued returns how many pings wait for the next commit.
func (p *Pings) Queued() int { return len(p.committer.queue) }

// pingBody documents the JSON of a ping (wire.md §7.1).
type pingBody struct {
	CheckIn pingPart `json:"check_in,omitzero" doc:"Its fields can also be at the top level"`
}

type pingPart struct {
	Status   string `json:"status,omitempty" enum:"success,error" doc:"Result of the job. A failed job counts as reported, and its check-in is failing until it succeeds. ok, fail, failed and failure are read too"`
	Duration int64  `json:"duration,omitempty" doc:"Duration of the job in milliseconds"`
	ExitCode int    `json:"exit_code,omitempty"`
	Stdout   string `json:"stdout,omitempty" doc:"Output of the job. The last 20 KiB of both outputs together are kept"`
	Stderr   string `json:"stderr,omitempty"`
}

const (
	pingPath       = "/v1/check_in/{check_in_id}"
	pingBySlugPath = "/v1/check_in/{key}/{slug}"
	pingMethods    = "GET, HEAD, POST, OPTIONS"
)

func (in *Ingest) pingRoutes() []serve.Route {
	const tag = "Reporting"
	return []serve.Route{
		{
			Method: http.MethodGet, Path: pingPath, Name: "ping", Tag: tag, Permission: accounts.Public,
			Result: recorded{}, Quiet: true, Handle: in.ping,
			Doc: "Report that the job of a check-in ran.",
		},
		{
			Method: http.MethodHead, Path: pingPath, Name: "pingByHead", Tag: tag, Permission: accounts.Public,
			Quiet: true, Handle: in.ping,
			Doc: "Report that the job of a check-in ran, with a response without a body.",
		},
		{
			Method: http.MethodPost, Path: pingPath, Name: "pingWithPayload", Tag: tag, Permission: accounts.Public,
			Body: pingBody{}, Raw: true, Result: recorded{}, Quiet: true, Handle: in.pingWithPayload,
			Doc: "Report that the job of a check-in ran, with its result. The report counts even if the body is not valid; unreadable parts are ignored.",
		},
		{
			Method: http.MethodGet, Path: pingBySlugPath, Name: "pingBySlug", Tag: tag, Permission: accounts.Public,
			Result: recorded{}, Quiet: true, Handle: in.ping,
			Doc: "Report that the job of the check-in with a slug ran.",
		},
		{
			Method: http.MethodHead, Path: pingBySlugPath, Name: "pingBySlugByHead", Tag: tag, Permission: accounts.Public,
			Quiet: true, Handle: in.ping,
			Doc: "Report that the job of the check-in with a slug ran, with a response without a body.",
		},
		{
			Method: http.MethodPost, Path: pingBySlugPath, Name: "pingBySlugWithPayload", Tag: tag, Permission: accounts.Public,
			Body: pingBody{}, Raw: true, Result: recorded{}, Quiet: true, Handle: in.pingWithPayload,
			Doc: "Report that the job of the check-in with a slug ran, with its result. The report counts even if the body is not valid; unreadable parts are ignored.",
		},
		{
			Method: http.MethodOptions, Path: pingPath, Name: "preflightPing", Tag: tag,
			Permission: accounts.Public, Status: http.StatusNoContent,
			Doc: "CORS preflight for reports from browsers.", Quiet: true, Handle: preflight(pingMethods),
		},
		{
			Method: http.MethodOptions, Path: pingBySlugPath, Name: "preflightPingBySlug", Tag: tag,
			Permission: accounts.Public, Status: http.StatusNoContent,
			Doc: "CORS preflight for reports from browsers.", Quiet: true, Handle: preflight(pingMethods),
		},
	}
}

// ping takes a ping that says no more than that. It answers 200 only once the ping is durably stored.
func (in *Ingest) ping(w http.ResponseWriter, r *http.Request) error {
	return in.recordPing(w, r, nil)
}

// pingWithPayload takes a ping with a body. A body that is broken, or breaks off, was sent by a job that ran.
func (in *Ingest) pingWithPayload(w http.ResponseWriter, r *http.Request) error {
	m := in.memories.take()
	var payload *checks.PingPayload
	if body, err := in.inflated(w, r, m); err == nil {
		if payload = checks.ParsePing(body); payload == nil {
			if doc, _, ok := m.readable(body, errUnread); ok {
				payload = checks.ParsePing(doc)
			}
		}
	}
	in.memories.giveBack(m)
	in.cleanPing(r, payload)
	return in.recordPing(w, r, payload)
}

// errUnread stands for why nothing was read of the body of a ping, which is never refused.
var errUnread = sett.Errorf(sett.Malformed, "The body cannot be read.")

// cleanPing removes what is secret from what a job printed. A ping at an address without an API key does not say of which project it is, so
// that the rules of its project are not known: what is usually secret is removed.
func (in *Ingest) cleanPing(r *http.Request, p *checks.PingPayload) {
	if p == nil || p.Stdout == "" && p.Stderr == "" {
		return
	}
	var project accounts.KeyedProject
	if key := r.PathValue("key"); key != "" {
		project, _ = in.project(r.Context(), key) // one that is unknown has no check-in either
	}
	p.Stdout, p.Stderr = in.cleanText(project, p.Stdout), in.cleanText(project, p.Stderr)
}

func (in *Ingest) recordPing(w http.ResponseWriter, r *http.Request, payload *checks.PingPayload) error {
	w.Header().Set("Cache-Control", "no-store") // what a cache answered would not be a ping
	report := uptimedb.PingReport{
		ID: r.PathValue("check_in_id"), Key: r.PathValue("key"), Slug: r.PathValue("slug"),
		Ping: checks.Ping{At: in.now(), Payload: payload, Source: checks.NewPingSource(auth.AddressText(in.proxies, r), in.cleanText(accounts.KeyedProject{}, r.UserAgent()))},
	}
	found, err := in.pings.record(report)
	if err == nil && !found && report.Key == "" { // it may be the id that the check-in had where it came from
		report.ID, err = in.uptime.CheckInOfAlias(r.Context(), move.CheckInAlias(report.ID))
		if sett.CodeOf(err) == sett.NotFound {
			return in.noPing(r)
		}
		if err == nil {
			found, err = in.pings.record(report)
		}
	}
	switch {
	case err != nil:
		return err
	case !found:
		return in.noPing(r)
	}
	in.forwardPing(r, payload)
	return serve.WriteJSON(w, http.StatusOK, recorded{Status: "OK"})
}

// noPing returns the error for a ping that found no check-in, and counts it if it came with the key of a project.
func (in *Ingest) noPing(r *http.Request) error {
	var err error = sett.Errorf(sett.NotFound, "Check-in not found. Copy the URL from its page.")
	key := r.PathValue("key")
	if key == "" {
		return err
	}
	project, unknown := in.project(r.Context(), key)
	if unknown != nil {
		return err
	}
	if project.Scope == accounts.ScopeNotices {
		err = accounts.ScopeNotices.RefuseMore("report check-ins")
	}
	return in.refuseCheckIn(project, r.PathValue("slug"), err)
}
