package mcp

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sett/internal/api/brief"
	"sett/internal/base/fence"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/faults"
)

// errorTools are the tools about errors and their events.
func errorTools() []tool {
	return []tool{{
		name: "whoami", title: "Projects of this token", doc: "Who you act for, and the projects and accounts that you can use, with their ids. Start here.",
		run: (*call).whoami,
	}, {
		name: "search_errors", title: "Search errors", scope: "faults:read",
		doc:    "Find errors of a project, newest occurrence first. Filters in q: -is:resolved, environment:production, class:TypeError, assignee:me, tag:x, or words of the message.",
		params: []param{needed(projectParam()), {name: "q", doc: "default -is:resolved -is:ignored"}, {name: "order", enum: []string{"recent", "frequent"}}, {name: "occurred_after", doc: "RFC 3339"}, limitParam()},
		run:    (*call).searchErrors,
	}, {
		name: "get_error", title: "Read an error", scope: "faults:read",
		doc:    "One error in at most 4,000 tokens: message, frames of the application with source, deploy, suspect commit, open changes, breadcrumbs, request, similar errors, counts, affected users, comments.",
		params: []param{errorParam(), projectParam(), {name: "event", kind: ref, doc: "id of one event; default the newest"}},
		run:    (*call).getError,
	}, {
		name: "get_event", title: "Read events", scope: "faults:read",
		doc:    "All that one event of an error reported: params, context, session, whole backtrace. Without event: the newest events of the error.",
		params: []param{{name: "event", kind: ref, doc: "id or address"}, {name: "error", kind: ref, doc: "address, or id with project"}, projectParam(), limitParam()},
		run:    (*call).getEvent,
	}, {
		name: "query_events", title: "Query structured events", scope: "insights:read",
		doc: "Run a BadgerQL query on the structured events of a project, for example: filter status::int >= 500 | stats count() as n by path::str | sort n desc | limit 20.",
		params: []param{
			needed(projectParam()), needed(param{name: "query", doc: "in BadgerQL"}),
			{name: "ts", doc: "period: PT3H (default), P1D, today, or two times with a slash"},
			{name: "timezone", doc: "IANA"},
		},
		run: (*call).queryEvents,
	}, {
		name: "update_error", title: "Change an error", scope: "faults:write", changes: inside,
		doc: "Resolve, reopen, ignore, assign or snooze an error, or link the pull request that fixes it. Only what you give changes.",
		params: []param{
			errorParam(), projectParam(),
			{name: "resolved", kind: flag},
			{name: "resolved_in", doc: "known revision with the fix; older ones do not reopen it"},
			{name: "resolve_on_deploy", kind: flag, doc: "the next deploy resolves it"},
			{name: "ignored", kind: flag, doc: "true discards further events"},
			{name: "assignee_id", kind: number, doc: "of a user; 0 for none"},
			{name: "snooze", enum: []string{"hour", "day", "week", "10", "100", "1000", "end"}, doc: "no notifications for a time or so many events"},
			{name: "change_url", doc: "pull request that fixes it; its deploy resolves"},
		},
		run: (*call).updateError,
	}, {
		name: "comment_on_error", title: "Comment on an error", scope: "faults:write", changes: inside,
		doc:    "Write a comment for the team, for example the cause or the address of a pull request.",
		params: []param{errorParam(), projectParam(), needed(param{name: "body", doc: "Markdown"})},
		run:    (*call).comment,
	}}
}

func (c *call) whoami() error {
	who := auth.PrincipalOf(c.r.Context())
	c.Say("# Token\n\n- User %: ", fence.Count(who.User.ID))
	c.Quote(fence.Person, who.User.Name+" "+who.User.Email, 200)
	c.Say("\n- Can change something: %\n- Scopes: ", fence.Is(slices.ContainsFunc(who.Grant.Scopes, func(s string) bool { return strings.HasSuffix(s, ":write") })))
	c.Quote(fence.Person, strings.Join(who.Grant.Scopes, " "), 1000)
	c.Say("\n\n")
	var accounts, projects results
	if err := c.ask("listAccounts", nil, nil, &accounts); err != nil {
		return err
	}
	if err := c.ask("listProjects", nil, nil, &projects); err != nil {
		return err
	}
	beyond := func(account string, project int64) bool { return !who.Grant.Reaches(account, project) }
	c.showAll("Accounts", slices.DeleteFunc(accounts.Results, func(o object) bool { return beyond(o.word("id"), 0) }), fence.Person, 160, "id", "name")
	c.showAll("Projects", slices.DeleteFunc(projects.Results, func(o object) bool { return beyond(o.word("account_id"), o.number("id")) }), fence.Reporter, 160,
		"id", "active", "unresolved_fault_count", "last_notice_at", "name", "account_id", "environments")
	return nil
}

func (c *call) searchErrors() error {
	q, ok := c.in["q"].(string)
	if !ok {
		q = "-is:resolved -is:ignored"
	}
	query := url.Values{"q": {q}, "limit": {c.size()}, "order": {"recent"}}
	for _, name := range []string{"order", "occurred_after"} {
		if v := c.word(name); v != "" {
			query.Set(name, v)
		}
	}
	return c.list("listFaults", query, "Errors", fence.Reporter, "id", "notices_count", "notices_count_in_range", "created_at", "last_notice_at", "resolved", "ignored", "paused",
		"klass", "message", "component", "action", "environment", "tags")
}

// readFault returns an error that the arguments name, if the token may see it.
func (c *call) readFault() (fault object, err error) {
	if c.at["fault_id"] == "" && c.at["notice_id"] != "" {
		if err := c.findEvent(); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"project", "error"} {
		if err := c.want(name); err != nil {
			return nil, err
		}
	}
	return fault, c.ask("getFault", nil, nil, &fault)
}

