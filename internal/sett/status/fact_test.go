package status

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/status/locale"
)

// said returns what an incident and its newest update say in a language.
func said(l locale.Language, i StatusIncident, u IncidentUpdate) string {
	i.Updates = []IncidentUpdate{u}
	i = i.In(l)
	return i.Name + "|" + i.Updates[0].Message
}

func TestAutomaticIncidentsInALanguage(t *testing.T) {
	t.Parallel()
	page := StatusPage{StatusPageSettings: StatusPageSettings{AutoIncidents: true}}
	two := downSites("Shop", "100% of mails")
	two[1].SiteID = sett.UUID{} // a check-in
	i, u, _ := page.Watch(two[:1], nil, noonOfStatus)
	for l, want := range map[locale.Language]string{
		locale.English: "Shop is down|Our checks have failed since 11:59 UTC.", locale.German: "Shop ist ausgefallen|Unsere Prüfungen schlagen seit 11:59 UTC fehl.",
		locale.French: "Shop est en panne|Nos vérifications échouent (début : 11:59 UTC).", locale.Spanish: "Shop está caído|Nuestras comprobaciones fallan (inicio: 11:59 UTC).",
		locale.Portuguese: "Shop está fora do ar|Nossas verificações falham (início: 11:59 UTC).", locale.Japanese: "Shopが停止しています|チェックが失敗しています（開始: 11:59 UTC）。", "": "Shop is down|Our checks have failed since 11:59 UTC.",
	} {
		if got := said(l, i, u); got != want {
			t.Errorf("%s: %s, want %s", l, got, want)
		}
	}
	i.ID = 1
	i, u, _ = page.Watch(two, []StatusIncident{i}, noonOfStatus.Add(time.Minute))
	if got := said(locale.German, i, u); got != "Shop und 100% of mails sind ausgefallen|100% of mails sollte sich bis 11:58 UTC melden und hat es nicht getan." {
		t.Error(got)
	}
	two[0].State = ComponentUp
	i, u, _ = page.Watch(two, []StatusIncident{i}, noonOfStatus.Add(2*time.Minute))
	if got := said(locale.German, i, u); got != "100% of mails hat sich nicht gemeldet|Shop funktioniert wieder.\n100% of mails hat sich noch immer nicht gemeldet." {
		t.Error(got)
	}
	two[1].State = ComponentUp
	i, u, _ = page.Watch(two, []StatusIncident{i}, noonOfStatus.Add(26*time.Hour))
	if got := said(locale.German, i, u); got != "100% of mails hat sich nicht gemeldet|100% of mails hat sich wieder gemeldet.\nDauer: 1 Tag und 2 Stunden." {
		t.Error(got)
	}
}

// Whatever sett writes has no English in other languages, and no missing values.
func TestEveryFactIsInEveryLanguage(t *testing.T) {
	t.Parallel()
	var all []fact
	for _, names := range []string{"a", "a,b", "a,b,c,d"} {
		sites := downSites(strings.Split(names, ",")...)
		jobs := downSites(strings.Split(names, ",")...)
		for n := range jobs {
			jobs[n].SiteID = sett.UUID{}
			jobs[n].DownAt = noonOfStatus.Add(-72 * time.Hour)
		}
		for _, down := range [][]ComponentWatch{sites, jobs} {
			all = append(all, nameOfOutage(down), persist(down))
			all = append(all, outage(down, noonOfStatus)...)
			all = append(all, arrivals(down, noonOfStatus)...)
			for _, state := range []ComponentState{ComponentUp, ComponentDown, ComponentPaused} {
				down[0].State = state
				all = append(all, farewells(down[:1], nil)...)
			}
			all = append(all, farewells(down[:1], []StatusIncident{{Kind: Maintenance, Status: InProgress}})...)
		}
	}
	all = append(all, departures([]string{"x"})...)
	all = append(all, fact{Key: "more_lines", More: 3}, fact{Key: "work_began"}, fact{Key: "work_ended"})
	for _, d := range []time.Duration{0, time.Minute, time.Hour, 25 * time.Hour} {
		all = append(all, fact{Key: lastedKey, For: d})
	}
	used := map[string]bool{}
	for _, f := range all {
		used[f.Key] = true
		facts, english := factsOf(f)
		for _, l := range locale.All() {
			got := facts.in(l, english)
			if got == "" || strings.Contains(got, "%!") || strings.Contains(got, "_") || l != locale.English && got == english {
				t.Errorf("%s of %+v: %q", l, f, got)
			}
		}
	}
	if len(used) != 20 {
		t.Errorf("%d kinds of facts: %v", len(used), used)
	}
}

// What a user wrote, or changed, is as they wrote it.
func TestUsersAreNotTranslated(t *testing.T) {
	t.Parallel()
	facts, english := factsOf(fact{Key: "work_began"})
	for name, c := range map[string]struct {
		facts   Facts
		written string
		want    string
	}{
		"untouched": {facts, english, "Die Wartung hat begonnen."}, "changed": {facts, english + " Hello.", english + " Hello."},
		"by a user": {"", "x", "x"}, "damaged": {`{"`, english, english}, "of another version": {`[{"key":"none"}]`, english, english},
	} {
		if diff := cmp.Diff(c.want, IncidentUpdate{Message: c.written, Facts: c.facts}.In(locale.German).Message); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
