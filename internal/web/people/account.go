package people

import (
	"net/http"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// accountView is the page of an account.
type accountView struct {
	page
	Account accounts.Account
	Role    accounts.Role
	Rename  web.Fields
}

func (p *pages) accountPage(w http.ResponseWriter, r *http.Request) error {
	v, err := p.newAccountView(r)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "account", v)
}

func (p *pages) newAccountView(r *http.Request) (*accountView, error) {
	found, err := p.Accounts.AccountByID(r.Context(), r.PathValue("account_id"))
	if err != nil {
		return nil, err
	}
	v := &accountView{page: p.newPage(r, found.Name, "settings"), Account: found, Role: web.ScopeOf(r).Role}
	v.Rename = web.Fields{{Name: "name", Label: "Name", Kind: "text", Value: found.Name}}
	return v, nil
}

func (p *pages) renameAccount(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := p.Accounts.RenameAccount(r.Context(), r.PathValue("account_id"), form.Get("name")); err != nil {
		v, broken := p.newAccountView(r)
		if broken != nil {
			return broken
		}
		v.Rename[0].Value = form.Get("name")
		v.Rename.Explain(sett.ProblemsOf(err))
		return p.Again(w, r, err, "account", v)
	}
	return p.Done(w, account(r, "/settings"), "saved")
}

// statsView is the usage of an account in this month.
type statsView struct {
	page
	Month  time.Time
	Sum    accounts.UsageDay // of all days
	Quota  int64             // 0: none
	Share  int64             // of the quota, in percent
	Minute int64             // events per project and minute; 0: no limit
	Stored draw.Chart
	Days   []accounts.UsageDay // the newest first

	Discards []stats.Discard // what was not stored, as clients report or because sett dropped it
}

func (p *pages) statsPage(w http.ResponseWriter, r *http.Request) error {
	usage, err := p.Intake.AccountUsage(r.Context(), r.PathValue("account_id"), p.Now())
	if err != nil {
		return err
	}
	v := statsView{
		page: p.newPage(r, "Usage this month", "stats"), Month: accounts.Month(p.Now()), Quota: p.Limits.MonthlyQuota,
		Share: int64(usage.QuotaConsumed(p.Limits) * 100), Minute: p.Limits.ProjectThrottle,
	}
	stored := make([]int64, len(usage))
	for i, d := range usage {
		stored[i] = d.Stored
		v.Sum.Stored, v.Sum.Limited, v.Sum.Ignored, v.Sum.Invalid = v.Sum.Stored+d.Stored, v.Sum.Limited+d.Limited, v.Sum.Ignored+d.Ignored, v.Sum.Invalid+d.Invalid
		v.Days = append([]accounts.UsageDay{d}, v.Days...)
	}
	if v.Discards, err = p.Intake.AccountDiscards(r.Context(), r.PathValue("account_id"), p.Now()); err != nil {
		return err
	}
	v.Stored = draw.NewBars(draw.Axis{From: v.Month, To: v.Month.AddDate(0, 0, len(usage)), Layout: "2 Jan"}, stored, nil, nil, "events")
	return p.Show(w, r, http.StatusOK, "stats", v)
}
