package dashboard

// Template is a dashboard that is ready to be made.
type Template struct {
	Name  string // of the form
	Title string
	About string   // a sentence: what it shows, and from which client
	Types []string // event types that fill it; none: what sett records
	Settings
}

// view is a widget with a query.
func view(title, query, as string, g Grid) Widget {
	return Widget{Type: Query, Grid: g, Presentation: map[string]any{"title": title}, Config: map[string]any{
		"query": query, "streams": []any{"default", "internal"}, "vis": map[string]any{"view": as},
	}}
}

func list(t Type, title string, g Grid) Widget {
	return Widget{Type: t, Grid: g, Presentation: map[string]any{"title": title}}
}

// Templates returns what a dashboard can begin with. Their queries ask for what released clients send.
func Templates() []Template {
	left, right := func(y int) Grid { return Grid{0, y, 6, 3} }, func(y int) Grid { return Grid{6, y, 6, 3} }
	all := []Template{
		{Name: "overview", Title: "Overview", About: "Errors, deploys, alarms, sites and check-ins. Nothing needs to be sent.", Settings: Settings{Widgets: []Widget{
			view("Events of errors", `filter event_type::str == "notice" | stats count() as events by bin()`, "bar", Grid{0, 0, 12, 3}),
			list(Errors, "Errors", left(3)), list(Deploys, "Deploys", right(3)),
			list(Alarms, "Alarms", left(6)), list(Uptime, "Sites", right(6)), list(CheckIns, "Check-ins", left(9)),
			view("Response times of sites in ms", `filter event_type::str == "uptime_check" and up::bool == true | stats avg(duration::int) as ms by bin(), site.name::str`, "line", right(9)),
		}}},
		{Name: "rails", Title: "Rails", About: "Requests, controllers and queries, from the Ruby client with Insights turned on.", Types: []string{"process_action.action_controller", "sql.active_record"}, Settings: Settings{Widgets: []Widget{
			view("Requests", `filter event_type::str == "process_action.action_controller" | stats count() as requests by bin()`, "bar", left(0)),
			view("Failed requests", `filter event_type::str == "process_action.action_controller" and status::int >= 500 | stats count() as failed by bin()`, "bar", right(0)),
			view("Duration in ms", `filter event_type::str == "process_action.action_controller" | stats avg(duration::float) as average, percentile(95, duration::float) as p95 by bin()`, "line", left(3)),
			view("Slowest actions", `filter event_type::str == "process_action.action_controller" | stats percentile(95, duration::float) as p95, count() as requests by controller::str, action::str | sort p95 desc | limit 10`, "table", right(3)),
			view("Slowest queries", `filter event_type::str == "sql.active_record" | stats avg(duration::float) as ms, count() as n by query::str | sort ms desc | limit 10`, "table", Grid{0, 6, 12, 3}),
			view("Jobs", `filter event_type::str == "perform.active_job" | stats count() as jobs, avg(duration::float) as ms by job_class::str | sort jobs desc | limit 10`, "table", Grid{0, 9, 12, 3}),
		}}},
		{Name: "django", Title: "Django", About: "Requests, views and queries, from the Python client with Insights turned on.", Types: []string{"django.request", "db.query"}, Settings: Settings{Widgets: []Widget{
			view("Requests", `filter event_type::str == "django.request" | stats count() as requests by bin()`, "bar", left(0)),
			view("Failed requests", `filter event_type::str == "django.request" and status::int >= 500 | stats count() as failed by bin()`, "bar", right(0)),
			view("Duration in ms", `filter event_type::str == "django.request" | stats avg(duration::float) as average, percentile(95, duration::float) as p95 by bin()`, "line", left(3)),
			view("Slowest views", `filter event_type::str == "django.request" | stats percentile(95, duration::float) as p95, count() as requests by view::str | sort p95 desc | limit 10`, "table", right(3)),
			view("Slowest queries", `filter event_type::str == "db.query" | stats avg(duration::float) as ms, count() as n by query::str | sort ms desc | limit 10`, "table", Grid{0, 6, 12, 3}),
		}}},
		{Name: "node", Title: "Node", About: "Log lines and errors, from the JavaScript client with events turned on.", Types: []string{"log"}, Settings: Settings{Widgets: []Widget{
			view("Log lines", `filter event_type::str == "log" | stats count() as lines by bin(), severity::str`, "line", left(0)),
			view("Events of errors", `filter event_type::str == "notice" | stats count() as events by bin()`, "bar", right(0)),
			view("Newest lines", `filter event_type::str == "log" | fields @ts, severity::str, message::str | limit 20`, "table", Grid{0, 3, 12, 3}),
			view("Errors by class", `filter event_type::str == "notice" | stats count() as events by klass::str | sort events desc | limit 10`, "table", Grid{0, 6, 12, 3}),
		}}},
		{Name: "hosts", Title: "Hosts", About: "Processors, memory and disks, from the agent of Honeybadger's command line.", Types: []string{"report.system.cpu", "report.system.memory", "report.system.disk"}, Settings: Settings{Widgets: []Widget{
			view("Processors in percent", `filter event_type::str == "report.system.cpu" | stats avg(used_percent::float) as percent by bin(), host::str`, "line", left(0)),
			view("Memory in percent", `filter event_type::str == "report.system.memory" | stats avg(used_percent::float) as percent by bin(), host::str`, "line", right(0)),
			view("Load", `filter event_type::str == "report.system.cpu" | stats max(load_avg_1::float) as load by bin(), host::str`, "line", left(3)),
			view("Fullest disks", `filter event_type::str == "report.system.disk" | stats max(used_percent::float) as percent by host::str, mountpoint::str | sort percent desc | limit 10`, "table", right(3)),
		}}},
		{Name: "empty", Title: "Empty", About: "No widgets: add your own."},
	}
	for i := range all {
		all[i].Settings.Title = all[i].Title
	}
	return all
}
