package api

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

func (a *API) accountRoutes() []serve.Route {
	const tag = "Accounts"
	return []serve.Route{
		{
			Method: "GET", Path: "/v2/accounts", Name: "listAccounts", Tag: tag, Permission: accounts.SignedIn,
			Result: serve.List[Account]{}, Handle: a.listAccounts,
			Doc: "List the accounts of the user, in the order in which they joined.",
		},
		{
			Method: "GET", Path: "/v2/accounts/{account_id}", Name: "getAccount", Tag: tag, Permission: accounts.ReadAccount,
			Result: AccountDetail{}, Handle: a.getAccount,
			Doc: "Get an account with its usage this month.",
		},
	}
}

// Account is an account as lists show it (contract, Account).
type Account struct {
	ID     string `json:"id"`
	Email  string `json:"email"`
	Name   string `json:"name"`
	Active bool   `json:"active"`
	Parked bool   `json:"parked"`
}

// AccountDetail is an account with its use in the running month (UTC).
type AccountDetail struct {
	Account
	QuotaConsumed float64  `json:"quota_consumed" doc:"Stored notices as a fraction of the monthly quota: 0.75 is 75 percent. 0 without a quota."`
	APIStats      APIStats `json:"api_stats"`

	Discarded []Discard `json:"discarded" doc:"What was not stored this month (UTC) of all projects together: what Sentry SDKs report that they discarded, and what the server dropped."`
}

// APIStats is how notices ended: a pair of Unix time and count for each day from the first of the month to today.
type APIStats struct {
	Stored  [][2]int64 `json:"stored" doc:"Stored notices."`
	Limited [][2]int64 `json:"limited" doc:"Discarded because of a quota or throttle."`
	Ignored [][2]int64 `json:"ignored" doc:"Discarded because their fault is ignored."`
	Invalid [][2]int64 `json:"invalid" doc:"Rejected because they could not be parsed."`
}

func viewAccount(a accounts.Account) Account {
	return Account{ID: a.ID, Email: a.Email, Name: a.Name, Active: a.Active, Parked: a.Parked}
}

func viewUsage(u accounts.AccountUsage) APIStats {
	var s APIStats
	for _, d := range u {
		day := d.Day.Unix()
		s.Stored = append(s.Stored, [2]int64{day, d.Stored})
		s.Limited = append(s.Limited, [2]int64{day, d.Limited})
		s.Ignored = append(s.Ignored, [2]int64{day, d.Ignored})
		s.Invalid = append(s.Invalid, [2]int64{day, d.Invalid})
	}
	return s
}

func (a *API) listAccounts(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	accounts, marks, err := a.Accounts.ListAccounts(r.Context(), userID(r), page.Page)
	if err != nil {
		return err
	}
	list := serve.NewList(a.BaseURL, r, page, viewAll(accounts, viewAccount), marks)
	return serve.WriteJSON(w, http.StatusOK, list)
}

func (a *API) getAccount(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("account_id")
	account, err := a.Accounts.AccountByID(r.Context(), id)
	if err != nil {
		return err
	}
	usage, err := a.Intake.AccountUsage(r.Context(), id, a.Now())
	if err != nil {
		return err
	}
	discards, err := a.Intake.AccountDiscards(r.Context(), id, a.Now())
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, AccountDetail{
		Account: viewAccount(account), QuotaConsumed: usage.QuotaConsumed(a.Limits), APIStats: viewUsage(usage), Discarded: viewAll(discards, viewDiscard),
	})
}
