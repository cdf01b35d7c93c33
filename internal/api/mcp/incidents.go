package mcp

import (
	"net/url"

	"sett/internal/base/fence"
)

// incidentTools are the tools about status pages, whose visitors see what they write.
func incidentTools() []tool {
	page := param{name: "page", kind: ref, doc: "address of the status page, or id"}
	account := param{name: "account", kind: ref, doc: "id, if there are several"}
	const public = " Visitors and subscribers see it at once: show your user the text first."
	status := []string{"investigating", "identified", "monitoring", "resolved"}
	return []tool{{
		name: "list_incidents", title: "Incidents of status pages", scope: "incidents:read", doc: "The incidents of a status page with their updates. Without page: the status pages.",
		params: []param{page, account, limitParam()},
		run:    (*call).listIncidents,
	}, {
		name: "report_incident", title: "Report an incident in public", scope: "incidents:write", changes: outside, doc: "Open an incident on a status page." + public,
		params: []param{
			needed(page), account, needed(param{name: "name", doc: "title"}), needed(param{name: "message"}),
			{name: "status", enum: status},
			{name: "impact", enum: []string{"none", "minor", "major", "critical"}},
			{name: "site_ids", kind: list, doc: "affected sites; default the whole page"},
		},
		run: (*call).reportIncident,
	}, {
		name: "update_incident", title: "Update an incident in public", scope: "incidents:write", changes: outside, doc: "Add an update to an incident, or resolve it." + public,
		params: []param{
			needed(param{name: "incident", kind: ref, doc: "address, or id with page"}), page, account, needed(param{name: "message"}), {name: "status", enum: status},
		},
		run: (*call).updateIncident,
	}}
}

func incidentMembers() []fence.Words {
	return []fence.Words{"id", "kind", "status", "automatic", "starts_at", "ends_at", "resolved_at", "name", "impact", "site_ids"}
}

func (c *call) listIncidents() error {
	if err := c.ofAccount(); err != nil {
		return err
	}
	if c.at["status_page_id"] == "" {
		return c.list("listStatusPages", nil, "Status pages", fence.Person, "id", "name", "url", "domain")
	}
	var found results
	if err := c.ask("listIncidents", url.Values{"limit": {c.size()}}, nil, &found); err != nil {
		return err
	}
	for i, o := range found.Results {
		if c.Size() > mostBytes {
			c.left(len(found.Results) - i)
			break
		}
		c.showIncident(o)
	}
	c.more(found.Links, len(found.Results))
	if len(found.Results) == 0 {
		c.Say("There are no incidents.\n")
	}
	return nil
}

// showIncident shows an incident with its updates.
func (c *call) showIncident(o object) {
	c.showAll("Incident", []object{o}, fence.Person, 400, incidentMembers()...)
	for _, update := range o.many("updates") {
		c.show(update, fence.Person, 300, "created_at", "status", "automatic", "message")
	}
	c.Say("\n")
}

func (c *call) reportIncident() error {
	if err := c.ofAccount(); err != nil {
		return err
	}
	var made object
	if err := c.ask("createIncident", nil, map[string]any{"incident": c.only("name", "message", "status", "impact", "site_ids")}, &made); err != nil {
		return err
	}
	c.showIncident(made)
	return nil
}

func (c *call) updateIncident() error {
	if err := c.ofAccount(); err != nil {
		return err
	}
	if err := c.want("page"); err != nil {
		return err
	}
	if err := c.ask("createIncidentUpdate", nil, map[string]any{"update": c.only("message", "status")}, nil); err != nil {
		return err
	}
	var now object
	if err := c.ask("getIncident", nil, nil, &now); err != nil {
		return err
	}
	c.showIncident(now)
	return nil
}
