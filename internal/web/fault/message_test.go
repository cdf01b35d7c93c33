package fault_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// says is a notice of an error with a fingerprint of its own.
func says(class, message string, causes ...string) string {
	return fmt.Sprintf(`{"error":{"class":%q,"message":%q,"fingerprint":"one","causes":[%s]},"server":{"environment_name":"production"}}`, class, message, strings.Join(causes, ","))
}

// A row shows the newest message of an error and, marked, the one that was searched for; the page of the error lists them all.
func TestMessagesThatDiffer(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(says("PayError", "the badger <b>failed</b>"))
	o.report(says("PayError", "the otter failed"))
	o.report(says("PayError", "the otter failed"))
	o.report(says("CardError", "the lynx failed", `{"class":"Net::Timeout","message":"the walrus slept"}`))
	if err := o.App.Store().Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	list := func(q string, has ...string) string {
		return o.member.Get(o.list()+q).Want(200, append(has, "&#43; 2 other messages</span>", "</strong> CardError: the lynx failed</a>")...).CheckPage().Body
	}
	lacks(t, list(""), "Another message:", "Cause or wrapper:")
	lacks(t, list("?q=lynx"), "Another message:", "Cause or wrapper:")
	list("?q=OTTER", `<span class="quiet">Another message:</span> the <mark>otter</mark> failed</span>`)
	list("?q=message:badger*b", `the <mark>badger</mark> &lt;b&gt;failed`)
	list("?q=cause:walrus", `<span class="quiet">Cause or wrapper:</span> Net::Timeout: the <mark>walrus</mark> slept</span>`)

	page := o.member.Get(o.path(f)).Want(200, `<a href="#messages">&#43; 2 other messages</a>`, `>CardError: the lynx failed</p>`, `id="messages"`).CheckPage().Body
	section := page[strings.Index(page, `id="messages"`):]
	section = section[:strings.Index(section, "</section>")]
	rows := regexp.MustCompile(`href="([^"]+)">([^<]+)</a> <span class="quiet small">(\d+)`).FindAllStringSubmatch(section, -1)
	var got []string
	for _, row := range rows {
		got = append(got, row[2]+" "+row[3])
	}
	if want := "CardError: the lynx failed 1, the otter failed 2, the badger &lt;b&gt;failed&lt;/b&gt; 1"; strings.Join(got, ", ") != want {
		t.Fatalf("the page lists %q", got)
	}
	for i, wants := range [][2]string{{"<td>the lynx failed</td>", "otter failed</td>"}, {"<td>the otter failed</td>", "lynx failed</td>"}, {"<td>the badger", "otter failed</td>"}} {
		body := o.member.Get(rows[i][1]).Want(200, "Events with the message", wants[0]).CheckPage().Body
		lacks(t, body, wants[1])
	}
	o.member.Get(o.path(f)+"/notices?message="+strings.Repeat("0", 32)).Want(200, "No stored event has this message.")
}

// An error whose events say the same shows one message.
func TestMessagesThatAreTheSame(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(says("PayError", "the badger failed"))
	o.report(says("PayError", "the badger failed"))
	lacks(t, o.member.Get(o.list()+"?q=badger").Want(200, "</strong> the badger failed</a>").Body, "other message", "Another message", "<mark>")
	lacks(t, o.member.Get(o.path(f)).Want(200, ">the badger failed</p>").Body, "other message", `id="messages"`)
}
