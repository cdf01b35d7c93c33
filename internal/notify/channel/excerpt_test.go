package channel

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text   string
		most   int
		escape func(rune) string
		want   string
	}{
		{"", 0, plainly, ""},
		{"abc", 3, plainly, "abc"},
		{"abcd", 3, plainly, "ab…"},
		{"abcd", 1, plainly, "…"},
		{"abcd", 0, plainly, ""},
		{"äöüß", 3, plainly, "äö…"},
		{"🔴🔴", 4, plainly, "🔴🔴"},
		{"🔴🔴", 3, plainly, "🔴…"},
		{"🔴🔴", 2, plainly, "…"},
		{"a<b", 6, forHTML, "a&lt;b"},
		{"a<b", 5, forHTML, "a…"},
		{"a<", 5, forHTML, "a&lt;"},
		{"a*b*", 5, forMarkdown, `a\*b…`},
		{"a**", 4, forMarkdown, `a\*…`},
		{"@all", 5, forMarkdown, "@\u200ball"},
	} {
		if got := fit(c.text, c.most, c.escape); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.most, got, c.want)
		}
	}
}

// Whatever a text is, what fits of it is valid, no longer than it may be, and how the text begins.
func TestFitKeepsLimits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, most := rapid.String().Draw(t, "text"), rapid.IntRange(0, 40).Draw(t, "most")
		short := fit(text, most, plainly)
		if n := len(utf16.Encode([]rune(short))); n > most || n != length(short) || !utf8.ValidString(short) {
			t.Fatalf("%q has %d characters, at most %d", short, n, most)
		}
		if short != text && !strings.HasPrefix(text, strings.TrimSuffix(short, ellipsis)) {
			t.Fatalf("%q does not begin %q", short, text)
		}
		if inBytes := fitBytes(text, most); len(inBytes) > most || !utf8.ValidString(inBytes) || len(text) <= most && inBytes != text {
			t.Fatalf("%q has %d bytes, at most %d", inBytes, len(inBytes), most)
		}
	})
}

