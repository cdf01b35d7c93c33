package fault_test

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"sett/internal/event/query"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/setttest/markup"
	"sett/internal/setttest/visitor"
)

func TestEveryPage(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	o.Clock.Push(time.Minute)
	o.report(rich)
	for name, b := range map[string]*visitor.Browser{"admin": o.admin, "member": o.member} {
		for _, path := range []string{
			o.list(), o.list() + "?q=", o.list() + "?q=is%3Aresolved", o.list() + "?q=boom&environment=production&order=frequent&view=compact",
			o.path(f), o.path(f) + "?trace=all", o.path(f) + "?trace=raw", o.path(f) + "?period=hour", o.path(f) + "?period=month", o.path(f) + "/notices", o.path(f) + "/users", o.path(f) + "/users?find=dora",
		} {
			if got := b.Get(path); got.Status != 200 {
				t.Errorf("%s gets %d for %s: %s", name, got.Status, path, got.Body)
			} else {
				got.CheckPage()
			}
		}
	}
	for _, path := range []string{o.list(), o.path(f), o.path(f) + "/notices", o.path(f) + "/users", o.list() + ".csv", o.path(f) + ".json"} {
		o.outsider.Get(path).Want(404)
		if got := o.anonymous.Get(path); !strings.HasPrefix(got.Header.Get("Location"), "/login?next=") {
			t.Errorf("%s shows itself to everybody: %d", path, got.Status)
		}
	}
	for _, path := range []string{o.list() + "/999", o.list() + "/x", o.list() + "/999.md", o.list() + "/999/users", o.path(f) + "?notice=x", o.path(f) + "?notice=019ab2a4-0000-7000-8000-000000000000"} {
		o.member.Get(path).Want(404)
	}
}

func TestFaultPageShowsTheEvent(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	got := o.member.Get(o.path(f)).Want(200, "Boom", "app/cart.rb:2", `<i class="hk">nil</i>.total`, "Caused by", "Root", "acme-eu", "[FILTERED]", "in-session", "from-cookie", "SELECT 1", "dora@example.test", "4e1f9a2", "web-3", "Why these events are grouped", `<a href="https://shop.test/cart?coupon=sesame"`)
	lacks(t, got.Body, "rack.rb")
	o.member.Get(o.path(f)+"?trace=all").Want(200, "rack.rb")
	o.member.Get(o.path(f)).Want(200, "rack.rb") // it is remembered
	o.member.Get(o.path(f)+"?trace=raw").Want(200, "Caused by Root: ", "    app/cart.rb:2 in total")
}

// The page of an event that came days late says when it happened, and when it arrived.
func TestLateEvent(t *testing.T) {
	t.Parallel()
	o := open(t)
	for said, want := range map[time.Duration][2]bool{72 * time.Hour: {true, false}, 5 * time.Second: {false, true}} {
		f := o.report(fmt.Sprintf(`{"error":{"class":"Late%d"},"server":{"time":%q}}`, said, o.Clock.Now().Add(-said).Format("2006-01-02 15:04:05 UTC")))
		page := o.member.Get(o.path(f)).Body
		got := [2]bool{strings.Contains(page, "<dt>Happened</dt>") && strings.Contains(page, "<dt>Arrived</dt>"), strings.Contains(page, "<dt>When</dt>")}
		if got != want {
			t.Errorf("%v late: it says when it happened and arrived, or only when: %v", said, got)
		}
	}
}

func TestOlderAndNewerEvents(t *testing.T) {
	t.Parallel()
	o := open(t)
	var f faults.Fault
	for _, host := range []string{"first", "second", "third"} {
		f = o.report(strings.Replace(rich, "web-3", host+"-host", 1))
		o.Clock.Push(time.Second)
	}
	link := func(body, label string) string {
		before, _, ok := strings.Cut(body, `aria-label="`+label+`"`)
		if !ok {
			return ""
		}
		_, href, _ := strings.Cut(before[strings.LastIndex(before, "<a "):], `href="`)
		href, _, _ = strings.Cut(href, `"`)
		return href
	}
	page := o.member.Get(o.path(f)).Want(200, "third-host")
	if link(page.Body, "Newer event") != "" {
		t.Error("something is newer than the newest event")
	}
	page = o.member.Get(link(page.Body, "Older event")).Want(200, "second-host")
	o.member.Get(link(page.Body, "Newer event")).Want(200, "third-host")
	page = o.member.Get(link(page.Body, "Older event")).Want(200, "first-host")
	if link(page.Body, "Older event") != "" {
		t.Error("something is older than the oldest event")
	}
}

