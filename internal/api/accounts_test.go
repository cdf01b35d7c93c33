package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/app"
	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
)

func TestAccountsOfTheUser(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		stranger := s.AddStranger(t, "stranger@example.test")
		member, _ := s.AddUser(t, "member@example.test", accounts.Member)
		want := []api.Account{{ID: s.Setup.AccountID, Email: "owner@example.test", Name: "Acme", Active: true}}
		for name, c := range map[string]*setttest.Client{"owner": s.Client, "member": member} {
			var got serve.List[api.Account]
			if c.Get("/v2/accounts/").Into(&got); got.Links.Self != s.Base+"/v2/accounts" || got.Links.Next != "" {
				t.Errorf("%s: links %+v", name, got.Links)
			}
			if diff := cmp.Diff(want, got.Results); diff != "" {
				t.Errorf("accounts of the %s (-want +got):\n%s", name, diff)
			}
		}
		var theirs serve.List[api.Account]
		if stranger.Get("/v2/accounts").Into(&theirs); len(theirs.Results) != 1 || theirs.Results[0].ID == s.Setup.AccountID {
			t.Errorf("accounts of a stranger: %+v", theirs.Results)
		}
		if text := stranger.Do("GET", "/v2/accounts/"+s.Setup.AccountID, nil).Want(http.StatusNotFound).Errors(); text != "Account not found" {
			t.Errorf("a foreign account: %q", text)
		}
	})
}

func TestAccountShowsItsUsage(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		for range 4 { // the fifth is over the quota
			report(s.Client, s.Setup.APIKey, "Boom", "").Want(http.StatusCreated)
		}
		s.Clock.Push(24 * time.Hour)
		report(s.Client, s.Setup.APIKey, "Boom", "").Want(http.StatusTooManyRequests)
		s.Post("/v1/notices", `{"error":`)
		var got api.AccountDetail
		s.Get("/v2/accounts/" + s.Setup.AccountID).Into(&got)
		yesterday := accounts.Day(s.Clock.Now()).AddDate(0, 0, -1).Day() // of the month
		days := func(counts ...int64) [][2]int64 {
			var rows [][2]int64
			for i := range s.Clock.Now().UTC().Day() {
				row := [2]int64{accounts.Month(s.Clock.Now()).AddDate(0, 0, i).Unix(), 0}
				if k := i + 1 - yesterday; k >= 0 && k < len(counts) {
					row[1] = counts[k]
				}
				rows = append(rows, row)
			}
			return rows
		}
		want := api.AccountDetail{
			Account:       api.Account{ID: s.Setup.AccountID, Email: "owner@example.test", Name: "Acme", Active: true},
			QuotaConsumed: 1,
			APIStats:      api.APIStats{Stored: days(4, 0), Limited: days(0, 1), Ignored: days(), Invalid: days(0, 1)},
			Discarded:     []api.Discard{},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("account (-want +got):\n%s", diff)
		}
	}, func(c *app.Config) { c.MonthlyQuota = 4 })
}

// Answers of the API contain keys and tokens: no cache may store them.
func TestAnswersAreNotKept(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	anonymous := *s.Client
	anonymous.Token = ""
	for name, answer := range map[string]*setttest.Response{"projects": s.Get("/v2/projects"), "a refusal": anonymous.Do(http.MethodGet, "/v2/projects", nil)} {
		if got := answer.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control is %q, want no-store", name, got)
		}
	}
}
