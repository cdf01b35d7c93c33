package ascode

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"sett/internal/sett/accounts"
	"sett/internal/sett/alarm"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/dashboard"
	"sett/internal/sett/maintenance"
	"sett/internal/sett/owner"
	"sett/internal/sett/regroup"
	"sett/internal/sett/scrub"
	"sett/internal/sett/status"
)

// Kind is a kind of things that files can have.
type Kind struct {
	Name   string // of its section in files, such as sites
	One    string // of it, in sentences
	Doc    string
	Path   string // in the API, below its parent
	Member string // of bodies of the API, in which its fields are
	Single bool   // every parent has exactly one, which is never created or deleted
	Whole  bool   // an update sends all fields
	Fields []Field
	Kinds  []*Kind // in it

	named func(fields map[string]any) string // what people call one; things without a key are found by it
}

// Field is a setting of a kind.
type Field struct {
	Name     string // in files
	Doc      string
	Type     fieldType
	Enum     []string
	Example  string
	Default  any  // what the API shows of a thing that was created without it
	Required bool // to create one
	Fixed    bool // it cannot change
	Secret   bool // it may be a reference, or have some

	api   string           // its name in bodies; "" if it is the same
	of    string           // the kind of the things that it lists
	omit  bool             // files do not have it
	items func(any) string // says what is wrong with an item; "" for nothing

	read  func(t *Thing, n *Names) any
	write func(v any, t *Thing, n *Names) any
}

// fieldType is what a value may be.
type fieldType string

// The types.
const (
	text   fieldType = "a text"
	number fieldType = "a whole number"
	flag   fieldType = "true or false"
	texts  fieldType = "a list of texts"
	object fieldType = "a mapping"
	list   fieldType = "a list"
	keys   fieldType = "a list of keys of this file"
)

