package settings

import (
	"net/http"
	"strconv"

	"sett/internal/sett"
	"sett/internal/sett/forward"
	"sett/internal/web"
)

// forwardingPage is where the project forwards its reports to, and a comparison of the counts of both services.
type forwardingPage struct {
	page
	Fields  web.Fields
	Set     *forward.Forwarding // nil: nothing is set
	Running bool
	Days    []forward.Day
}

func (p *pages) newForwardingPage(r *http.Request, address, key, days string) (*forwardingPage, error) {
	shown := &forwardingPage{page: p.newPage(r, "Forwarding", "forwarding"), Fields: web.Fields{
		{Name: "address", Label: "DSN or address", Kind: "text", Value: address, Optional: true, Code: true, Hint: "The DSN of the project at Sentry or a service that speaks its protocol. For Honeybadger, the address of its intake API; empty means " + forward.HoneybadgerAddress + "."},
		{Name: "key", Label: "API key", Kind: "text", Value: key, Optional: true, Code: true, Hint: "Of the project at Honeybadger. A DSN contains its key."},
		{Name: "days", Label: "Days", Kind: "number", Value: days, Hint: "1 to " + strconv.Itoa(forward.MostDays) + ". Then it ends by itself."},
	}}
	set, err := p.Accounts.Forwarding(r.Context(), shown.ProjectID)
	if sett.CodeOf(err) == sett.NotFound {
		return shown, nil
	}
	if err != nil {
		return nil, err
	}
	shown.Set, shown.Running = &set, set.Runs(p.Now())
	shown.Days, err = p.Accounts.ForwardDays(r.Context(), p.Now(), shown.ProjectID, set.Start)
	return shown, err
}

func (p *pages) forwardingPage(w http.ResponseWriter, r *http.Request) error {
	shown, err := p.newForwardingPage(r, "", "", strconv.Itoa(forward.DefaultDays))
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "settings_forwarding", shown)
}

func (p *pages) saveForwarding(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	address, key, days := form.Get("address"), form.Get("key"), form.Get("days")
	target, end, err := forward.ForwardingChange{Address: sett.Some(address), Key: sett.Some(key), Days: number(days)}.Read(p.Now())
	if err != nil {
		again, failed := p.newForwardingPage(r, address, key, days)
		if failed != nil {
			return failed
		}
		again.Fields.Explain(sett.ProblemsOf(err))
		return p.Again(w, r, err, "settings_forwarding", again)
	}
	if err := p.Accounts.SetForwarding(r.Context(), p.Now(), web.Project(r), target, end); err != nil {
		return err
	}
	p.Keys.Forget() // intake reads with the key that the project forwards
	return p.Done(w, to(r, "/forwarding"), "forwarding")
}

func (p *pages) dropForwarding(w http.ResponseWriter, r *http.Request) error {
	if err := p.Accounts.StopForwarding(r.Context(), web.Project(r)); err != nil && sett.CodeOf(err) != sett.NotFound {
		return err
	}
	p.Keys.Forget()
	return p.Done(w, to(r, "/forwarding"), "forwarding_off")
}
