package notify

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/alerts"
)

var update = flag.Bool("update", false, "write the golden mails anew")

var fullFacts = facts{
	Server: "https://sett.example.org", Link: "https://sett.example.org/somewhere/tok_en-1?a=b",
	Until: time.Date(2026, 12, 2, 12, 0, 0, 0, time.UTC), At: time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC),
	Account: `Acme & <b>Söhne</b>`, Team: `"Team" <i>`, Inviter: "Olga O'Owner", Role: "Admin", Empty: true,
	Message: "Welcome!\r\n\r\n<script>alert(1)</script> & more", Address: "203.0.113.7", Device: "Firefox on Linux",
	Unsubscribe: "https://sett.example.org/unsubscribe/5.7.tok_en-1", Digest: fullDigest(),
	Event: eventOf(alerts.PasskeyAdded, `Blue & <b>black</b>`), Integration: `Ops & <b>pager</b> (WebHook)`, Project: `Shop <i>`, Problem: `410 Gone <script>`,
	Page: `Acme & <b>status</b>`,
}

// Every text is written with all that it may name and with nothing of it.
func TestLetters(t *testing.T) {
	t.Parallel()
	l := newLetters()
	bare := facts{Server: fullFacts.Server, Link: fullFacts.Link, Until: fullFacts.Until, At: fullFacts.At, Event: eventOf("", "")}
	for kind := range l.texts {
		for name, f := range map[string]facts{"full": fullFacts, "bare": bare} {
			got, err := l.write(kind, f)
			if err != nil {
				t.Errorf("%s, %s: %v", kind, name, err)
				continue
			}
			golden(t, string(kind)+"_"+name+".golden", "Subject: "+got.subject+"\n\n"+got.text+"\n=== HTML ===\n"+got.html)
			checkReadable(t, kind, got)
		}
	}
	if len(l.texts) != 8 {
		t.Errorf("%d kinds have a text, want 8", len(l.texts))
	}
}

// checkReadable holds a mail against what any is to be.
func checkReadable(t *testing.T, kind alerts.MailKind, l letter) {
	t.Helper()
	if l.subject == "" || strings.Contains(l.subject, "\n") || strings.TrimSpace(l.text) == "" {
		t.Errorf("%s: subject %q, text %q", kind, l.subject, l.text)
	}
	link := fullFacts.Link
	switch kind {
	case alerts.PasswordChangedMail:
		link = fullFacts.Server + "/forgot"
	case alerts.SecurityNoticeMail:
		link = fullFacts.Server + "/me/security"
	}
	if !strings.Contains("\n"+l.text, "\n"+link+"\n") {
		t.Errorf("%s: the link has no line of its own in the text:\n%s", kind, l.text)
	}
	if !strings.Contains(l.html, `<a href="`+link+`"`) {
		t.Errorf("%s: the link is not in the HTML:\n%s", kind, l.html)
	}
	for _, bad := range []string{"<no value>", "<script", "<i>", "<b>Söhne", "<b>black", "<b>pager", "ZgotmplZ", "{{", "with the role .", "  "} {
		if strings.Contains(l.html, bad) {
			t.Errorf("%s: %q is in the HTML:\n%s", kind, bad, l.html)
		}
	}
	for _, bad := range []string{"<no value>", "&amp;", "\n\n\n", " .", " ,", "{{"} {
		if strings.Contains(l.text, bad) {
			t.Errorf("%s: %q is in the text:\n%s", kind, bad, l.text)
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// Every event says what has happened, to what, and where it is undone.
func TestEventsInWords(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for e, page := range map[alerts.SecurityEvent]string{
		alerts.PasskeyAdded: "/me/security", alerts.SecondFactorOn: "/me/security", alerts.SecondFactorOff: "/me/security", alerts.TokenMade: "/me/tokens", alerts.ProgramConnected: "/me/tokens",
		alerts.CodesRenewed: "/me/security", alerts.IdentityAdded: "/me/security",
	} {
		got := eventOf(e, "Phone")
		named := e == alerts.SecondFactorOn || e == alerts.SecondFactorOff || e == alerts.CodesRenewed || strings.Contains(got.Sentence, "“Phone”")
		if seen[got.Title] || got.Title == eventOf("", "").Title || got.Page != page || !named {
			t.Errorf("%s: %+v", e, got)
		}
		seen[got.Title] = true
	}
}

func TestLetterOfAnUnknownKind(t *testing.T) {
	t.Parallel()
	if _, err := newLetters().write("birthday", fullFacts); err == nil {
		t.Error("a mail without a text was written")
	}
}