func TestSearches(t *testing.T) {
	t.Parallel()
	o := open(t)
	boom, other := o.report(rich), o.report(plain("Other"))
	o.member.Post(o.path(other)+"/state", "do", "resolve").Leads(o.path(other) + "?done=resolved" + o.undo("resolved"))
	lacks(t, o.member.Get(o.list()).Want(200, o.path(boom)).Body, o.path(other)+"?")
	lacks(t, o.member.Get(o.list()+"?q=is%3Aresolved").Want(200, o.path(other)).Body, o.path(boom)+"?", "Resolved</span>")
	o.member.Get(o.list()+"?q=").Want(200, o.path(other), o.path(boom), "Resolved</span>")
	o.member.Get(o.list()+"?q=nothing").Want(200, "No matching errors").CheckPage()
	o.member.Get(o.list()+"?q=is%3Awrong").Want(422, "Unknown value “is:wrong”. Use is:resolved, is:unresolved, ").CheckPage()
	o.member.Get(o.list()+"?q=user%3ADora%40example.test").Want(200, o.path(boom))
	o.member.Get(o.list()+"?q=user%3Adora").Want(200, "No matching errors")
	o.member.Get(o.list()+"?q=user%3Adora*").Want(200, o.path(boom))
	wrong := o.member.Get(o.list()+"?q=hosname%3Aweb-3").Want(422, "Unknown filter “hosname:”. Did you mean <a ", ">hostname:web-3</a>?").CheckPage()
	hints := regexp.MustCompile(`<code>([^<]*:[^<]*)</code>`).FindAllStringSubmatch(wrong.Body, -1)
	if len(hints) < 5 {
		t.Errorf("%d hints", len(hints))
	}
	for _, hint := range hints {
		s, err := sett.ParseSearch(html.UnescapeString(hint[1]), o.Clock.Now())
		if err != nil || s.Terms[0].Key == query.Text {
			t.Errorf("the hint %s is no search by a key: %v", hint[1], err)
		}
	}
	o.member.Get(o.list()+"?q=&environment=elsewhere").Want(200, "No matching errors")
	o.member.Get(o.list() + "?q=&page=x").Want(422)
}

func TestExports(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	md := o.member.Get(o.path(f)+".md").Want(200, "`Boom`", "app/cart.rb:2 in total", "> 2    nil.total", `"tenant":"acme-eu"`, "Revision: 4e1f9a2")
	if kind := md.Header.Get("Content-Type"); kind != "text/markdown; charset=utf-8" {
		t.Errorf("Markdown is %s", kind)
	}
	var event struct {
		Class  string `json:"klass"`
		Notice struct {
			Request struct{ Context map[string]any }
		}
	}
	if err := json.Unmarshal([]byte(o.member.Get(o.path(f)+".json").Want(200).Body), &event); err != nil || event.Class != "Boom" || event.Notice.Request.Context["tenant"] != "acme-eu" {
		t.Errorf("JSON is %+v, error %v", event, err)
	}
	o.report(plain("=cmd()"))
	csv := o.member.Get(o.list()+".csv?q=").Want(200, "id,url,class,", ",'=cmd(),m,production,", ",Boom,it broke for")
	if kind := csv.Header.Get("Content-Type"); kind != "text/csv; charset=utf-8" {
		t.Errorf("CSV is %s", kind)
	}
	o.member.Get(o.list() + ".csv?q=is%3Awrong").Want(422)
}

