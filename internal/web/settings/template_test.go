package settings

import (
	"slices"
	"testing"
	"time"

	"sett/internal/event/sourcemap"
	"sett/internal/ingest/unminify"
	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/forward"
	"sett/internal/sett/repo"
	"sett/internal/sett/scrub"
	"sett/internal/setttest/markup"
	"sett/internal/store/deliverydb"
	"sett/internal/store/sourcemapdb"
	"sett/internal/web"
)

// everyPage are structs of each template, full and empty.
func everyPage() map[string][]web.Page {
	at := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	shell := web.Shell{Title: "Title", User: accounts.User{ID: 1, Email: "a@b.test", Name: "Ann"}, Here: "/", Done: "Done.", Problem: "Wrong.", Now: at}
	full := page{shell, 1, "general"}
	fields := web.Fields{{Name: "n", Label: "Label", Kind: "text", Value: "v", Hint: "Hint.", Problem: "Problem."}}
	webhook, _ := channel.Find("WebHook")
	tracker, _ := channel.Find("Github")
	sent := newDeliveryRow(deliverydb.LoggedDelivery{Delivery: alerts.Delivery{ID: 1, Event: alerts.AlertDown, CreatedAt: at, DoneAt: at, Problem: "no", Note: "Note."}, Title: "Shop is down"}, clock{at})
	waits := newDeliveryRow(deliverydb.LoggedDelivery{Delivery: alerts.Delivery{ID: 2, Event: alerts.AlertOccurred, State: alerts.DeliveryDue, CreatedAt: at, DueAt: at, QuietUntil: at}, About: "E"}, clock{at})
	needed, others := optionFields(webhook, true, map[string]any{"secret": "x"})
	silence := web.State{Mood: web.Paused, Word: "quiet until 07:00"}
	card := channelCard{Integration: alerts.Integration{ID: 1, ProjectID: 1, Problem: "No.", FailedAt: at}, Name: "Chat", Kind: "Slack", Target: "#x", Last: &sent.Delivery, State: sent.Is, Wants: "Outages.", Quiet: "from a to b", Silence: silence}
	repositories := []repositoryRow{
		newRepositoryRow(shell, repo.Repository{ID: 1, ProjectID: 1, Host: repo.GitHub, URL: "https://github.com/acme/shop", Path: "a", DefaultBranch: "main", Token: "t", Comments: true, HeardAt: at, AskedAt: at, Problem: "It said no."}),
		newRepositoryRow(shell, repo.Repository{ID: 2, ProjectID: 1, Host: repo.GitLab, URL: "https://gitlab.com/acme/shop"}),
	}
	return map[string][]web.Page{
		"settings_general":      {&generalForm{}, &generalForm{full, fields, nil}},
		"settings_environments": {&environmentList{}, &environmentList{page: full, Environments: []accounts.Environment{{ID: 1, UpdatedAt: at}, {ID: 2}}, Fields: fields}},
		"settings_environment":  {&environmentForm{}, &environmentForm{full, accounts.Environment{ID: 1}, fields}},
		"settings_repositories": {&repositoryList{}, &repositoryList{page: full, Repositories: repositories, Fields: fields, Most: 20}, &repositoryList{page: full, Full: true, Most: 20}},
		"settings_repository": {
			&repositoryPage{}, &repositoryPage{full, repositories[0], guideOf(repo.GitHub), "https://sett.example.test/v1/repositories/1/webhook", "s3cret", "https://github.com/acme/shop/settings/hooks", fields},
			&repositoryPage{full, repositories[1], guideOf(repo.GitLab), "https://sett.example.test/v1/repositories/2/webhook", "s3cret", "https://gitlab.com/acme/shop/-/hooks", fields},
		},
		"settings_keys": {&keyPage{}, &keyPage{full, "key", []keyRow{{accounts.ProjectKey{Key: "key", UsedAt: full.Now, EndsAt: full.Now}, 1, false}, {accounts.ProjectKey{}, 2, true}}, web.Choices("0", "at once"), accounts.KeyScopes(), "https://sett.example.test"}},
		"settings_notified": {
			&notifiedPage{}, &notifiedPage{page: full, About: "A: b", AboutPath: "/x", Groups: []notifiedGroup{{"Error", 1}}, Events: []string{"Spike"}, Past: time.Now(), Rows: []notifiedRow{
				{"Ann", "/me", "Email", true, []notifiedCell{{"Spike", web.State{Mood: web.Fine, Word: "Yes"}, "Selected."}}}, {Name: "Chat", Cells: []notifiedCell{{}}},
			}, Words: []notifiedCell{{"Spike", web.State{Mood: web.Fine, Word: "Yes"}, "Selected."}}},
		},
		"settings_data": {&dataForm{}, &dataForm{full, fields}},
		"settings_access": {
			&accessPage{}, &accessPage{page: full, AccountID: "a", Teams: []teamTick{{accounts.TeamName{ID: 1, Name: "Web"}, true, true}, {On: true}}, MoreTeams: true, Users: []sett.Person{{ID: 1, Email: "a@b.test"}}},
			&accessPage{page: full, Ownership: &ownership{fields, "a@example.test", []ownersFile{{"2 rules from CODEOWNERS of a/b.", []string{"Line 1 is wrong."}, "@a"}, {}}, &ownershipPreview{}}},
			&accessPage{page: full, Ownership: &ownership{Preview: &ownershipPreview{[]ownedRow{{FaultID: 1, Class: "A", File: "a.rb", Owners: "@a", Assignee: "Ada", Line: 3}, {From: "a/b"}, {}}}}},
		},
		"settings_forwarding": {
			&forwardingPage{}, &forwardingPage{page: full, Fields: fields, Set: &forward.Forwarding{Problem: forward.Problem{Text: "it returned 403", At: at}}},
			&forwardingPage{page: full, Set: &forward.Forwarding{}, Running: true, Days: []forward.Day{{Day: at, Received: 2, Errors: 1}}},
		},
		"settings_erasures": {
			&erasureList{}, &erasureList{
				page: full, Fields: fields, Preview: &erasurePreview{scrub.ErasurePreview{Notices: 1, Faults: 1, Events: 2, More: true}, "a@b.test"}, Pager: web.Pager{Newer: "/n", Older: "/o", Swap: "#list"},
				Erasures: []erasureRow{newErasureRow(scrub.Erasure{ID: 1, User: "a…@b.test", Left: 2, CreatedAt: at}), newErasureRow(scrub.Erasure{ID: 2, DeletedAt: at, MadeBy: &sett.Person{ID: 1, Email: "a@b.test"}})},
			},
			&erasureList{page: full, Preview: &erasurePreview{}, Erasures: []erasureRow{newErasureRow(scrub.Erasure{DeletedAt: at, FinishedAt: at})}},
		},
		"settings_grouping": {
			&groupingPage{}, &groupingPage{page: full, Fields: fields, Seen: "app: a", Preview: &groupingPreview{}},
			&groupingPage{page: full, Preview: &groupingPreview{
				Looked: 2, Unsure: 1, Cut: true, MoreJoins: 1, MoreParts: 1, Merges: 1,
				Joins: []joinRow{{regroupedError{1, "A", "m", "a.rb:1", "/p", 2, false}, []regroupedError{{}, {2, "", "", "", "/p", 2, true}}, 1}},
				Parts: []partRow{{regroupedError{ID: 1}, []piece{{"a", 1, true, 0}, {"b", 1, false, 0}, {"c", 1, false, 3}}, 1}},
			}, Versions: []groupingVersion{{1, web.Moment{}, "Ann", 1, "app: a", 2, "Restore"}, {}}},
		},
		"settings_scrubbing": {
			&scrubbingPage{}, &scrubbingPage{full, fields, nil, []string{"Warning."}, []removedRow{{"name of a key", 3}}, &scrubPreview{}},
			&scrubbingPage{page: full, Preview: &scrubPreview{Looked: 2}},
			&scrubbingPage{page: full, Preview: &scrubPreview{2, []previewedEvent{{1, "A", []previewedValue{{"a.b", "name of a key"}}, 1}, {}}}},
		},
		"settings_source_maps": {
			&sourceMapsPage{}, &sourceMapsPage{page: full, Total: sourcemapdb.Total{Maps: 2, Bytes: 3000}, Revisions: []revisionRow{{sourcemapdb.Revision{Name: "1", Maps: 2, UploadedAt: at, UsedAt: at}, 1}, {sourcemapdb.Revision{UploadedAt: at, UsedAt: at}, 2}}, More: true, Fields: fields},
			&sourceMapsPage{page: full, Tested: &testedURL{Origin: unminify.Origin{Map: sourcemapdb.Found{ID: 1, URL: "~/a.js"}, Frame: unminify.Frame{File: "a.js", Line: 1}, Source: []sourcemap.Line{{Number: 1, Text: "a"}, {Number: 2}}}, Why: "Why.", Path: "?revision=1"}},
		},
		"settings_source_maps_revision": {&revisionPage{}, &revisionPage{full, "1", []sourcemapdb.Found{{ID: 1, URL: "~/a.js", DebugID: "a", Sources: 2, UploadedAt: at, UsedAt: at}, {ID: 2, UploadedAt: at, UsedAt: at}}, web.Pager{Newer: "/n", Older: "/o", Swap: "#list"}}},
		"settings_danger":               {&dangerForm{}, &dangerForm{full, accounts.Project{ID: 1}, fields}},
		"settings_channels":             {channelList{}, channelList{page: full, Channels: []channelCard{card, {Integration: alerts.Integration{ID: 2, IntegrationSettings: alerts.IntegrationSettings{Active: true}}, Silence: silence}, {Tracker: true}}}},
		"settings_channel_kinds":        {kindList{}, kindList{full, []channel.Kind{webhook}, []channel.Kind{tracker}}},
		"settings_channel_made":         {madeSecrets{}, madeSecrets{full, 1, web.Choices("a", "A", "b", "B"), "/log"}},
		"settings_channel": {
			&channelForm{},
			&channelForm{
				page: full, ID: 1, Name: "Chat", Kind: webhook, Where: needed, More: others, Says: "Outages.", Rate: rateFields(alerts.Integration{}), Limit: fields, Filtered: "Wrong.",
				Groups: []group{{Name: "events", Legend: "Notify when", Hint: "Hint.", Problem: "Problem.", Ticks: []tick{{"up", "Up", true}}}, {Name: "site_ids", All: true}}, Filters: []filterRow{{"all", "x"}, {}},
				Events: web.Choices("all", "All"), Quiet: newQuietForm(&alerts.QuietHours{From: "22:00", To: "07:00", Days: []string{"mon"}}, at), Escalate: web.Fields{{Name: "minutes", Label: "After minutes", Kind: "number", Problem: "Problem."}},
			},
			&channelForm{page: full, ID: 2, Name: "Issues", Kind: tracker, Says: "Issues.", Hook: hookOf(tracker, alerts.Integration{ID: 2, IntegrationSettings: alerts.IntegrationSettings{Options: map[string]any{"webhook_secret": "s3cret"}}}, "https://sett.example.test")},
			&channelForm{page: full, ID: 2, Name: "Issues", Kind: tracker, Hook: &hook{URL: "https://sett.example.test/v1/trackers/2"}},
		},
		"settings_deliveries": {deliveryList{}, deliveryList{full, 1, "Chat", silence, []deliveryRow{sent, waits, {}}, web.Pager{Newer: "/n", Older: "/o", Swap: "#list"}}},
		"settings_delivery":   {deliveryPage{}, deliveryPage{page: full, Delivery: waits}, deliveryPage{full, 1, "Chat", sent, []alerts.Attempt{{Number: 1, At: at, Status: 500, Problem: "no"}, {}}, "Text", "{}"}},
	}
}

