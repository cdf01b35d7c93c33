package mcp

import (
	"net/url"
	"slices"

	"sett/internal/base/fence"
	"sett/internal/serve"
)

// tools is the whole table.
func tools() []tool { return slices.Concat(errorTools(), operationTools(), incidentTools()) }

// operationTools are the tools about what runs: releases, sites, check-ins, maintenance and alarms.
func operationTools() []tool {
	return []tool{{
		name: "list_deploys", title: "Deploys", scope: "deploys:read", doc: "The newest deploys of a project.",
		params: []param{needed(projectParam()), {name: "environment"}, limitParam()},
		run:    (*call).listDeploys,
	}, {
		name: "list_releases", title: "Releases", scope: "deploys:read",
		doc:    "The newest releases with new and reopened errors and a verdict. With release: that one, with its commits.",
		params: []param{needed(projectParam()), {name: "release", kind: ref, doc: "version"}, limitParam()},
		run:    (*call).listReleases,
	}, {
		name: "list_sites", title: "Sites", scope: "uptime:read", doc: "The watched sites of a project and their states.",
		params: []param{needed(projectParam())},
		run:    func(c *call) error { return c.list("listSites", nil, "Sites", fence.Watched, siteMembers()...) },
	}, {
		name: "get_site", title: "Site with outages", scope: "uptime:read", doc: "One site, and its newest outages with their reasons.",
		params: []param{needed(param{name: "site", kind: ref, doc: "address, or id with project"}), projectParam(), limitParam()},
		run:    (*call).getSite,
	}, {
		name: "list_check_ins", title: "Check-ins", scope: "checkins:read", doc: "The check-ins (cron jobs) of a project and their states.",
		params: []param{needed(projectParam())},
		run: func(c *call) error {
			return c.list("listCheckIns", nil, "Check-ins", fence.Watched, checkInMembers()...)
		},
	}, {
		name: "get_check_in", title: "Check-in with history", scope: "checkins:read", doc: "One check-in, and its newest reports and misses with the output of the job.",
		params: []param{needed(param{name: "check_in", kind: ref, doc: "address, or id with project"}), projectParam(), limitParam()},
		run:    (*call).getCheckIn,
	}, {
		name: "list_maintenance", title: "Maintenance windows", scope: "uptime:read", doc: "The maintenance windows of a project, which hold its notifications.",
		params: []param{needed(projectParam()), limitParam()},
		run: func(c *call) error {
			return c.list("listMaintenanceWindows", url.Values{"limit": {c.size()}}, "Maintenance windows", fence.Person, windowMembers()...)
		},
	}, {
		name: "start_maintenance", title: "Start maintenance", scope: "uptime:write", changes: inside,
		doc: "Hold the notifications of a project about sites and check-ins for a time.",
		params: []param{
			needed(projectParam()), needed(param{name: "reason"}),
			{name: "starts_at", doc: "RFC 3339; default now"},
			{name: "ends_at", doc: "RFC 3339; default until ended, 7 days at most"},
			{name: "site_ids", kind: list, doc: "default all"},
			{name: "errors", kind: flag, doc: "hold those about errors too"},
		},
		run: (*call).startMaintenance,
	}, {
		name: "end_maintenance", title: "End maintenance", scope: "uptime:write", changes: inside, doc: "End a maintenance window now.",
		params: []param{needed(param{name: "window", kind: ref, doc: "address, or id with project"}), projectParam()},
		run:    (*call).endMaintenance,
	}, {
		name: "list_alarms", title: "Alarms", scope: "alarms:read", doc: "The alarms of a project, which count structured events. With alarm: that one, with its history.",
		params: []param{projectParam(), {name: "alarm", kind: ref, doc: "id or address"}, limitParam()},
		run:    (*call).listAlarms,
	}}
}

func siteMembers() []fence.Words {
	return []fence.Words{"id", "state", "active", "last_checked_at", "cert_will_expire_at", "name", "url", "locations"}
}

func checkInMembers() []fence.Words {
	return []fence.Words{"state", "reported_at", "expected_at", "missed_count", "id", "name", "slug", "schedule_type", "report_period", "cron_schedule", "cron_timezone"}
}

