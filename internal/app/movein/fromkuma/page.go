package fromkuma

import (
	"cmp"
	"context"
	"strings"
	"time"

	"sett/internal/sett/move"
	"sett/internal/store/otherdb"
)

// pages reads the status pages with their components and incidents.
func (r *reader) pages(ctx context.Context) error {
	at := map[string]int{}
	err := r.rows(ctx, "status_page", "id", func(row otherdb.Row) {
		name := cmp.Or(move.Line(row.Text("title"), move.MostName), row.Text("slug"))
		left := func(why string) { r.Leave("status pages", name, why, move.PagesPage) }
		if row.Text("password") != "" {
			left("It has a password, which does not come. Make it by hand, so that no one else sees it.")
			return
		}
		for column, what := range map[string]string{"description": "description", "footer_text": "footer", "custom_css": "CSS", "icon": "logo"} {
			if text := row.Text(column); text != "" && text != "/icon.svg" {
				left("Its " + what + " does not come.")
			}
		}
		_, indexed := row["search_engine_index"]
		at[row.Text("id")] = len(r.Pages)
		r.Pages = append(r.Pages, move.StatusPage{
			ID: row.Text("id"), Name: name, Slug: row.Text("slug"), Unlisted: !row.Flag("published") || indexed && !row.Flag("search_engine_index"),
		})
	})
	if err != nil {
		return err
	}
	page := func(row otherdb.Row) *move.StatusPage {
		if i, ok := at[row.Text("status_page_id")]; ok {
			return &r.Pages[i]
		}
		return nil
	}
	if err := r.domains(ctx, page); err != nil {
		return err
	}
	if err := r.components(ctx, page); err != nil {
		return err
	}
	return r.incidents(ctx, page)
}

func (r *reader) domains(ctx context.Context, page func(otherdb.Row) *move.StatusPage) error {
	return r.rows(ctx, "status_page_cname", "id", func(row otherdb.Row) {
		p, domain := page(row), move.Line(row.Text("domain"), move.MostName)
		switch {
		case p == nil:
		case p.Domain == "":
			p.Domain = domain
			r.Leave("domains", domain, "sett serves the page there once DNS says so.", move.PagesPage)
		default:
			r.Leave("domains", domain, "A page has one domain in sett.", move.PagesPage)
		}
	})
}

func (r *reader) components(ctx context.Context, page func(otherdb.Row) *move.StatusPage) error {
	if !r.Has("group") || !r.Has("monitor_group") {
		return nil
	}
	return r.Each(ctx, `SELECT g.status_page_id AS status_page_id, g.name AS name, m.monitor_id AS monitor_id FROM "group" g JOIN monitor_group m ON m.group_id = g.id
		WHERE g.public ORDER BY g.weight, g.id, m.weight, m.id LIMIT ?`, func(row otherdb.Row) error {
		p, id := page(row), row.Text("monitor_id")
		watched, ok := r.kinds[id]
		switch {
		case p == nil:
		case !ok:
			r.Leave("components", p.Name+": "+cmp.Or(r.names[id], r.groups[id], id), "What it shows does not come.", move.PagesPage)
		default:
			p.Components = append(p.Components, move.Component{Kind: watched.Kind, ID: watched.ID, Group: move.Line(row.Text("name"), move.MostName)})
		}
		return nil
	}, most)
}

func (r *reader) incidents(ctx context.Context, page func(otherdb.Row) *move.StatusPage) error {
	return r.rows(ctx, "incident", "id", func(row otherdb.Row) {
		p := page(row)
		if p == nil {
			return
		}
		i := move.Incident{ID: row.Text("id"), Name: move.Line(row.Text("title"), move.MostName), Message: row.Text("content"), Start: row.Time("created_date")}
		if i.Name = cmp.Or(i.Name, "Incident"); strings.TrimSpace(i.Message) == "" {
			i.Message = i.Name
		}
		if !row.Flag("active") || !row.Flag("pin") { // it is not shown any more
			if i.End = row.Time("last_updated_date"); i.End.Before(i.Start) {
				i.End = i.Start
			}
		}
		p.Incidents = append(p.Incidents, i)
	})
}

// maintenance reads the windows that are to come and have one beginning and end.
func (r *reader) maintenance(ctx context.Context) error {
	of := map[string][]move.Watched{}
	err := r.rows(ctx, "monitor_maintenance", "id", func(row otherdb.Row) {
		if w, ok := r.kinds[row.Text("monitor_id")]; ok {
			of[row.Text("maintenance_id")] = append(of[row.Text("maintenance_id")], w)
		}
	})
	if err != nil {
		return err
	}
	return r.rows(ctx, "maintenance", "id", func(row otherdb.Row) {
		name, id := move.Line(row.Text("title"), move.MostName), row.Text("id")
		if !row.Flag("active") {
			return
		}
		if strategy := row.Text("strategy"); strategy != "single" {
			r.Leave("maintenance", name, "It is of the kind "+move.Line(strategy, 40)+"; in sett a window has one beginning and one end.", move.MaintenancePage)
			return
		}
		zone, err := time.LoadLocation(r.zone(row.Text("timezone")))
		if err != nil || len(of[id]) == 0 {
			r.Leave("maintenance", name, "Its time zone, or what it is about, is not known.", move.MaintenancePage)
			return
		}
		within := func(column string) time.Time {
			at := row.Time(column)
			return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, zone)
		}
		r.Windows = append(r.Windows, move.Maintenance{ID: id, Reason: name, Start: within("start_date"), End: within("end_date"), Of: of[id]})
	})
}

// zone is the name of a time zone; that of the server may be a setting.
func (r *reader) zone(name string) string {
	if name == "" || name == "SAME_AS_SERVER" {
		name = r.settings["serverTimezone"]
	}
	return cmp.Or(name, "UTC")
}