func TestEveryTemplateIsDrawn(t *testing.T) {
	t.Parallel()
	markup.RenderAll(t, Area, everyPage())
}

// What a form says of every kind of channel, and what it sends back, leaves a channel as it was.
func TestFormsOfEveryKind(t *testing.T) {
	t.Parallel()
	for _, k := range channel.Kinds() {
		options := map[string]any{}
		for _, o := range k.AllOptions() {
			switch {
			case o.Secret:
				options[o.Name] = "s3cret"
			case o.Form == channel.Flag:
				options[o.Name] = "1"
			case o.Form == channel.Choice:
				options[o.Name] = o.Choices[0]
			default:
				options[o.Name] = "text"
			}
		}
		needed, others := optionFields(k, true, options)
		for _, f := range slices.Concat(needed, others) {
			if f.Value == "s3cret" {
				t.Errorf("%s: the form shows the secret %s", k.Type, f.Name)
			}
			if f.Label == "" || f.Hint == "" {
				t.Errorf("%s: %+v", k.Type, f)
			}
		}
	}
}

// What the host answered is shown as long as there is a token to ask with.
func TestStateOfARepository(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	for want, r := range map[string]repo.Repository{
		"Problem": {Token: "t", HeardAt: at, Problem: "No."}, "No webhook yet": {Problem: "No."}, "Connected": {HeardAt: at, Problem: "No."},
	} {
		row := newRepositoryRow(web.Shell{}, r)
		if row.State.Word != want || row.Token != "" || (row.Problem != "") != (want == "Problem") {
			t.Errorf("%s: %+v", want, row)
		}
	}
}