func windowMembers() []fence.Words {
	return []fence.Words{"id", "state", "starts_at", "ends_at", "until_ended", "errors", "held_count", "reason", "site_ids"}
}

func (c *call) listDeploys() error {
	query := url.Values{"limit": {c.size()}}
	if environment := c.word("environment"); environment != "" {
		query.Set("environment", environment)
	}
	return c.list("listDeploys", query, "Deploys", fence.Reporter, "id", "created_at", "environment", "revision", "local_username", "repository")
}

func (c *call) listReleases() error {
	members := []fence.Words{"created_at", "first_seen_at", "last_seen_at", "notices_count", "new_faults_count", "reopened_faults_count", "resolved_faults_count", "version", "previous_version", "verdict"}
	if c.at["version"] == "" {
		return c.list("listReleases", url.Values{"limit": {c.size()}}, "Releases", fence.Reporter, members...)
	}
	var found object
	if err := c.ask("getRelease", nil, nil, &found); err != nil {
		return err
	}
	c.showAll("Release", []object{found}, fence.Reporter, 400, members...)
	c.showAll("Commits", found.many("commits"), fence.Reporter, 400, "timestamp", "id", "message", "author_name")
	c.showAll("Deploys", found.many("deploys"), fence.Reporter, 400, "id", "created_at", "environment", "local_username")
	return nil
}

// one shows one thing, and then a list about it.
func (c *call) one(name, route string, title fence.Words, by fence.Origin, members ...fence.Words) error {
	for _, needed := range []string{"project", name} {
		if err := c.want(needed); err != nil {
			return err
		}
	}
	var found object
	if err := c.ask(route, nil, nil, &found); err != nil {
		return err
	}
	c.showAll(title, []object{found}, by, 400, members...)
	return nil
}

func (c *call) getSite() error {
	members := append(siteMembers(), "frequency", "match_type", "match", "request_method", "timeout", "outage_threshold")
	if err := c.one("site", "getSite", "Site", fence.Watched, members...); err != nil {
		return err
	}
	return c.list("listOutages", url.Values{"limit": {c.size()}}, "Outages", fence.Watched, "down_at", "up_at", "status", "reason", "location")
}

func (c *call) getCheckIn() error {
	if err := c.one("check_in", "getCheckIn", "Check-in", fence.Watched, append(checkInMembers(), "grace_period")...); err != nil {
		return err
	}
	var history results
	if err := c.ask("listCheckInEvents", url.Values{"limit": {c.size()}}, nil, &history); err != nil {
		return err
	}
	c.showAll("History", history.Results, fence.Watched, 1000, "event", "created_at", "reason", "payload")
	c.more(history.Links, len(history.Results))
	return nil
}

func (c *call) startMaintenance() error {
	var made object
	body := map[string]any{"maintenance_window": c.only("reason", "starts_at", "ends_at", "site_ids", "errors")}
	if err := c.ask("createMaintenanceWindow", nil, body, &made); err != nil {
		return err
	}
	c.showAll("Maintenance window", []object{made}, fence.Person, 400, windowMembers()...)
	return nil
}

func (c *call) endMaintenance() error {
	if err := c.want("project"); err != nil {
		return err
	}
	if err := c.ask("endMaintenanceWindow", nil, nil, nil); err != nil {
		return err
	}
	return c.one("window", "getMaintenanceWindow", "Maintenance window", fence.Person, windowMembers()...)
}

func (c *call) listAlarms() error {
	members := []fence.Words{"state", "last_checked_at", "next_check_at", "id", "name", "description", "query", "evaluation_period", "trigger_config", "error"}
	if err := c.want("project"); err != nil {
		return err
	}
	if c.at["alarm_id"] == "" {
		return c.list("listAlarms", url.Values{"limit": {c.size()}}, "Alarms", fence.Person, members...)
	}
	if err := c.one("alarm", "getAlarm", "Alarm", fence.Person, members...); err != nil {
		return err
	}
	var history struct {
		Triggers []object `json:"triggers"`
		Links    serve.Links
	}
	if err := c.ask("listAlarmHistory", url.Values{"limit": {c.size()}}, nil, &history); err != nil {
		return err
	}
	c.showAll("History", history.Triggers, fence.Reporter, 400, "state", "created_at", "result")
	c.more(history.Links, len(history.Triggers))
	return nil
}