func TestPublicPageShowsNothingOfAnybody(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	page := o.member.Post(o.path(f)+"/share").Want(200, "/share/")
	page.CheckPage()
	_, link, _ := strings.Cut(page.Body, `<code class="secret">`)
	link, _, _ = strings.Cut(link, "<")
	link = strings.TrimPrefix(link, o.App.BaseURL())
	for name, b := range map[string]*visitor.Browser{"without a session": o.anonymous, "a member": o.member} {
		got := b.Get(link).Want(200, "Boom", "it broke for [address]", "nil.total", "for [address]", `data-copy="app/cart.rb:2 in total"`, "<dt>Events</dt>", "1 in 24 h", `class="chart"`).CheckPage()
		lacks(t, got.Body, "example.test", "acme-eu", "sesame", "in-session", "from-cookie", "SELECT 1", "web-3", "FILTERED", "Ann", "checkout", "/projects/", "<dt>Users</dt>")
		if got.Header.Get("X-Robots-Tag") != "noindex, nofollow" {
			t.Errorf("%s: X-Robots-Tag is %q", name, got.Header.Get("X-Robots-Tag"))
		}
	}
	o.anonymous.Get(link + "x").Want(404)
	o.Clock.Push(time.Minute)
	o.outsider.Post(o.path(f) + "/share").Want(404)
	o.member.Post(o.path(f) + "/unshare").Leads(o.path(f) + "?done=unshared")
	o.wantEntry("unshareFaultPage")
	o.anonymous.Get(link).Want(404)
	forbid := func(yes bool) {
		o.Put(fmt.Sprintf("/v2/projects/%d", o.Setup.ProjectID), fmt.Sprintf(`{"project":{"name":"Shop","disable_public_links":%t}}`, yes)).Want(204)
	}
	forbid(true)
	lacks(t, o.member.Get(o.path(f)).Want(200, "Public links are not allowed in this project").CheckPage().Body, "until they are allowed again")
	o.member.Post(o.path(f) + "/share").Want(403)
	forbid(false)
	link = o.shared(t)
	forbid(true)
	o.anonymous.Get(link).Want(404)
	o.member.Get(o.path(f)).Want(200, "works again once they are allowed").CheckPage()
	forbid(false)
	o.anonymous.Get(link).Want(200, "Boom")
	forbid(true)
	o.member.Post(o.path(f) + "/unshare").Leads(o.path(f) + "?done=unshared")
	forbid(false)
	o.anonymous.Get(link).Want(404)
}

func TestExplanationOfASpike(t *testing.T) {
	t.Parallel()
	o := open(t)
	var f faults.Fault
	for _, revision := range []string{"aaa1", "bbb2"} {
		for range 25 {
			f = o.report(strings.Replace(rich, "4e1f9a2", revision, 1))
		}
		o.Clock.Push(50 * time.Minute)
	}
	o.member.Get(o.path(f)).Want(200, "What changed in the last hour", "<code>bbb2</code>: 0 % → <strong>100 %</strong>", ">Breakdown</h2>", "newest 50 events", "web-3").CheckPage()
	o.Clock.Push(3 * time.Hour)
	o.member.Get(o.path(f)).Want(200, "Break down the newest events").Lacks(">Breakdown</h2>")
	o.member.Get(o.path(f)+"?explain=1").Want(200, ">Breakdown</h2>", "web-3").CheckPage()
}

