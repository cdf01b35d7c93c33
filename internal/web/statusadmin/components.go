package statusadmin

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/web"
)

// componentRow is a site or check-in in the form of a page's components.
type componentRow struct {
	Key         string // site:<id> or check_in:<id>
	Kind        string
	Name        string // of the site or check-in
	Project     string
	DisplayName string
	Description string
	Group       string
	First, Last bool // of its kind
}

// choiceGroup is the sites or check-ins of one project that can be added.
type choiceGroup struct {
	Project string
	Choices []choice
}

type choice struct {
	Value, Label string
	On           bool
}

const siteKey, checkInKey = "site:", "check_in:"

func keyOf(c status.StatusChoice) string {
	if c.IsSite() {
		return siteKey + c.SiteID.String()
	}
	return checkInKey + c.CheckInID
}

func rowsOf(components []status.StatusComponent, choices []status.StatusChoice) (rows []componentRow) {
	known := map[string]status.StatusChoice{}
	for _, c := range choices {
		known[keyOf(c)] = c
	}
	for i, c := range components {
		row := componentRow{
			Key: keyOf(status.StatusChoice{SiteID: c.SiteID, CheckInID: c.CheckInID}), Kind: "Check-in", DisplayName: c.DisplayName, Description: c.Description, Group: c.Group,
			First: i == 0 || components[i-1].IsSite() != c.IsSite(), Last: i == len(components)-1 || components[i+1].IsSite() != c.IsSite(),
		}
		if c.IsSite() {
			row.Kind = "Site"
		}
		row.Name, row.Project = known[row.Key].Name, known[row.Key].Project
		rows = append(rows, row)
	}
	return rows
}

// choicesBeside returns the sites and check-ins that are not components yet, by project.
func choicesBeside(components []status.StatusComponent, choices []status.StatusChoice) (groups []choiceGroup) {
	for _, kind := range []string{"Sites", "Check-ins"} {
		for _, c := range choices {
			if c.IsSite() != (kind == "Sites") || slices.ContainsFunc(components, func(have status.StatusComponent) bool {
				return have.SiteID == c.SiteID && have.CheckInID == c.CheckInID
			}) {
				continue
			}
			name := kind + " of " + c.Project
			if n := len(groups); n == 0 || groups[n-1].Project != name {
				groups = append(groups, choiceGroup{Project: name})
			}
			last := &groups[len(groups)-1]
			last.Choices = append(last.Choices, choice{Value: keyOf(c), Label: c.Name})
		}
	}
	return groups
}

// componentsIn returns the components in a form after the action of its button: one is moved, added or removed. Entered texts
// are kept.
func componentsIn(form url.Values) (rows []componentRow) {
	names, texts, groups := form["display_name"], form["description"], form["group"]
	for i, key := range form["component"] {
		if i < len(names) && i < len(texts) {
			row := componentRow{Key: key, DisplayName: names[i], Description: texts[i]}
			if i < len(groups) {
				row.Group = groups[i]
			}
			rows = append(rows, row)
		}
	}
	do, at, _ := strings.Cut(form.Get("do"), " ")
	i, err := strconv.Atoi(at)
	switch {
	case do == "add" && form.Get("add") != "":
		return append(rows, componentRow{Key: form.Get("add")})
	case err != nil || i < 0 || i >= len(rows):
	case do == "up" && i > 0:
		rows[i-1], rows[i] = rows[i], rows[i-1]
	case do == "down" && i+1 < len(rows):
		rows[i], rows[i+1] = rows[i+1], rows[i]
	case do == "remove":
		rows = slices.Delete(rows, i, i+1)
	}
	return rows
}

// shownIn returns the change with one more site or check-in.
func shownIn(c status.StatusPageChange, row componentRow) status.StatusPageChange {
	said := status.StatusEntry{DisplayName: sett.Some(row.DisplayName), Description: sett.Some(row.Description), Group: sett.Some(row.Group)}
	if id, ok := strings.CutPrefix(row.Key, checkInKey); ok {
		c.CheckIns = sett.Some(append(c.CheckIns.Value, status.StatusCheckInChange{CheckInID: sett.Some(id), StatusEntry: said}))
		return c
	}
	c.Sites = sett.Some(append(c.Sites.Value, status.StatusSiteChange{SiteID: sett.Some(strings.TrimPrefix(row.Key, siteKey)), StatusEntry: said}))
	return c
}

func (p *pages) saveComponents(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	c := status.StatusPageChange{Sites: sett.Some([]status.StatusSiteChange{}), CheckIns: sett.Some([]status.StatusCheckInChange{})}
	rows := componentsIn(form)
	for _, row := range rows {
		c = shownIn(c, row)
	}
	return p.change(w, r, c, to(r, "/edit"), "saved", func(page *editPage, _ error) {
		for i := range page.Components {
			if at := slices.IndexFunc(rows, func(row componentRow) bool { return row.Key == page.Components[i].Key }); at >= 0 {
				page.Components[i].DisplayName, page.Components[i].Description, page.Components[i].Group = rows[at].DisplayName, rows[at].Description, rows[at].Group
			}
		}
	})
}
