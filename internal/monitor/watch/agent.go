package watch

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"sett/internal/monitor/probe"
	"sett/internal/monitor/prober"
	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store/uptimedb"
)

const (
	pollPatience = 20 * time.Second // that an agent's poll waits for news
	mostMessage  = 16 << 20         // bytes of what an agent says, unpacked
	mostReports  = 1000             // in one upload
	mostName     = 100              // bytes of a version or a stream
)

// Routes returns what agents call.
func (s *Sites) Routes() []serve.Route {
	const tag = "Agents"
	return []serve.Route{
		{
			Method: http.MethodPost, Path: prober.PollPath, Name: "pollAgent", Tag: tag, Permission: accounts.Public, Quiet: true,
			Body: prober.Poll{}, Raw: true, Result: prober.Orders{}, Handle: s.poll,
			Doc: "Get the sites that an agent checks: the changes since the last response. Waits up to 20 seconds for changes. Used by sett agent, with its token as a Bearer token.",
		},
		{
			Method: http.MethodPost, Path: prober.UploadPath, Name: "uploadChecks", Tag: tag, Permission: accounts.Public, Quiet: true,
			Body: prober.Upload{}, Raw: true, Result: prober.Receipt{}, Handle: s.upload,
			Doc: "Upload results of an agent. A batch counts only once, even if it is sent again.",
		},
	}
}

// readMessage reads what an agent says, once it is known.
func (s *Sites) readMessage(w http.ResponseWriter, r *http.Request, message any) (checks.Agent, error) {
	agent, err := auth.Agent(s.Uptime, r)
	if err != nil {
		return agent, s.DB.Explain(err)
	}
	serve.Known(r.Context())
	var body io.Reader = http.MaxBytesReader(w, r.Body, mostMessage)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(body)
		if sett.CodeOf(err) != "" {
			return agent, err
		}
		if err != nil {
			return agent, sett.Errorf(sett.Malformed, "The request body is not in the gzip format.")
		}
		body = unpacked
	}
	limited := &io.LimitedReader{R: body, N: mostMessage}
	err = json.NewDecoder(limited).Decode(message)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge || limited.N <= 0 {
		return agent, sett.Errorf(sett.TooLarge, "The request body is larger than %d bytes.", mostMessage)
	}
	if sett.CodeOf(err) != "" {
		return agent, err
	}
	if err != nil {
		return agent, sett.Errorf(sett.Malformed, "The request body is not valid for an agent. Update the agent to the version of the server.")
	}
	return agent, nil
}

// checkSpeaker returns an error when an agent cannot be understood. It keeps what it has found until it was updated.
func checkSpeaker(protocol int, location checks.Location) error {
	if protocol != prober.Protocol {
		return sett.Errorf(sett.Conflict, "The agent uses version %d of the protocol, and the server version %d. Run the same version of sett on both.", protocol, prober.Protocol)
	}
	if _, err := checks.ParseLocation(string(location)); err != nil {
		return sett.Errorf(sett.Conflict, "location %s", err)
	}
	return nil
}

// isShort reports whether a text from an agent can be stored: JSON is UTF-8, but may contain NUL, which PostgreSQL refuses.
func isShort(text string) bool { return len(text) <= mostName && !strings.ContainsRune(text, 0) }

// poll answers with what has changed, and waits for it a while.
func (s *Sites) poll(w http.ResponseWriter, r *http.Request) error {
	var p prober.Poll
	agent, err := s.readMessage(w, r, &p)
	location := checks.Location(p.Location)
	if err == nil {
		err = checkSpeaker(p.Protocol, location)
	}
	if err == nil && !isShort(p.Version) {
		err = sett.Errorf(sett.Invalid, "The version of an agent can have at most %d bytes.", mostName)
	}
	if err != nil {
		return err
	}
	serve.SetPrincipal(r.Context(), "agent:"+agent.Name)
	woken, stop := s.DB.Sleep(uptimedb.SitesChanged)
	defer stop()
	says := checks.AgentReport{Location: location, Version: p.Version, Degraded: p.Degraded, Skew: s.clocks.skew(agent, p.Sent, s.Now())}
	for patience := time.After(pollPatience); ; {
		orders, news, err := s.orders(r.Context(), agent, says, p)
		if err != nil {
			return s.DB.Explain(err)
		}
		if news {
			return serve.WriteJSON(w, http.StatusOK, orders)
		}
		select {
		case <-woken:
		case <-time.After(feedEvery): // it is alive as long as it waits
		case <-patience:
			return serve.WriteJSON(w, http.StatusOK, orders)
		case <-s.draining:
			return &sett.Error{Code: sett.Unavailable, Message: "The server is stopping. Try again in a moment.", RetryAfter: time.Second}
		case <-r.Context().Done():
			return nil
		}
	}
}

// orders returns what an agent is to do, and whether that is news to it.
func (s *Sites) orders(ctx context.Context, agent checks.Agent, says checks.AgentReport, p prober.Poll) (o prober.Orders, news bool, err error) {
	o.Protocol = prober.Protocol
	active, err := s.Uptime.AgentSeen(ctx, s.Now(), agent.ID, says)
	switch {
	case err != nil:
		return o, false, err
	case !active:
		o.Standby = true
		return o, p.Revision != 0, nil
	}
	changes, err := s.changesFor(ctx, says.Location, p.Revision)
	o.Changes = understood(changes, p.Kinds)
	return o, o.Changes.All && o.Changes.Revision != p.Revision || len(o.Changes.Targets)+len(o.Changes.Gone) > 0, err
}

// understood returns the changes without the sites that an agent cannot check, by the abilities that it has named. It may have
// checked such a site before its settings changed.
func understood(c prober.Changes, abilities []string) prober.Changes {
	if len(abilities) == 0 {
		abilities = []string{checks.HTTPSites().Type}
	}
	targets := c.Targets
	c.Targets = nil
	for _, t := range targets {
		needs, ok := probe.Needs(t.Request)
		if ok && !slices.ContainsFunc(needs, func(n string) bool { return !slices.Contains(abilities, n) }) {
			c.Targets = append(c.Targets, t)
		} else if !c.All {
			c.Gone = append(c.Gone, t.ID)
		}
	}
	return c
}

// upload stores what an agent has found and answers when it is on the disk.
func (s *Sites) upload(w http.ResponseWriter, r *http.Request) error {
	var u prober.Upload
	agent, err := s.readMessage(w, r, &u)
	location := checks.Location(u.Location)
	if err == nil {
		err = checkSpeaker(u.Protocol, location)
	}
	if err != nil {
		return err
	}
	serve.SetPrincipal(r.Context(), "agent:"+agent.Name)
	if u.Stream == "" || !isShort(u.Stream) || u.Sequence < 1 || len(u.Reports) > mostReports {
		return sett.Errorf(sett.Invalid, "A batch needs a stream of at most %d bytes, a sequence from 1, and at most %d reports.", mostName, mostReports)
	}
	now := s.Now()
	skew := s.clocks.skew(agent, u.Sent, now)
	batch := uptimedb.AgentUpload{AgentID: agent.ID, Location: location, Stream: u.Stream, Sequence: u.Sequence, Dropped: u.Dropped}
	for _, report := range u.Reports {
		batch.Reports = append(batch.Reports, reported(report, location).FromAgent(skew, now))
	}
	events, repeated, err := s.Uptime.RecordUpload(r.Context(), now, batch)
	if err != nil {
		return s.DB.Explain(err)
	}
	logEvents(s.Log, events)
	return serve.WriteJSON(w, http.StatusOK, prober.Receipt{Repeated: repeated})
}
