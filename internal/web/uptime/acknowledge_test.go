package uptime_test

import (
	"fmt"
	"regexp"
	"testing"

	"sett/internal/sett/accounts"
	"sett/internal/setttest/visitor"
)

var takeBack = regexp.MustCompile(`action="(/projects/[0-9]+/acknowledgements/[0-9]+/delete)"`)

// A site that is down is acknowledged and given back on its page, and by the link in a message of a channel, which changes nothing by itself.
func TestAcknowledgeOnPages(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	d.checked(2)
	d.Get(d.sitePath).Want(200).Lacks("Acknowledge")
	d.checked(3, 0, 1, 2)
	d.Get(d.sitePath).Want(200, "Acknowledge</button>", "Says that you look at this site").CheckPage()
	acknowledge := fmt.Sprintf("/projects/%d/acknowledgements", d.s.Setup.ProjectID)
	d.Post(acknowledge, "kind", "site", "thing_id", d.site.ID.String()).Leads(d.sitePath + "?done=acknowledged")
	page := d.Get(d.sitePath).Want(200, "<strong>Ann</strong> has been looking at this since", "The site is still down.").CheckPage()
	list := fmt.Sprintf("/projects/%d/sites", d.s.Setup.ProjectID)
	d.Get(list).Want(200, "Ann is looking at it").CheckPage()
	d.Post(takeBack.FindStringSubmatch(page.Body)[1]).Leads(d.sitePath + "?done=acknowledgement_taken_back")
	d.Get(d.sitePath).Want(200, "Acknowledge</button>")
	d.Get(list).Want(200).Lacks("is looking at it")

	const link = "/acknowledge/1"
	visitor.New(t, d.s).Get(link).Want(303) // to sign in
	d.Get(link).Want(200, "Shop", "Acknowledge</button>").CheckPage()
	d.Get(d.sitePath).Want(200).Lacks("looking at this since")
	d.Post(acknowledge, "way", "message", "kind", "site", "thing_id", d.site.ID.String()).Leads(d.sitePath + "?done=acknowledged")
	d.Get(link).Want(200, "<strong>Ann</strong> has been looking at this since").Lacks("Acknowledge</button>")
	d.checked(1)
	d.Get(link).Want(200, "There is nothing to acknowledge.").CheckPage()
	d.Post(acknowledge, "kind", "site", "thing_id", d.site.ID.String()).Want(409, "it has no problem now")
	d.Post(acknowledge, "kind", "deploy", "thing_id", "1").Want(404)
	d.Get("/acknowledge/999").Want(404)
}
