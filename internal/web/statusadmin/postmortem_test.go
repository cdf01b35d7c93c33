package statusadmin_test

import (
	"strings"
	"testing"

	"sett/internal/sett/accounts"
)

func TestAPostMortemOfAnIncident(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	incident := v.createIncident(t)
	member := v.as(t, "mia@example.test", accounts.Member)
	v.Get(incident).Want(200).Lacks("Post-mortem")
	v.Post(incident+"/postmortem", "do", "draft", "postmortem", "Too early").CheckPage().Want(422, "is for incidents that are resolved")
	v.Post(incident+"/updates", "status", "resolved", "message", "It works again.").Leads(incident + "?done=update_made")
	v.Get(incident).Want(200, "Post-mortem", "Not written", "Notify subscribers when I publish it", "Save draft").CheckPage()
	v.s.Clock.Push(1)
	v.Post(incident+"/postmortem", "do", "publish", "postmortem", " ").CheckPage().Want(422, "Text can&#39;t be blank")
	v.Post(incident+"/postmortem", "do", "draft", "postmortem", strings.Repeat("x", 20_001)).CheckPage().Want(422, "Text is too long")

	v.Post(incident+"/postmortem", "do", "draft", "postmortem", "A replica was stuck.").Leads(incident + "?done=draft_saved")
	v.Get(incident).Want(200, "Draft", "A replica was stuck.").CheckPage()
	public := "/status/acme/incidents/" + incident[strings.LastIndex(incident, "/")+1:]
	v.Get(public).Want(200).Lacks("replica")
	member.Get(incident).Want(200).Lacks("A replica was stuck.")
	member.Post(incident+"/postmortem", "do", "publish", "postmortem", "Mine").Want(403)
	v.Post(incident+"/postmortem", "do", "publish", "postmortem", "A **replica** was stuck.", "postmortem_notify", "true").Leads(incident + "?done=published")
	v.Get(incident).Want(200, "Published", public+"#postmortem", "Save changes", "Withdraw").Lacks("Save draft").CheckPage()
	v.Get(public).Want(200, "A <strong>replica</strong> was stuck.")
	v.Post(incident+"/postmortem", "do", "withdraw", "postmortem", "A replica was stuck.").Leads(incident + "?done=withdrawn")
	v.Get(public).Want(200).Lacks("replica")
	v.Post(incident+"/postmortem", "do", "draft", "postmortem", "").Leads(incident + "?done=postmortem_gone")
	v.Get(incident).Want(200, "Not written").CheckPage()
}