// A breakdown has the values as they were sent, the most frequent first, and each leads to the errors that have it.
func TestBreakdown(t *testing.T) {
	t.Parallel()
	o := open(t)
	const mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15"
	var f faults.Fault
	for i := range 8 {
		agent, plan := edge, "Gold"
		if i < 2 {
			agent, plan = mac, ""
		}
		f = o.report(`{"error":{"class":"Boom","message":"m"},"request":{"url":"https://shop.test/` + fmt.Sprint(i) + `","context":{"user_id":7,"user_email":"Ada@x.test","tags":{"Plan":"` + plan + `"}},
			"cgi_data":{"HTTP_USER_AGENT":"` + agent + `"}},"server":{"environment_name":"production","revision":"ae2778d8c28a28b7e5644b1a29691b0f3945f42f"}}`)
	}
	page := o.member.Get(o.path(f)).CheckPage().Want(200, "<h3 class=\"small\">Browser</h3>", ">Edge</a> <span>75 %</span>", ">Safari</a> <span>25 %</span>", ">macOS</a> <span>25 %</span>",
		">Ada@x.test</a> <span>100 %</span>", "<h3 class=\"small\">plan</h3>", ">Gold</a> <span>75 %</span>", ">Not set</span> <span>25 %</span>", ">Other</span> <span>50 %</span>",
		`title="ae2778d8c28a28b7e5644b1a29691b0f3945f42f"><a href="/projects/1/faults?q=revision%3Aae2778d8c28a28b7e5644b1a29691b0f3945f42f">ae2778d</a>`)
	page.Lacks(">7</a> <span>")
	for _, link := range linksTo(page.Body, "/faults?q=") {
		o.member.Get(link).Want(200, "Boom")
	}
}

// The pages keep to the budgets of the design: bytes with gzip, and elements.
func TestPagesAreSmall(t *testing.T) {
	t.Parallel()
	o := open(t)
	var frames []string
	for i := range 200 {
		frames = append(frames, fmt.Sprintf(`{"number":"%d","file":"[PROJECT_ROOT]/app/f%d.rb","method":"m%d","context":"app","source":{"1":"a","2":"b","3":"c"}}`, i, i, i))
	}
	f := o.report(`{"error":{"class":"Deep","message":"m","backtrace":[` + strings.Join(frames, ",") + `]}}`)
	for i := range 30 {
		o.report(plain(fmt.Sprintf("Class%d", i)))
	}
	for path, most := range map[string]int{o.list() + "?q=": 22 << 10, o.path(f): 50 << 10} {
		got := o.member.Get(path).Want(200)
		if size := len(serve.Gzip([]byte(got.Body))); size > most {
			t.Errorf("%s takes %d bytes, want at most %d", path, size, most)
		}
		if n := markup.Check(t, path, got.Body); path == o.list()+"?q=" && n > 2000 {
			t.Errorf("%s has %d elements", path, n)
		}
	}
}

// However much a notice holds, its page stays one that a browser can show.
func TestPagesOfHugeNoticesAreBounded(t *testing.T) {
	t.Parallel()
	o := open(t)
	var frames []string
	for i := range 400 {
		var source []string
		for n := range 15 {
			source = append(source, fmt.Sprintf(`"%d":"%d"`, i+n, n))
		}
		frames = append(frames, fmt.Sprintf(`{"number":"%d","file":"[PROJECT_ROOT]/a%d.rb","method":"m","context":"app","source":{%s}}`, i, i, strings.Join(source, ",")))
	}
	part := func(from, to int) string { return `"backtrace":[` + strings.Join(frames[from:to], ",") + `]` }
	f := o.report(`{"error":{"class":"Deep","message":"m",` + part(0, 120) + `,"causes":[{"class":"A","message":"a",` + part(120, 320) + `},{"class":"B","message":"b",` + part(320, 400) + `}]}}`)
	page := o.member.Get(o.path(f)).Want(200, "Caused by", "120 more frames are in", "80 more frames are in", "The source of this line is in").Body
	lacks(t, page, "The client sent no")
	if n := markup.Check(t, "huge", page); n > 9000 {
		t.Errorf("the page has %d elements", n)
	}
	if n := strings.Count(page, `<details class="frame"`); n != 200 {
		t.Errorf("the page has %d frames, want 200", n)
	}
}

func TestEventsOfOtherFaultsAreNotFound(t *testing.T) {
	t.Parallel()
	o := open(t)
	one, two := o.report(plain("One")), o.report(plain("Two"))
	_, id, _ := strings.Cut(o.member.Get(o.path(one)+"/notices").Want(200).Body, "?notice=")
	id, _, _ = strings.Cut(id, `"`)
	o.member.Get(o.path(one)+"?notice="+id).Want(200, id)
	o.member.Get(o.path(two)+"?notice="+id).Want(404, "this error has no such event")
}
