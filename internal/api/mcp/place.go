package mcp

import (
	"cmp"
	"net/url"
	"strings"

	"sett/internal/serve/auth"
	"sett/internal/sett"
)

// places are what paths call the things that arguments name.
var places = map[string]string{
	"project": "project_id", "error": "fault_id", "event": "notice_id", "site": "site_id", "check_in": "check_in_id", "window": "window_id", "alarm": "alarm_id",
	"page": "status_page_id", "incident": "incident_id", "account": "account_id", "release": "version",
}

// folders are the parts of the addresses of pages and of the API after which an id stands.
var folders = map[string]string{
	"projects": "project_id", "faults": "fault_id", "sites": "site_id", "check_ins": "check_in_id", "maintenance": "window_id", "maintenance_windows": "window_id",
	"alarms": "alarm_id", "accounts": "account_id", "status_pages": "status_page_id", "incidents": "incident_id", "releases": "version", "notices": "notice_id", "notice": "notice_id",
}

// point notes what an argument names: an id, or the address of a page with all ids in it. It says what is wrong with the argument.
func (c *call) point(name, said string) (wrong string) {
	place := places[name]
	if !strings.Contains(said, "://") && (!strings.HasPrefix(said, "/") || place == "version") {
		return c.put(place, said)
	}
	at, ok := c.door.parse(said)
	switch {
	case !ok:
		return "must be an id, or an address that begins with " + c.door.BaseURL
	case at[place] == "" && (name != "error" || at["notice_id"] == ""):
		return "must be an id or the address of a page about one; this is another page"
	}
	for place, id := range at {
		wrong = cmp.Or(wrong, c.put(place, id))
	}
	return wrong
}

// put notes an id, unless another argument has another one: then it is unclear what is meant.
func (c *call) put(place, id string) (wrong string) {
	if c.at[place] != "" && id != "" && c.at[place] != id {
		return "has another " + strings.TrimSuffix(place, "_id") + " than another argument: give one of them"
	}
	c.at[place] = cmp.Or(id, c.at[place])
	return ""
}

// parse returns the ids in an address of this server.
func (d *Door) parse(address string) (at map[string]string, ok bool) {
	u, err := url.Parse(address)
	base, baseErr := url.Parse(d.BaseURL)
	if err != nil || baseErr != nil || u.Host != "" && !strings.EqualFold(u.Host, base.Host) {
		return nil, false
	}
	at = map[string]string{}
	parts := strings.Split(strings.TrimPrefix(u.Path, base.Path), "/")
	for i := 0; i < len(parts); i++ {
		place := folders[parts[i]]
		if place != "" && i+1 < len(parts) && parts[i+1] != "" && at[place] == "" {
			i++
			at[place] = parts[i]
		} else if _, err := sett.ParseUUID(parts[i]); err == nil && at["fault_id"] != "" {
			at["notice_id"] = parts[i]
		}
	}
	at["fault_id"], _, _ = strings.Cut(at["fault_id"], ".") // of an export, such as 42.md
	if notice := u.Query().Get("notice"); notice != "" {
		at["notice_id"] = notice
	}
	return at, true
}

// want returns an error unless the arguments name a thing.
func (c *call) want(name string) error {
	if c.at[places[name]] != "" {
		return nil
	}
	if name == "project" {
		return sett.Errorf(sett.Invalid, "Give project: its id, or the address of one of its pages. The tool whoami lists projects.")
	}
	return sett.Errorf(sett.Invalid, "Give %s: its id, or the address of its page.", name)
}

// findEvent looks up the error of an event that is named by its id alone.
func (c *call) findEvent() error {
	uuid, err := sett.ParseUUID(c.at["notice_id"])
	if err != nil {
		return sett.Errorf(sett.Invalid, "The event must be its id, which is a UUID, or its address.")
	}
	if c.at["fault_id"] != "" {
		return c.want("project")
	}
	project, fault, err := c.door.Brief.Faults.NoticePlace(c.r.Context(), auth.PrincipalOf(c.r.Context()).User.ID, uuid)
	if err != nil {
		return err
	}
	c.at["project_id"], c.at["fault_id"] = decimal(project), decimal(fault)
	return nil
}

// ofAccount finds the account: the one that was named, that of the token, or the only one of the user.
func (c *call) ofAccount() error {
	if c.at["account_id"] == "" {
		c.at["account_id"] = auth.PrincipalOf(c.r.Context()).Grant.AccountID
	}
	if c.at["account_id"] != "" {
		return nil
	}
	var found results
	if err := c.ask("listAccounts", nil, nil, &found); err != nil {
		return err
	}
	if len(found.Results) != 1 {
		return sett.Errorf(sett.Invalid, "Give account: you belong to several. The tool whoami lists them.")
	}
	c.at["account_id"] = found.Results[0].word("id")
	return nil
}
