package user

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/signin"
	"sett/internal/web"
)

// tokenList lists a user's personal tokens.
type tokenList struct {
	web.Shell
	Tokens []signin.PersonalToken
	Fields web.Fields
	Grants web.Grants
	Made   string // the secret of a new token, which is shown once
}

func (p *pages) newTokenList(r *http.Request, form url.Values) (*tokenList, error) {
	tokens, err := p.Accounts.ListTokens(r.Context(), web.Who(r).User.ID)
	if err != nil {
		return nil, err
	}
	page := &tokenList{Shell: p.Shell(r, "Personal tokens"), Tokens: tokens, Fields: web.Fields{
		{Name: "name", Label: "Name", Kind: "text", Value: form.Get("name"), Complete: "off", Hint: "What the token is for, for example “deploy script”."},
		{Name: "scope", Label: "Scope", Value: form.Get("scope"), Choices: web.Choices(signin.ScopeRead, "Read", signin.ScopeWrite, "Read and write", scopesBelow, "Only the scopes below")},
		{Name: "days", Label: "Expires", Value: form.Get("days"), Choices: lives()},
	}}
	if mine := page.Nav.Accounts; len(mine) > 1 {
		choices := []web.Choice{}
		for _, a := range mine {
			choices = append(choices, web.Choice{Value: a.ID, Label: a.Name})
		}
		page.Fields = append(page.Fields, web.Field{Name: "account_id", Label: "Account", Value: form.Get("account_id"), Choices: choices, Hint: "A token with scopes works in one account."})
	}
	page.Grants = web.NewGrants(form, form.Get("scope") == scopesBelow)
	proof, err := p.ProofFields(r)
	if err != nil {
		return nil, err
	}
	for _, f := range proof {
		f.Hint, f.Optional = "Required for a token that never expires.", true
		page.Fields = append(page.Fields, f)
	}
	return page, nil
}

// scopesBelow is the choice of a token of /v3.
const scopesBelow = "scopes"

// askedToken reads the token that a form asks for, and notes what is wrong with it.
func (p *pages) askedToken(r *http.Request, problems *sett.Problems, form url.Values) signin.PersonalToken {
	name, days := strings.TrimSpace(form.Get("name")), form.Get("days")
	if form.Get("scope") != scopesBelow {
		return signin.NewPersonalToken(problems, p.Now(), name, form.Get("scope"), days)
	}
	account := p.accountIn(p.Shell(r, "").Nav.Accounts, form)
	return signin.NewScopedToken(problems, p.Now(), name, p.GrantOf(r, problems, form, account), days)
}

func lives() (choices []web.Choice) {
	for _, days := range signin.TokenLives() {
		c := web.Choice{Value: strconv.Itoa(days), Label: "After " + strconv.Itoa(days) + " days"}
		if days == 0 {
			c.Label = "Never"
		}
		choices = append(choices, c)
	}
	return choices
}

func (p *pages) tokensPage(w http.ResponseWriter, r *http.Request) error {
	page, err := p.newTokenList(r, nil)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "tokens", page)
}

// makeToken shows a new token in its response, without a redirect: only its hash is stored.
func (p *pages) makeToken(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	var problems sett.Problems
	token := p.askedToken(r, &problems, form)
	err = problems.Refusal()
	if err == nil && token.ExpiresAt.IsZero() {
		err = p.CheckProof(r, form) // a permanent way to sign in
	}
	if err != nil {
		page, failed := p.newTokenList(r, form)
		if failed != nil {
			return failed
		}
		page.Fields.Explain(problems)
		return p.Again(w, r, err, "tokens", page)
	}
	secret := token.NewSecret()
	if err := p.Accounts.CreatePersonalToken(r.Context(), web.Who(r).Session, token, auth.HashToken(secret)); err != nil {
		return err
	}
	page, err := p.newTokenList(r, nil)
	if err != nil {
		return err
	}
	page.Made = secret
	return p.Show(w, r, http.StatusOK, "tokens", page)
}

func (p *pages) revokeToken(w http.ResponseWriter, r *http.Request) error {
	if err := p.Accounts.RevokeToken(r.Context(), web.Who(r).Session, web.PathID(r, "token_id")); err != nil {
		return err
	}
	return p.Done(w, "/me/tokens", "revoked")
}