func (c *call) getError() error {
	fault, err := c.readFault()
	if err != nil {
		return err
	}
	b, err := c.door.Brief.Read(c.r.Context(), c.door.Now(), auth.PrincipalOf(c.r.Context()).User.ID, fault.number("project_id"), fault.number("id"), c.at["notice_id"])
	if err == nil {
		b.Write(c.Writer)
	}
	return err
}

func (c *call) getEvent() error {
	if c.at["notice_id"] == "" {
		if _, err := c.readFault(); err != nil {
			return err
		}
		return c.list("listNotices", url.Values{"limit": {c.size()}}, "Newest events", fence.Reporter, "id", "created_at", "message", "environment_name")
	}
	if err := c.findEvent(); err != nil {
		return err
	}
	var event object
	if err := c.ask("getNotice", url.Values{"original_backtrace": {"true"}}, nil, &event); err != nil {
		return err
	}
	c.Say("# Event of error %\n\n", fence.Count(event.number("fault_id")))
	c.show(event, fence.Reporter, 1000, "id", "created_at", "occurred_at", "klass", "message", "fingerprint", "tags", "repairs")
	for _, part := range []fence.Words{"request", "environment", "web_environment", "details", "local_variables", "correlation_context", "notifier", "causes", "breadcrumbs", "deploy"} {
		if _, said := valueOf(event[string(part)]); said != "" {
			c.Say("\n## %\n\n", fence.Known(part))
			c.Block(fence.Reporter, said, 2000)
			c.Say("\n")
		}
	}
	c.Say("\n## Backtrace\n\n")
	c.Block(fence.Reporter, traceOf(event), 5000)
	c.Say("\n")
	return nil
}

// traceOf returns the frames of an event, one to a line.
func traceOf(event object) string {
	frames := event.many("original_backtrace")
	if len(frames) == 0 {
		frames = event.many("backtrace")
	}
	var b strings.Builder
	for _, f := range frames {
		b.WriteString(f.word("file") + ":" + f.word("number") + " in " + f.word("method"))
		if f.word("context") == "app" {
			b.WriteString(" (app)")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func (c *call) queryEvents() error {
	var answer struct {
		Results []json.RawMessage `json:"results"`
		Meta    object            `json:"meta"`
	}
	if err := c.ask("queryInsights", nil, c.only("query", "ts", "timezone"), &answer); err != nil {
		return err
	}
	c.Say("# Rows\n\n")
	c.show(answer.Meta, fence.Reporter, 400, "rows", "total_rows", "start_at", "end_at", "partial", "fields", "notes")
	var b strings.Builder
	for _, row := range answer.Results {
		b.Write(append(row, '\n'))
	}
	c.Block(fence.Reporter, b.String(), mostBytes-1000)
	return nil
}

func (c *call) updateError() error {
	change := c.only("resolved", "resolved_in", "ignored", "resolve_on_deploy", "assignee_id")
	if n, ok := c.in["assignee_id"].(int64); ok && n == 0 {
		change["assignee_id"] = nil
	}
	snooze := c.word("snooze")
	link := c.word("change_url")
	if len(change) == 0 && snooze == "" && link == "" {
		return sett.Errorf(sett.Invalid, "Say what to change: resolved, resolved_in, resolve_on_deploy, ignored, assignee_id, snooze or change_url.")
	}
	if _, err := c.readFault(); err != nil {
		return err
	}
	if len(change) > 0 {
		if err := c.ask("updateFault", nil, map[string]any{"fault": change}, nil); err != nil {
			return err
		}
	}
	if link != "" {
		if err := c.ask("linkFaultCodeChange", nil, map[string]any{"url": link}, nil); err != nil {
			return err
		}
	}
	if err := c.snooze(snooze); err != nil {
		return err
	}
	fault, err := c.readFault()
	if err != nil {
		return err
	}
	state := faults.FaultState{}
	state.Resolved, _ = fault["resolved"].(bool)
	state.Ignored, _ = fault["ignored"].(bool)
	state.ResolveOnDeploy, _ = fault["resolve_on_deploy"].(bool)
	paused, _ := fault["paused"].(bool)
	c.Say("Done. Error % of project % is %.\n", fence.Count(fault.number("id")), fence.Count(fault.number("project_id")), fence.Known(brief.State(state, paused)))
	if fault["resolved_in"] != nil {
		c.show(fault, fence.Reporter, 255, "resolved_in")
	}
	if person := fault.inside("assignee"); person != nil {
		c.show(person, fence.Person, 100, "id", "name", "email")
	}
	return nil
}

// snooze pauses the notifications of an error, or ends the pause.
func (c *call) snooze(until string) error {
	switch count, err := strconv.Atoi(until); {
	case until == "":
		return nil
	case until == "end":
		return c.ask("unpauseFault", nil, nil, nil)
	case err == nil:
		return c.ask("pauseFault", nil, map[string]any{"count": count}, nil)
	default:
		return c.ask("pauseFault", nil, map[string]any{"time": until}, nil)
	}
}

func (c *call) comment() error {
	if auth.PrincipalOf(c.r.Context()).Grant.OfAccount {
		return sett.Errorf(sett.Forbidden, "Only a person can write comments, and this is the token of an account. Use a token of a person, from /me/tokens.")
	}
	if _, err := c.readFault(); err != nil {
		return err
	}
	var made object
	if err := c.ask("createComment", nil, map[string]any{"comment": c.only("body")}, &made); err != nil {
		return err
	}
	c.Say("Done. The comment has the id %.\n", fence.Count(made.number("id")))
	return nil
}
