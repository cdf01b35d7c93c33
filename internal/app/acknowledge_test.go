package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sett/internal/api"
	"sett/internal/setttest"
	"sett/internal/setttest/mailserver"
	"sett/internal/setttest/visitor"
)

// The link in a mail about an error acknowledges it without a session, once its button is pressed, and a program that only opens it does not.
func TestAcknowledgeByMail(t *testing.T) {
	t.Parallel()
	mails := mailserver.Start(t, mailserver.Options{NoTLS: true})
	s := setttest.Start(t, "sqlite", mailingTo(mails))
	addMember(t, s, "ann@example.test")
	acknowledged := func() (all []api.Acknowledgement) {
		s.Get(fmt.Sprintf("/v2/projects/%d/acknowledgements", s.Setup.ProjectID)).Into(&all)
		return all
	}
	s.Post("/v1/notices", boom).Want(http.StatusCreated)
	out := newHandedOut(s)
	out.readMail(t, await(t, mails, "ann@example.test", "Boom"))
	link := ""
	for path := range out.found {
		if strings.HasPrefix(path, "/acknowledge/") {
			link = path
		}
	}
	browser := visitor.New(t, s)
	browser.Get(link).Want(http.StatusOK, "Acknowledge as ann@example.test", "Boom").CheckPage()
	if got := acknowledged(); len(got) != 0 {
		t.Errorf("opened: %+v", got)
	}
	browser.Post(link+"x").Want(http.StatusNotFound, "This link does not work")
	browser.Post(link).Want(http.StatusOK, "has been looking at this since")
	if got := acknowledged(); len(got) != 1 || got[0].Way != "mail" || got[0].By.Email != "ann@example.test" || got[0].Kind != "fault" {
		t.Errorf("acknowledged: %+v", got)
	}
	s.Do(http.MethodPut, fmt.Sprintf("/v2/projects/%d/faults/%s", s.Setup.ProjectID, acknowledged()[0].ThingID), map[string]any{"fault": map[string]any{"resolved": true}}).Want(http.StatusNoContent)
	browser.Get(link).Want(http.StatusOK, "There is nothing to acknowledge.")
	if got := acknowledged(); len(got) != 0 {
		t.Errorf("after the error was resolved: %+v", got)
	}
}
