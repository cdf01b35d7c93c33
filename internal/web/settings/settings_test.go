package settings_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app"
	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/setttest"
	"sett/internal/setttest/inbox"
	"sett/internal/setttest/visitor"
	"sett/internal/store/accountdb"
)

const password = "seven lonely walruses"

// house is a server with people who look at its project.
type house struct {
	*setttest.Server
	t      *testing.T
	admin  *visitor.Browser // of the account
	member *visitor.Browser // of a team that sees the project
	root   string           // of the settings
}

func open(t *testing.T) *house {
	t.Helper()
	s := setttest.Start(t, "sqlite", func(c *app.Config) { c.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	h := &house{Server: s, t: t, root: fmt.Sprintf("/projects/%d/settings", s.Setup.ProjectID)}
	admin, member := h.person("admin@example.test", accounts.Admin), h.person("member@example.test", accounts.Member)
	_, err := s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Crew", []int64{s.Setup.ProjectID}, map[int64]bool{member: false, admin: true})
	if err != nil {
		t.Fatal(err)
	}
	h.admin = visitor.New(t, s).SignIn("admin@example.test", password)
	h.member = visitor.New(t, s).SignIn("member@example.test", password)
	return h
}

func (h *house) person(email string, role accounts.Role) int64 {
	h.t.Helper()
	id, err := h.App.Store().Accounts.CreateUser(h.t.Context(), h.Clock.Now(), accountdb.NewUser{
		AccountID: h.Setup.AccountID, Email: email, Name: email, Role: role, Password: setttest.PasswordCost.Hash(password),
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return id
}

func (h *house) project() accounts.Project {
	h.t.Helper()
	p, err := h.App.Store().Accounts.ProjectByID(h.t.Context(), h.Setup.ProjectID)
	if err != nil {
		h.t.Fatal(err)
	}
	return p
}

func (h *house) channels() []alerts.Integration {
	h.t.Helper()
	all, err := h.App.Store().Deliveries.ListIntegrations(h.t.Context(), h.Setup.ProjectID)
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}

func (h *house) channel(options map[string]any, change alerts.IntegrationChange) alerts.Integration {
	h.t.Helper()
	change.Type, change.Options = sett.Some("WebHook"), sett.Some(options)
	made, err := h.App.Store().Deliveries.CreateIntegration(h.t.Context(), h.Clock.Now(), h.Setup.ProjectID, channel.Rules(), change)
	if err != nil {
		h.t.Fatal(err)
	}
	return made
}

func (h *house) environment(name string) accounts.Environment {
	h.t.Helper()
	e, err := h.App.Store().Accounts.CreateEnvironment(h.t.Context(), h.Clock.Now(), h.Setup.ProjectID, accounts.EnvironmentChange{Name: sett.Some(name)})
	if err != nil {
		h.t.Fatal(err)
	}
	return e
}

func TestEveryPage(t *testing.T) {
	t.Parallel()
	h := open(t)
	e, c := h.environment("production"), h.channel(map[string]any{"url": "http://127.0.0.1:9/x"}, alerts.IntegrationChange{ExcludedEnvironments: sett.Some([]string{"gone"})})
	d, err := h.App.Store().Deliveries.TestIntegration(t.Context(), h.Clock.Now(), h.Setup.ProjectID, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	one := fmt.Sprint("/channels/", c.ID)
	for path, members := range map[string]int{
		"/general": 200, "/environments": 200, "/repositories": 200, fmt.Sprint("/environments/", e.ID): 403, "/keys": 200, "/access": 200, "/data": 200, "/danger": 403, "/erasures": 403, "/channels": 200,
		"/channels/new": 403, "/channels/new?kind=Slack": 403, "/channels/new?kind=Github": 403, one: 403, one + "/deliveries": 200, fmt.Sprint(one, "/deliveries/", d.ID): 200,
	} {
		h.admin.Get(h.root + path).Want(http.StatusOK).CheckPage()
		page := h.member.Get(h.root + path).Want(members).CheckPage()
		if members == http.StatusOK && strings.Contains(page.Body, h.root) && regexp.MustCompile(`<form[^>]*method="post"[^>]*action="`+h.root).MatchString(page.Body) {
			t.Errorf("%s shows a member a form that is refused", path)
		}
		visitor.New(t, h.Server).Get(h.root + path).Want(http.StatusSeeOther)
	}
	for _, k := range channel.Kinds() {
		h.admin.Get(h.root+"/channels/new?kind="+k.Type).Want(200, k.About[:10]).CheckPage()
	}
	h.admin.Get(h.root + "/environments/999").Want(404)
	h.admin.Get(h.root + "/channels/999").Want(404)
}

func TestGeneral(t *testing.T) {
	t.Parallel()
	h := open(t)
	page := h.root + "/general"
	fields := []string{"name", "Shop 2", "language", "ruby", "source_url", "https://git.example.test/[sha]/[file]", "user_url", ""}
	h.admin.Post(page, fields...).Leads(page + "?done=saved")
	want := accounts.ProjectSettings{Name: "Shop 2", Language: "ruby", DisablePublicLinks: true, SourceURL: "https://git.example.test/[sha]/[file]", PurgeDays: 90}
	if got := h.project().ProjectSettings; got != want {
		t.Errorf("saved %+v", got)
	}
	h.admin.Get(page+"?done=saved").Want(200, "Saved.", `value="Shop 2"`, `<option value="ruby" selected>`, `name="allow_public_links" type="checkbox" value="true" aria-describedby`)
	h.admin.Post(page, "name", " ", "source_url", "javascript:alert(1)").CheckPage().Want(422, "Name can&#39;t be blank.", "Source link template must contain [file]")
	if got := h.project().ProjectSettings; got != want {
		t.Errorf("a refused form saved %+v", got)
	}
	h.member.Get(page).Want(200, "<fieldset class=\"grid narrow\" disabled>")
	h.member.Post(page, fields...).Want(403)
}

func TestData(t *testing.T) {
	t.Parallel()
	h := open(t)
	page := h.root + "/data"
	h.admin.Post(page, "purge_days", "30", "user_search_field", "context.user.id").Leads(page + "?done=saved")
	h.admin.Post(page, "purge_days", "soon", "user_search_field", "a..b").CheckPage().Want(422, "Event retention (days) must be an integer.", "User field must be a dotted path", `value="soon"`)
	if got := h.project(); got.PurgeDays != 30 || got.UserSearchField != "context.user.id" || got.Name != "Shop" {
		t.Errorf("saved %+v", got.ProjectSettings)
	}
	h.member.Get(page).Want(200, "<fieldset class=\"stack\" disabled>")
	h.member.Post(page, "purge_days", "1").Want(403)
}

// The settings have seven tabs. Pages that had a tab of their own are below one of them, and their addresses still work.
func TestTabs(t *testing.T) {
	t.Parallel()
	h := open(t)
	tab := regexp.MustCompile(`(?s)<nav class="tabs" aria-label="Settings">.*?</nav>`)
	link := regexp.MustCompile(`<a href="([^"]+)"( aria-current="page")?>`)
	for path, on := range map[string]string{"/general": "general", "/danger": "general", "/keys": "keys", "/channels": "channels", "/access": "access", "/environments": "environments", "/repositories": "repositories", "/data": "data", "/scrubbing": "data", "/grouping": "data", "/source-maps": "data", "/erasures": "data"} {
		links := link.FindAllStringSubmatch(tab.FindString(h.admin.Get(h.root+path).Want(200).Body), -1)
		current := ""
		for _, l := range links {
			if l[2] != "" {
				current += strings.TrimPrefix(l[1], h.root+"/")
			}
		}
		if len(links) != 7 || current != on {
			t.Errorf("%s has %d tabs, and is below %q", path, len(links), current)
		}
	}
	h.admin.Get(h.root + "/members").Leads(h.root + "/access")
	h.admin.Get(h.root + "/ownership").Leads(h.root + "/access#ownership")
	h.member.Get(h.root+"/data").Want(200, h.root+"/source-maps").Lacks(h.root+"/scrubbing", h.root+"/erasures")
	h.member.Get(h.root + "/access").Want(200).Lacks("ownership")
}

// What the days of retention mean is said in events and megabytes.
func TestDataSaysWhatIsKept(t *testing.T) {
	t.Parallel()
	h := open(t)
	page := h.root + "/data"
	if first := h.admin.Get(page); strings.Contains(first.Body, "an estimate") {
		t.Error("an estimate of nothing")
	}
	for range 3 {
		h.Post("/v1/notices", map[string]any{"error": map[string]any{"class": "Lost", "message": "x"}}).Want(http.StatusCreated)
	}
	if err := h.App.Store().Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.admin.Get(page).Want(200, "Stored from today and the 90 days before: about 3 events, less than 0.1 MB (estimated).").CheckPage()
}

func TestEnvironments(t *testing.T) {
	t.Parallel()
	h := open(t)
	page := h.root + "/environments"
	h.admin.Get(page).Want(200, "The first event or deploy that names an environment creates it.")
	h.admin.Post(page, "name", "staging").Leads(page + "?done=environment_added")
	h.admin.Post(page, "name", "").Want(422, "Name can&#39;t be blank.").CheckPage()
	e := h.environment("production")
	one := fmt.Sprint(page, "/", e.ID)
	h.admin.Get(page).Want(200, "staging", "production", "on</span>")
	h.admin.Post(one, "notifications", "false").Leads(page + "?done=saved")
	h.admin.Get(page).Want(200, "muted", "Unmute production")
	h.admin.Post(one, "name", "live", "notifications", "true").Leads(page + "?done=saved")
	h.admin.Get(page).Want(200, ">live<").Lacks("muted")
	h.admin.Post(one, "name", "staging").Want(422, "Name ").CheckPage()
	h.member.Get(page).Want(200, "live").Lacks("Mute live")
	h.member.Post(one, "notifications", "false").Want(403)
	h.admin.Post(one + "/delete").Leads(page + "?done=environment_deleted")
	h.admin.Get(page).Lacks(">live<")
}

func TestAccess(t *testing.T) {
	t.Parallel()
	h := open(t)
	page, form := h.root+"/access", h.root+"/members"
	h.member.Get(page).Want(200, "Crew", "member@example.test").Lacks("<input type=\"checkbox\"")
	other, err := h.App.Store().Accounts.CreateTeam(t.Context(), h.Clock.Now(), h.Setup.AccountID, "Other", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	h.admin.Get(page).Want(200, fmt.Sprintf(`value="%d"> Other`, other))
	h.admin.Post(form, "team_ids", "x").Want(422, "team ids must be ids of teams of this account").CheckPage()
	h.admin.Post(form, "team_ids", fmt.Sprint(other)).Leads(page + "?done=saved")
	if teams := h.project().Teams; len(teams) != 1 || teams[0].ID != other {
		t.Errorf("%+v", teams)
	}
	h.member.Post(form).Want(404)
}

// A user who manages one team of a project does not change its other teams, which they cannot see.
func TestTeamsOutOfSightStay(t *testing.T) {
	t.Parallel()
	h := open(t)
	lead := h.person("lead@example.test", accounts.Member)
	for _, members := range []map[int64]bool{nil, {lead: true}} {
		if _, err := h.App.Store().Accounts.CreateTeam(t.Context(), h.Clock.Now(), h.Setup.AccountID, "Another", []int64{h.Setup.ProjectID}, members); err != nil {
			t.Fatal(err)
		}
	}
	b := visitor.New(t, h.Server).SignIn("lead@example.test", password)
	b.Get(h.root+"/access").Want(200, "(you are not a member)", `name="team_ids"`)
	b.Post(h.root + "/members").Leads("/projects?done=project_left")
	b.Get("/projects?done=project_left").Want(200, "You no longer have access to this project.")
	if teams := h.project().Teams; len(teams) != 2 {
		t.Errorf("left %+v", teams)
	}
}

func TestDanger(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.member.Post(h.root+"/danger/delete", "name", "Shop").Want(403)
	h.admin.Post(h.root+"/danger/delete", "name", "shop").Want(422, "Project name must be &#34;Shop&#34;.").CheckPage()
	h.admin.Post(h.root+"/danger/delete", "name", "Shop").Leads("/projects?done=project_deleted")
	h.admin.Get(h.root + "/general").Want(404)
}

var folds = regexp.MustCompile(`<details class="wide folded"( open)?><summary>(.*?)</summary>`)

// wantFolds compares the parts of a form: those that are open, and what is said of those that are not.
func wantFolds(t *testing.T, when, body string, want ...string) {
	t.Helper()
	var got []string
	for _, m := range folds.FindAllStringSubmatch(body, -1) {
		got = append(got, map[bool]string{true: "▾ ", false: "▸ "}[m[1] != ""]+strings.NewReplacer(`<span class="quiet">`, "", "</span>", "").Replace(m[2]))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the parts of %s (-want +got):\n%s", when, diff)
	}
}

func TestChannels(t *testing.T) {
	t.Parallel()
	h := open(t)
	page, receiver := h.root+"/channels", inbox.Open(t)
	h.environment("staging")
	h.admin.Get(page).Want(200, "No channels yet", page+"/new")
	h.member.Get(page).Want(200, "No channels yet").Lacks(page + "/new")
	h.admin.Post(page, "type", "Pigeon").Want(422)
	h.admin.Post(page, "type", "WebHook", "options.url", "ftp://x", "notification_limit", "many", "filter_event", "all", "filter_query", "is:(", "rate", "min").CheckPage().Want(422,
		"Address must be a URL that starts with http:// or https://.", "Maximum messages in ten minutes must be an integer.", "Filters: query ")
	made := h.admin.Post(page, "type", "WebHook", "options.url", receiver.URL, "options.authorization", "s3cret", "options.label", "Mine", "events", "down", "events", "occurred",
		"excluded_environments", "staging", "filter_event", "occurred", "filter_query", "-tag:wontfix", "filter_event", "all", "filter_query", "", "rate", "hour", "threshold", "5",
		"notification_limit", "7").Want(200, "not be shown again", "whsec_").CheckPage()
	c := h.channels()[0]
	if c.Options["authorization"] != "s3cret" || len(c.Events) != 2 || c.ExcludedEnvironments[0] != "staging" || len(c.Filters) != 1 || c.Filters[0].Query != "-tag:wontfix" || c.Rate != alerts.RateHour || c.Threshold != 5 || c.NotificationLimit != 7 || !c.Active {
		t.Errorf("made %+v", c)
	}
	secret := c.Options["secret"].(string)
	made.Want(200, strings.ReplaceAll(secret, "+", "&#43;"))
	one := fmt.Sprint(page, "/", c.ID)
	for _, path := range []string{page, one} {
		h.admin.Get(path).Want(200, "Mine", receiver.URL).Lacks(secret, "s3cret")
	}
	h.admin.Get(one).Want(200, `value="down" checked`, `value="staging" checked`, `value="-tag:wontfix"`, "A value is set. Leave this empty to keep it.")

	const quiet, days = "▸ Quiet hours none", "▸ Start days all"
	wantFolds(t, "a new one", h.admin.Get(page+"/new?kind=WebHook").Body, "▸ Events 12 of 18", "▸ Excluded environments none", "▸ Error rate none", "▸ Filters none", quiet, days)
	wantFolds(t, "the old one", h.admin.Get(one).Body, "▸ Events 2 of 18", "▸ Excluded environments 1 of 1", "▾ Error rate", "▾ Filters", quiet, days)
	h.admin.Get(one).Want(200, "New and reopened errors and outages, except from staging. 1 filter.", "Old signing secret").Lacks(`<details class="options" open>`)
	wantFolds(t, "one that is refused", h.admin.Post(one, "events", "pigeon", "rate", "eon", "filter_event", "all", "filter_query", "is:(").Want(422, `<details class="options" open>`).Body,
		"▾ Events none", "▸ Excluded environments none", "▾ Error rate", "▾ Filters", quiet, days)

	h.admin.Post(one, "options.url", receiver.URL, "options.label", "Yours", "events", "up", "notification_limit", "8").Leads(page + "?done=saved")
	c = h.channels()[0]
	if c.Options["secret"] != secret || c.Options["authorization"] != "s3cret" || c.Options["label"] != "Yours" || len(c.Filters) != 0 || c.Threshold != 0 || c.Rate != "" {
		t.Errorf("saved %+v", c)
	}
	h.admin.Post(one, "options.url", "", "notification_limit", "8", "events", "pigeon").Want(422, "Address can&#39;t be blank.", "Events: must be some of those listed.").CheckPage()
	h.admin.Post(one+"/active", "active", "false").Leads(page + "?done=channel_off")
	h.member.Get(page).Want(200, "off", "Yours").Lacks("Send test", "Turn on", ">Edit<")
	h.admin.Post(one+"/active", "active", "true").Leads(page + "?done=channel_on")

	for path, fields := range map[string][]string{page: {"type", "WebHook"}, one: {"options.url", "x"}, one + "/active": nil, one + "/test": nil, one + "/delete": nil} {
		h.member.Post(path, fields...).Want(403)
	}
	h.admin.Post(one + "/delete").Leads(page + "?done=channel_deleted")
	if left := h.channels(); len(left) != 0 {
		t.Errorf("left %+v", left)
	}
}

// A new channel takes its address and a test; what else there is to set has defaults that a sentence states.
func TestAddChannelInTwoSteps(t *testing.T) {
	t.Parallel()
	h := open(t)
	page, receiver := h.root+"/channels", inbox.Open(t)
	form := h.admin.Get(page+"/new?kind=WebHook").Want(200, "New and reopened errors, assignments, outages, slow sites, missed and failed check-ins, alarms, recoveries and expiring certificates, from all environments.").
		Lacks("Old signing secret").CheckPage().Body
	first, _, _ := strings.Cut(form[strings.Index(form, `id="channel-title"`):], `<details class="options">`)
	if got := controls.FindAllString(first, -1); len(got) != 3 {
		t.Errorf("%d controls without unfolding: %q", len(got), got)
	}
	made := h.admin.Post(page, "type", "WebHook", "options.url", receiver.URL, "notification_limit", "30", "events", "down", "test", "true").
		Want(200, "Test delivered", "not be shown again", "Test message").CheckPage()
	if got := receiver.Messages(); len(got) != 1 {
		t.Errorf("the receiver got %d messages", len(got))
	}
	receiver.Down(http.StatusNotFound)
	h.admin.Post(page, "type", "WebHook", "options.url", receiver.URL, "options.label", "Second", "notification_limit", "30", "test", "true").
		Want(200, "The message was not delivered: 127.0.0.1 returned 404 Not Found").Lacks("note ok").CheckPage()
	led := h.admin.Post(page, "type", "Discord", "options.url", receiver.URL, "notification_limit", "30", "test", "true").Want(303).Header.Get("Location")
	h.admin.Get(led).Want(200, "The message was not delivered", "Edit channel").CheckPage()
	made.Lacks("Second")
	h.admin.Get(page+"/new").Want(200, "Webhook").Lacks("Pivotal Tracker")
}

var controls = regexp.MustCompile(`<(input|select|textarea|button)[^>]*>`)

func TestDeliveriesOfAChannel(t *testing.T) {
	t.Parallel()
	h := open(t)
	receiver := inbox.Open(t)
	receiver.Down(http.StatusNotFound)
	c := h.channel(map[string]any{"url": receiver.URL}, alerts.IntegrationChange{})
	one := fmt.Sprint(h.root, "/channels/", c.ID)
	log := one + "/deliveries"
	h.admin.Get(log).Want(200, "No messages yet.")
	led := h.admin.Post(one + "/test").Want(303).Header.Get("Location")
	path, _, _ := strings.Cut(led, "?")
	const failed = `<p class="note critical" role="alert">The message was not delivered: 127.0.0.1 returned 404 Not Found</p>`
	h.admin.Get(led).Want(200, failed, "returned 404 Not Found", "404").Lacks("note ok").CheckPage()
	h.member.Get(log).Want(200, path, "failed").Lacks("Send test").CheckPage()
	receiver.Answer(nil)
	h.admin.Post(path + "/redeliver").Leads(path + "?done=sent_again")
	h.admin.Get(path+"?done=sent_again").Want(200, `<p class="note ok" role="status">Message delivered again.</p>`).Lacks(failed)
	h.admin.Get(path).Want(200, "sent", "Message", "&#34;event&#34;: &#34;occurred&#34;").CheckPage()
	h.admin.Get(h.root+"/channels").Want(200, "sent", path)
	h.member.Post(path + "/redeliver").Want(403)
	h.admin.Post(one + "/deliveries/999/redeliver").Want(404)
}

// Every form that changes something leaves an entry in the log of the account, without what is secret.
func TestFormsAreInTheAuditLog(t *testing.T) {
	t.Parallel()
	h := open(t)
	e := h.environment("staging")
	place, ways := fmt.Sprint(h.root, "/environments/", e.ID), h.root+"/channels"
	h.admin.Post(ways, "type", "Slack", "options.url", "https://hooks.example.test/s3cret", "notification_limit", "9").Want(303)
	one := fmt.Sprint(ways, "/", h.channels()[0].ID)
	for _, c := range []struct{ action, path, name, value string }{
		{"saveProjectTeams", h.root + "/members", "", ""},
		{"addEnvironment", h.root + "/environments", "name", "x"},
		{"saveEnvironment", place, "notifications", "false"},
		{"dropEnvironment", place + "/delete", "", ""},
		{"switchChannel", one + "/active", "active", "false"},
		{"tryChannel", one + "/test", "", ""},
		{"dropChannel", one + "/delete", "", ""},
		{"dropProject", h.root + "/danger/delete", "name", "Shop"},
	} {
		h.admin.Post(c.path, c.name, c.value).Want(303)
		if all := h.audited(c.action); len(all) != 1 || all[0].Subject != "Shop" {
			t.Errorf("%s: %+v", c.action, all)
		}
	}
	if made := h.audited("addChannel"); len(made) != 1 || strings.Contains(string(made[0].Changes), "s3cret") || !strings.Contains(string(made[0].Changes), `"options.url":"[hidden]"`) {
		t.Errorf("addChannel: %+v", made)
	}
}

func (h *house) audited(action string) []accounts.AuditEntry {
	h.t.Helper()
	found, _, err := h.App.Store().Accounts.ListAudit(h.t.Context(), h.Setup.AccountID, accountdb.AuditFilter{Actions: []string{action}, Page: sett.Page{Size: 5}})
	if err != nil {
		h.t.Fatal(err)
	}
	return found
}