// field returns the field of a kind with a name in files, or nil.
func (k *Kind) field(name string) *Field {
	i := slices.IndexFunc(k.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &k.Fields[i]
}

// sub returns the kind in k with a name, or nil.
func (k *Kind) sub(name string) *Kind {
	i := slices.IndexFunc(k.Kinds, func(inside *Kind) bool { return inside.Name == name })
	if i < 0 {
		return nil
	}
	return k.Kinds[i]
}

// Root returns the kind of the files themselves, with all kinds in it.
var Root = sync.OnceValue(func() *Kind {
	return &Kind{Name: "", One: "files", Kinds: []*Kind{teams(), projects(), statusPages()}}
})

func teams() *Kind {
	return &Kind{
		Name: "teams", One: "team", Path: "/teams", Member: "team", named: by("name"), Doc: "Teams of the account. Their members are invited on the pages.",
		Fields: fieldsOf[accounts.TeamChange](Field{Name: "name", Required: true}),
	}
}

func projects() *Kind {
	return &Kind{
		Name: "projects", One: "project", Path: "/projects", Member: "project", named: by("name"), Doc: "Projects of the account, with what is in them.",
		Fields: fieldsOf[accounts.ProjectChange](
			Field{Name: "name", Required: true},
			Field{Name: "resolve_errors_on_deploy", Default: true},
			Field{Name: "purge_days", Default: float64(accounts.DefaultPurgeDays)},
			Field{Name: "teams", Doc: "Keys of the teams that can see the project.", api: "team_ids", Type: keys, of: "teams", read: readTeams, write: writeTeams},
		),
		Kinds: []*Kind{
			{Name: "ownership", One: "ownership rules", Path: "/ownership", Member: "ownership", Single: true, Doc: "Who owns the errors of the project.", Fields: fieldsOf[owner.OwnershipChange]()},
			{
				Name: "scrubbing", One: "scrubbing rules", Path: "/scrubbing", Member: "scrubbing", Single: true, Doc: "What is removed from events before they are stored.",
				Fields: fieldsOf[scrub.ScrubbingChange](Field{Name: "enabled", Default: true}, Field{Name: "defaults", Default: true}),
			},
			{Name: "grouping", One: "grouping rules", Path: "/grouping", Member: "grouping", Single: true, Doc: "Which errors are one.", Fields: fieldsOf[regroup.GroupingChange]()},
			{
				Name: "environments", One: "environment", Path: "/environments", Member: "environment", named: by("name"), Doc: "Environments of the project.",
				Fields: fieldsOf[accounts.EnvironmentChange](Field{Name: "name", Required: true}, Field{Name: "notifications", Default: true}),
			},
			{
				Name: "keys", One: "API key", Path: "/keys", Member: "key", named: by("label"), Doc: "API keys of the project that have a label. The server makes them; files never have a key itself.",
				Fields: fieldsOf[accounts.ProjectKeyChange](Field{Name: "label", Required: true}, Field{Name: "scope", Default: string(accounts.ScopeAll)}),
			},
			sites(), checkIns(), channels(), alarms(), dashboards(), windows(),
		},
	}
}

func sites() *Kind {
	return &Kind{
		Name: "sites", One: "site", Path: "/sites", Member: "site", named: by("name"), Doc: "Uptime checks of the project.",
		Fields: fieldsOf[checks.SiteChange](
			Field{Name: "url", Required: true, Secret: true},
			Field{Name: "frequency", Default: 5.0},
			Field{Name: "match_type", Default: "success"},
			Field{Name: "request_method", Default: "GET"},
			Field{Name: "request_body", Secret: true, read: readBody},
			Field{Name: "request_headers", Secret: true, read: readHeaders},
			Field{Name: "validate_ssl", Default: true},
			Field{Name: "active", Default: true},
			Field{Name: "timeout", Default: checks.ProbeTimeout.Seconds()},
		),
	}
}

func checkIns() *Kind {
	return &Kind{
		Name: "check_ins", One: "check-in", Path: "/check_ins", Member: "check_in", Doc: "Check-ins of the project. One with a cron_schedule follows that; any other has a report_period.",
		named: func(f map[string]any) string { return firstOf(f["slug"], f["name"]) },
		Fields: fieldsOf[checks.CheckInChange](
			Field{Name: "name", read: readCheckInName},
			Field{Name: "slug", Fixed: true},
			Field{Name: "schedule_type", omit: true},
		),
	}
}

func channels() *Kind {
	return &Kind{
		Name: "channels", One: "channel", Path: "/integrations", Member: "integration", Doc: "Channels that the project notifies, and its issue trackers.",
		named: func(f map[string]any) string {
			options, _ := f["options"].(map[string]any)
			return firstOf(options["label"], f["type"])
		},
		Fields: slices.Concat([]Field{
			{Name: "type", Type: text, Doc: "The type of the channel, such as Slack or WebHook.", Required: true, Fixed: true},
			{Name: "options", Type: object, Doc: "What the type needs, by its names in the API. Values are texts; secrets are references.", Secret: true},
		}, fieldsOf[alerts.IntegrationChange](
			Field{Name: "active", Default: true},
			Field{Name: "events", Default: always{}},
			Field{Name: "sites", Doc: "Keys of the only sites that it is notified of; all of them if empty.", api: "site_ids", Type: keys, of: "sites"},
			Field{Name: "check_ins", Doc: "Keys of the only check-ins that it is notified of; all of them if empty.", api: "check_in_ids", Type: keys, of: "check_ins"},
			Field{Name: "escalation", omit: true},
			Field{Name: "notification_limit", Default: float64(alerts.DefaultNotificationLimit)},
		)),
	}
}

func alarms() *Kind {
	return &Kind{
		Name: "alarms", One: "alarm", Path: "/alarms", Member: "alarm", named: by("name"), Doc: "Alarms on structured events.",
		Fields: fieldsOf[alarm.AlarmChange](
			Field{Name: "name", Required: true},
			Field{Name: "query", Required: true},
			Field{Name: "evaluation_period", Required: true},
			Field{Name: "lookback_lag", Default: "0s"},
			Field{Name: "streams", Doc: "Streams whose events are read: default, internal; both if it is left out.", api: "stream_ids", Type: texts, Enum: streamNames(), read: readStreams, write: writeStreams},
			Field{Name: "when", Doc: "When the alarm is raised: the number of rows compared with a value, by one of > >= < <= = !=", Example: "> 10", api: "trigger_config", Type: text, Required: true, read: readWhen, write: writeWhen},
		),
	}
}

func dashboards() *Kind {
	return &Kind{
		Name: "dashboards", One: "dashboard", Path: "/dashboards", Member: "dashboard", named: by("title"), Whole: true, Doc: "Dashboards of the project.",
		Fields: fieldsOf[dashboard.Change](
			Field{Name: "title", Required: true},
			Field{Name: "widgets", Required: true, Default: always{}, read: readWidgets, write: writeWidgets},
		),
	}
}

func windows() *Kind {
	return &Kind{
		Name: "maintenance_windows", One: "maintenance window", Path: "/maintenance_windows", Member: "maintenance_window", named: by("reason"),
		Doc: "Planned maintenance windows. One that is over may stay in a file: nothing is done about it.",
		Fields: fieldsOf[maintenance.WindowChange](
			Field{Name: "reason", Required: true},
			Field{Name: "starts_at", Required: true, read: readTime("starts_at")},
			Field{Name: "ends_at", Required: true, read: readTime("ends_at")},
			Field{Name: "sites", Doc: "Keys of the only sites whose alerts are held.", api: "site_ids", Type: keys, of: "sites"},
			Field{Name: "check_ins", Doc: "Keys of the only check-ins whose alerts are held.", api: "check_in_ids", Type: keys, of: "check_ins"},
		),
	}
}

func statusPages() *Kind {
	const shown = "; each has also display_name, description and group"
	return &Kind{
		Name: "status_pages", One: "status page", Path: "/status_pages", Member: "status_page", named: by("name"), Doc: "Status pages of the account. Their logos and incidents are made on the pages.",
		Fields: fieldsOf[status.StatusPageChange](
			Field{Name: "name", Required: true},
			Field{Name: "sites", Doc: "The sites that the page shows, such as {site: shop/front}: the key of the project and that of the site" + shown + ".", Type: list, read: readShown("site"), write: writeShown("site"), items: checkShown("site")},
			Field{Name: "check_ins", Doc: "The check-ins that the page shows, such as {check_in: shop/backup}" + shown + ".", Type: list, read: readShown("check_in"), write: writeShown("check_in"), items: checkShown("check_in")},
			Field{Name: "features", read: readFeatures},
			Field{Name: "logo", omit: true},
			Field{Name: "password", Secret: true, read: readPassword},
		),
	}
}

// none is the type of a field that files do not have.
const none fieldType = ""

// always is the default of a field that files always say.
type always struct{}

// by returns how things are called that have a field for it.
func by(field string) func(map[string]any) string {
	return func(f map[string]any) string { return firstOf(f[field]) }
}

// firstOf returns the first text that is not empty.
func firstOf(values ...any) string {
	for _, v := range values {
		if s, ok := v.(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// fieldsOf returns the fields of a change of the API, as files have them: what it says of each, corrected by special ones.
func fieldsOf[T any](special ...Field) (fields []Field) {
	change := reflect.TypeFor[T]()
	for i := range change.NumField() {
		f := change.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || !f.IsExported() {
			continue
		}
		made := Field{Name: name, Doc: f.Tag.Get("doc"), Example: f.Tag.Get("example")}
		if enum := f.Tag.Get("enum"); enum != "" {
			made.Enum = strings.Split(enum, ",")
		}
		made.Type = typeOf(f.Type)
		for _, s := range special {
			made.correct(s)
		}
		if made.Type == none {
			continue
		}
		if made.Default == nil && made.Type == flag {
			made.Default = false
		}
		fields = append(fields, made)
	}
	return fields
}

// correct takes over what is special of the field with the same name in the API.
func (f *Field) correct(s Field) {
	if s.api == "" && s.Name != f.Name || s.api != "" && s.api != f.Name {
		return
	}
	if s.omit {
		f.Type = none
		return
	}
	f.Name, f.api, f.of, f.items, f.read, f.write = s.Name, s.api, s.of, s.items, s.read, s.write
	f.Default, f.Required, f.Fixed, f.Secret = s.Default, s.Required, s.Fixed, s.Secret
	if s.Doc != "" {
		f.Doc, f.Example = s.Doc, s.Example
	}
	if s.Type != none {
		f.Type, f.Enum = s.Type, s.Enum
	}
}

// typeOf returns the type of an optional field.
func typeOf(t reflect.Type) fieldType {
	value, ok := t.FieldByName("Value")
	if !ok {
		return none
	}
	switch value.Type.Kind() {
	case reflect.String:
		return text
	case reflect.Bool:
		return flag
	case reflect.Int64:
		return number
	case reflect.Struct, reflect.Map:
		return object
	case reflect.Slice:
		if value.Type.Elem().Kind() == reflect.String {
			return texts
		}
		return list
	}
	return none
}
