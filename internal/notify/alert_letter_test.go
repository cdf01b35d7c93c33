package notify

import (
	"strings"
	"testing"
	"time"

	"sett/internal/notify/channel"
	"sett/internal/sett/alerts"
)

// hostile is a message with all that one has, of texts that try to be more than texts.
func hostile() channel.Message {
	return channel.Message{
		Event: alerts.AlertCommented, At: time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC), Mood: channel.Trouble, Project: "Shop & <b>Söhne</b>",
		Environment: "prod\r\nuction", Text: "[Shop] a\r\nBcc: evil@example.test\u202e <script>alert(1)</script>" + strings.Repeat(" long", 60),
		Title: `<img src=x onerror="alert(1)">`, Detail: "First <script>\r\n\r\n.\r\nFrom here & on\x00",
		Facts: []channel.Fact{{Name: "Tags", Value: "a\nb"}, {Name: "Empty", Value: " "}}, Trace: []string{"a.rb:1 in <b>\nrun"},
		URL: "https://sett.example.org/projects/1/faults/1",
	}
}

func TestAlertLetters(t *testing.T) {
	t.Parallel()
	l := NewAlertLetters("https://sett.example.org")
	messages := map[string]channel.Message{"hostile": hostile()}
	for _, e := range []alerts.AlertEvent{alerts.AlertOccurred, alerts.AlertCommented, alerts.AlertUp, alerts.AlertFlooded} {
		m, err := sampleContext(e, "https://sett.example.org").message()
		if err != nil {
			t.Fatal(err)
		}
		messages[string(e)] = m
	}
	for name, m := range messages {
		subject, plain, marked, err := l.Letter(m)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "alert_"+name+".golden", "Subject: "+subject+"\n\n"+plain+"\n=== HTML ===\n"+marked)
		checkAlertLetter(t, m, subject, plain, marked)
		if strings.Contains(plain+marked, "No longer want") {
			t.Errorf("%s: a channel's letter offers to unsubscribe", name)
		}
	}
}

// checkAlertLetter holds a letter against what any is to be.
func checkAlertLetter(t *testing.T, m channel.Message, subject, plain, marked string) {
	t.Helper()
	if subject == "" || strings.ContainsAny(subject, "\r\n\x00\u202e") || len([]rune(subject)) > mostSubject {
		t.Errorf("subject %q", subject)
	}
	if !strings.Contains(plain, "\n\n"+m.URL+"\n") || !strings.Contains(marked, `<a href="`+m.URL+`"`) {
		t.Errorf("the link is missing:\n%s\n%s", plain, marked)
	}
	for _, bad := range []string{"<no value>", "&amp;", "\n\n\n", "{{", "\r", "\x00"} {
		if strings.Contains(plain, bad) {
			t.Errorf("%q is in the text:\n%s", bad, plain)
		}
	}
	for _, bad := range []string{"<no value>", "<script", "<img", "<b>S", "<b>run", "ZgotmplZ", "{{", "\x00"} {
		if strings.Contains(marked, bad) {
			t.Errorf("%q is in the HTML:\n%s", bad, marked)
		}
	}
}

// A user's letter says where they end such mails.
func TestPersonalLetter(t *testing.T) {
	t.Parallel()
	_, plain, marked, err := NewAlertLetters("https://sett.example.org").Personal(hostile(), "https://sett.example.org/me/alerts?a=1&b=2", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(plain, "\n\nhttps://sett.example.org/me/alerts?a=1&b=2\n") || !strings.Contains(marked, `<a href="https://sett.example.org/me/alerts?a=1&amp;b=2"`) {
		t.Errorf("%s\n%s", plain, marked)
	}
}

// An address that is none of a page leads nowhere.
func TestLetterWithAHostileAddress(t *testing.T) {
	t.Parallel()
	m := hostile()
	m.URL = "javascript:alert(1)"
	_, _, marked, err := NewAlertLetters("https://sett.example.org").Letter(m)
	if err != nil || strings.Contains(marked, `href="javascript`) {
		t.Errorf("%v\n%s", err, marked)
	}
}