func TestJoined(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		most int
		want string
	}{{9, "ab, cd, e"}, {8, "ab, cd"}, {6, "ab, cd"}, {5, "ab"}, {2, "ab"}, {1, ""}} {
		if got := joined(c.most, ", ", "ab", "", "cd", "e"); got != c.want {
			t.Errorf("%d: %q, want %q", c.most, got, c.want)
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	got := []string{clean(" a\r\nb\tc\x00\x1b[31m\xff\u2028d ", ""), clean("\n a\r\nb\rc\n", "\n")}
	if diff := cmp.Diff([]string{"a b c  [31m\uFFFD d", "a\nb c"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// heavy is a message in which everything is as long as it can be, made of what grows most when it is escaped.
func heavy(piece string) Message {
	long := strings.Repeat(piece, 1500)
	m := samples()["occurred"]
	m.Project, m.Environment, m.Text, m.Title, m.Detail = long, long, long, long, strings.Repeat(piece+"\n", 1500)
	m.Facts, m.Trace = nil, nil
	for range 100 {
		m.Facts, m.Trace = append(m.Facts, Fact{Name: long, Value: long}), append(m.Trace, long)
	}
	return m
}

// However long a message is and whatever is in it, services get no more than they take.
func TestServicesGetNoMoreThanTheyTake(t *testing.T) {
	t.Parallel()
	r := startRecorder(t)
	for _, piece := range []string{"a", "&", "<", `"`, `\`, "`", "*", "ü", "漢", "🔴", "\x00", "\u2028", "\xff", "@", "\n", "```", "a b "} {
		for _, c := range triedKinds(r.URL) {
			m := heavy(piece)
			if c.values["topic"] != "" && c.Type == "Zulip" {
				c.values["topic"] = strings.Repeat("ü", 100)
			}
			if _, err := c.sender(r.URL, anywhere(time.Minute)).Send(t.Context(), m); err != nil {
				t.Fatalf("%s, %q: %v", c.name, piece, err)
			}
			all := r.take()
			if len(all) != 1 || !utf8.ValidString(all[0].body) {
				t.Fatalf("%s, %q: %v", c.name, piece, all)
			}
			if check := limits()[c.Type]; check != nil {
				checkBody(t, c, piece, all[0], check)
			} else if c.Type != "WebHook" {
				t.Errorf("%s has no limits in this test", c.Type)
			}
		}
	}
}

func checkBody(t *testing.T, c tried, piece string, s seen, check func(*testing.T, string, []byte)) {
	t.Helper()
	body := []byte(s.body)
	if strings.HasPrefix(s.header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		form, err := url.ParseQuery(s.body)
		if err != nil {
			t.Errorf("%s, %q: %v", c.name, piece, err)
		}
		body, _ = json.Marshal(form)
	} else if !json.Valid(body) {
		t.Errorf("%s, %q: no JSON", c.name, piece)
	}
	check(t, c.name+", "+piece, body)
}

// limits are those of the services, from the pages that their kinds name.
func limits() map[string]func(*testing.T, string, []byte) {
	return map[string]func(*testing.T, string, []byte){
		"Alertmanager": func(t *testing.T, name string, body []byte) {
			for _, a := range read[[]alertmanagerAlert](t, name, body) {
				between(t, name, a.Annotations["summary"], 0, 5000)
				between(t, name, a.Annotations["description"], 1, 5000)
			}
		},
		"Slack": func(t *testing.T, name string, body []byte) {
			m := read[slackMessage](t, name, body)
			blocks, _ := marshal(m.Blocks)
			atMost(t, name, string(blocks), 13_000)
			for _, b := range m.Blocks {
				if b.Text != nil {
					between(t, name, b.Text.Text, 1, 3000)
				}
				count(t, name, len(b.Fields), 10)
				for _, f := range b.Fields {
					between(t, name, f.Text, 1, 2000)
				}
			}
		},
		"Discord": func(t *testing.T, name string, body []byte) {
			e := read[discordMessage](t, name, body).Embeds[0]
			all := e.Title + e.Description + e.Footer.Text
			between(t, name, e.Title, 1, 256)
			atMost(t, name, e.Description, 4096)
			between(t, name, e.Footer.Text, 0, 2048)
			count(t, name, len(e.Fields), 25)
			for _, f := range e.Fields {
				between(t, name, f.Name, 1, 256)
				between(t, name, f.Value, 1, 1024)
				all += f.Name + f.Value
			}
			atMost(t, name, all, 6000)
		},
		"MSTeams":    func(t *testing.T, name string, body []byte) { count(t, name, len(body), 28<<10) },
		"Mattermost": func(t *testing.T, name string, body []byte) { atMost(t, name, string(body), 16_383) },
		"GoogleChat": func(t *testing.T, name string, body []byte) { count(t, name, len(body), 32_000) },
		"Telegram": func(t *testing.T, name string, body []byte) {
			between(t, name, read[telegramMessage](t, name, body).Text, 1, 4096)
		},
		"PagerDutyV2": func(t *testing.T, name string, body []byte) {
			e := read[pagerDutyEvent](t, name, body)
			between(t, name, e.DedupKey, 1, 255)
			between(t, name, e.Payload.Summary, 0, 1024)
			count(t, name, len(body), 512<<10)
		},
		"Opsgenie": opsLimits,
		"JSM":      opsLimits,
		"Ntfy": func(t *testing.T, name string, body []byte) {
			m := read[ntfyMessage](t, name, body)
			count(t, name, len(m.Message), 4096)
			between(t, name, m.Title, 0, 250)
		},
		"Pushover": func(t *testing.T, name string, body []byte) {
			form := read[url.Values](t, name, body)
			between(t, name, form.Get("message"), 0, 1024)
			between(t, name, form.Get("title"), 1, 250)
		},
		"Github": func(t *testing.T, name string, body []byte) {
			i := read[gitHubIssue](t, name, body)
			between(t, name, i.Title, 1, 256)
			between(t, name, i.Body, 1, 65_536)
		},
		"Gitlab": func(t *testing.T, name string, body []byte) {
			i := read[gitLabIssue](t, name, body)
			between(t, name, i.Title, 1, 255)
			between(t, name, i.Description, 1, 1_048_576)
		},
		"Jira": func(t *testing.T, name string, body []byte) {
			i := read[jiraIssue](t, name, body)
			between(t, name, i.Fields.Summary, 1, 255)
			between(t, name, i.Fields.Description, 1, 32_767)
		},
		"Linear": func(t *testing.T, name string, body []byte) {
			i := read[linearRequest](t, name, body).Variables["input"].(map[string]any)
			between(t, name, i["title"].(string), 1, 255)
			count(t, name, len(body), 32<<10)
		},
		"Trello": func(t *testing.T, name string, body []byte) {
			form := read[url.Values](t, name, body)
			between(t, name, form.Get("name"), 1, 16_384)
			between(t, name, form.Get("desc"), 1, 16_384)
		},
		"Zulip": func(t *testing.T, name string, body []byte) {
			form := read[url.Values](t, name, body)
			between(t, name, form.Get("topic"), 1, 60)
			between(t, name, form.Get("content"), 1, 10_000)
		},
	}
}

func opsLimits(t *testing.T, name string, body []byte) {
	t.Helper()
	alert := read[opsAlert](t, name, body)
	between(t, name, alert.Message, 0, 130)
	between(t, name, alert.Alias, 1, 250)
	between(t, name, alert.Description, 1, 15_000)
	between(t, name, alert.Entity, 0, 512)
}

func read[T any](t *testing.T, name string, body []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(body, &v); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return v
}

func between(t *testing.T, name, text string, least, most int) {
	t.Helper()
	if n := len(utf16.Encode([]rune(text))); n < least || n > most {
		t.Errorf("%s: %d characters, want %d to %d: %.80q", name, n, least, most, text)
	}
}

func atMost(t *testing.T, name, text string, most int) {
	t.Helper()
	between(t, name, text, 0, most)
}

func count(t *testing.T, name string, n, most int) {
	t.Helper()
	if n > most {
		t.Errorf("%s: %d, at most %d", name, n, most)
	}
}

// The text of an error cannot mention people, create links, or end the block that it is in.
func TestStrangersTextsAreEscaped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ got, want string }{
		"Slack":    {fit(`<!channel> & <http://x|y> "q"`, 100, forSlack), `&lt;!channel&gt; &amp; &lt;http://x|y&gt; "q"`},
		"HTML":     {fit(`<a href="x">&amp;</a>`, 100, forHTML), `&lt;a href=&quot;x&quot;&gt;&amp;amp;&lt;/a&gt;`},
		"Markdown": {fit("@everyone [a](b) `c` **d** ||e|| ~f~ _g_ > # \\", 100, forMarkdown), "@\u200beveryone \\[a\\]\\(b\\) \\`c\\` \\*\\*d\\*\\* \\|\\|e\\|\\| \\~f\\~ \\_g\\_ \\> \\# \\\\"},
		"ops":      {fit("#<User> & b", 100, forOps), "#&lt;User> & b"},
		"fence":    {fence([]string{"a ```` b", "```"}), "`````text\na ```` b\n```\n`````"},
		"block":    {codeBlock([]string{"a ``` b"}, plainly), "```\na `\u200b`\u200b`\u200b b\n```"},
		"nothing":  {fence(nil) + codeBlock(nil, plainly), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
}
