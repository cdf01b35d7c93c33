package apiv3

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

func accountOperations() []operation {
	const member, invitation = "/account/members/{user_id}", "/account/invitations/{invitation_id}"
	return []operation{
		{Name: "getToken", Method: "GET", Path: "/token", View: as[Token](), Run: (*call).showToken},
		{Name: "getAccount", Method: "GET", Path: "/account", Scope: "account:read", Route: "getAccount", View: as[Account]()},
		{Name: "getAccountUsage", Method: "GET", Path: "/account/usage", Scope: "account:read", Route: "getAccount", View: as[Usage](), Run: (*call).showUsage, Differs: "Counts the notices of this month. Limits are null: an account has no quota of sites and check-ins."},

		{Name: "listAccountMembers", Method: "GET", Path: "/account/members", Scope: "team:read", Route: "listAccountUsers", List: pages, View: as[AccountMember](), Differs: "The id of a member is that of the user."},
		{Name: "getAccountMember", Method: "GET", Path: member, Scope: "team:read", Route: "getAccountUser", View: as[AccountMember]()},
		{Name: "updateAccountMember", Method: "PATCH", Path: member, Scope: "team:write", Route: "updateAccountUser", Read: "getAccountUser", View: as[AccountMember](), Person: true, Differs: "Also takes the role Billing."},
		{Name: "deleteAccountMember", Method: "DELETE", Path: member, Scope: "team:write", Route: "removeAccountUser", Person: true},

		{Name: "listAccountInvitations", Method: "GET", Path: "/account/invitations", Scope: "team:read", Route: "listAccountInvitations", List: pages, View: as[Invitation]()},
		{Name: "createAccountInvitation", Method: "POST", Path: "/account/invitations", Scope: "team:write", Route: "createAccountInvitation", View: as[Invitation](), Person: true, Differs: "Has no `disable_email_notifications`."},
		{Name: "getAccountInvitation", Method: "GET", Path: invitation, Scope: "team:read", Route: "getAccountInvitation", View: as[Invitation]()},
		{Name: "updateAccountInvitation", Method: "PATCH", Path: invitation, Scope: "team:write", Route: "updateAccountInvitation", Read: "getAccountInvitation", View: as[Invitation](), Person: true},
		{Name: "deleteAccountInvitation", Method: "DELETE", Path: invitation, Scope: "team:write", Route: "deleteAccountInvitation", Person: true},
	}
}

// Token is what a token may do.
type Token struct {
	Kind       string     `json:"kind" enum:"user,account"`
	Name       *string    `json:"name"`
	Scopes     []string   `json:"scopes"`
	AccountID  *string    `json:"account_id" doc:"Null for a token without scopes of a user who belongs to several accounts."`
	ProjectIDs []id       `json:"project_ids" doc:"All that it may see, if it is not limited to some."`
	ExpiresAt  *time.Time `json:"expires_at"`
	LastUsedAt *time.Time `json:"last_used_at" doc:"At most a minute late."`
}

func (c *call) showToken() error {
	g := c.who.Grant
	t := Token{Kind: "user", Scopes: g.Scopes, ProjectIDs: []id{}, ExpiresAt: unlessZero(c.token.ExpiresAt), LastUsedAt: unlessZero(c.token.UsedAt)}
	if g.OfAccount {
		t.Kind = "account"
	}
	if c.token.Name != "" {
		t.Name = &c.token.Name
	}
	mine, _, err := c.door.Accounts.ListAccounts(c.r.Context(), c.who.User.ID, sett.Page{Size: 2})
	if err != nil {
		return err
	}
	if account, err := c.account(); err == nil {
		t.AccountID = &account
	}
	visible, err := c.door.Accounts.VisibleProjectIDs(c.r.Context(), c.who.User.ID)
	if err != nil {
		return err
	}
	for _, project := range visible {
		var scope accounts.Scope
		if len(mine) > 1 { // else all are of one account
			scope, err = c.door.Accounts.ProjectScope(c.r.Context(), c.who.User.ID, project)
		}
		if err == nil && g.Reaches(scope.AccountID, project) {
			t.ProjectIDs = append(t.ProjectIDs, id(strconv.FormatInt(project, 10)))
		}
	}
	return c.data(http.StatusOK, t)
}

func unlessZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// Account is the account of a token.
type Account struct {
	ID        id         `json:"id"`
	Name      string     `json:"name"`
	Email     string     `json:"email"`
	Active    bool       `json:"active"`
	Parked    bool       `json:"parked"`
	CreatedAt *time.Time `json:"created_at"`
	Links     links      `json:"links"`
}

func (a *Account) finish(c *call) { a.Links = c.page("/accounts/%s/settings", a.ID) }

// Usage is what an account has used this month.
type Usage struct {
	ID    id    `json:"id"`
	Quota quota `json:"quota"`
}

type quota struct {
	ErrorsLimit      *int64 `json:"errors_limit"`
	ErrorsConsumed   int64  `json:"errors_consumed"`
	UptimeLimit      *int64 `json:"uptime_limit"`
	UptimeConsumed   int64  `json:"uptime_consumed"`
	CheckInsLimit    *int64 `json:"check_ins_limit"`
	CheckInsConsumed int64  `json:"check_ins_consumed"`
}

func (c *call) showUsage() error {
	found, err := c.ask("getAccount", nil, nil)
	if err != nil {
		return err
	}
	var account struct {
		ID    id      `json:"id"`
		Used  float64 `json:"quota_consumed"`
		Stats struct {
			Stored [][2]int64 `json:"stored"`
		} `json:"api_stats"`
	}
	if err := json.Unmarshal(found.Body, &account); err != nil {
		return err
	}
	u := Usage{ID: account.ID}
	for _, day := range account.Stats.Stored {
		u.Quota.ErrorsConsumed += day[1]
	}
	if account.Used > 0 {
		limit := int64(float64(u.Quota.ErrorsConsumed)/account.Used + 0.5)
		u.Quota.ErrorsLimit = &limit
	}
	return c.data(http.StatusOK, u)
}

// AccountMember is a user in an account.
type AccountMember struct {
	ID        id         `json:"id"`
	AccountID id         `json:"account_id"`
	UserID    id         `json:"user_id"`
	Role      string     `json:"role"`
	Name      string     `json:"name"`
	Email     string     `json:"email"`
	CreatedAt *time.Time `json:"created_at"`
}

func (m *AccountMember) finish(c *call) { m.AccountID, m.UserID = c.accountID(), m.ID }

// accountID is the account of the token for what is shown, after it was used in the path.
func (c *call) accountID() id {
	account, err := c.account()
	if err != nil {
		return ""
	}
	return id(account)
}

// Invitation is an invitation to an account or a team, without the secret of its link.
type Invitation struct {
	ID         id         `json:"id"`
	Email      string     `json:"email"`
	Role       string     `json:"role,omitempty"`
	Admin      *bool      `json:"admin,omitempty"`
	Message    *string    `json:"message,omitempty"`
	TeamIDs    []id       `json:"team_ids,omitempty"`
	AcceptedAt *time.Time `json:"accepted_at"`
	CreatedAt  time.Time  `json:"created_at"`
}
