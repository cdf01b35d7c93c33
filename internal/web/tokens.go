package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"sett/internal/auth"
	"sett/internal/sett"
)

// tokenList is the page of a user's personal tokens.
type tokenList struct {
	Shell
	Tokens []tokenRow
	Fields Fields
	Made   string // the secret of the token that was made just now; it is shown this once
}

// tokenRow is one token.
type tokenRow struct {
	sett.PersonalToken
	Over bool
}

func (p *Pages) newTokenList(r *http.Request, form url.Values) (*tokenList, error) {
	tokens, err := p.Store.ListTokens(r.Context(), who(r).User.ID)
	if err != nil {
		return nil, err
	}
	page := &tokenList{Shell: p.shell(r, "Personal tokens"), Fields: Fields{
		{Name: "name", Label: "Name", Kind: "text", Value: form.Get("name"), Complete: "off", Hint: "What it is for, such as “deploy script”."},
		{Name: "scope", Label: "Scope", Value: form.Get("scope"), Choices: []Choice{{sett.ScopeRead, "Read"}, {sett.ScopeWrite, "Read and write"}}},
		{Name: "days", Label: "Expires", Value: form.Get("days"), Choices: lives()},
	}}
	for _, t := range tokens {
		page.Tokens = append(page.Tokens, tokenRow{t, t.Expired(p.Now())})
	}
	return page, nil
}

func lives() (choices []Choice) {
	for _, days := range sett.TokenLives() {
		c := Choice{strconv.Itoa(days), "After " + strconv.Itoa(days) + " days"}
		if days == 0 {
			c.Label = "Never"
		}
		choices = append(choices, c)
	}
	return choices
}

func (p *Pages) tokensPage(w http.ResponseWriter, r *http.Request) error {
	page, err := p.newTokenList(r, nil)
	if err != nil {
		return err
	}
	return p.show(w, http.StatusOK, "tokens", page)
}

// makeToken shows the token that it makes at once, and not after a redirect: nothing but its hash is kept.
func (p *Pages) makeToken(w http.ResponseWriter, r *http.Request) error {
	form, err := readForm(w, r)
	if err != nil {
		return err
	}
	var problems sett.Problems
	token := sett.NewPersonalToken(&problems, p.Now(), strings.TrimSpace(form.Get("name")), form.Get("scope"), form.Get("days"))
	if err := problems.Refusal(); err != nil {
		page, failed := p.newTokenList(r, form)
		if failed != nil {
			return failed
		}
		page.Fields.explain(problems)
		return p.again(w, err, "tokens", page)
	}
	secret := sett.NewUserToken()
	if err := p.Store.CreatePersonalToken(r.Context(), who(r).Session, token, auth.HashToken(secret)); err != nil {
		return err
	}
	page, err := p.newTokenList(r, nil)
	if err != nil {
		return err
	}
	page.Made = secret
	return p.show(w, http.StatusOK, "tokens", page)
}

func (p *Pages) revokeToken(w http.ResponseWriter, r *http.Request) error {
	if err := p.Store.RevokeToken(r.Context(), who(r).Session, pathID(r, "token_id")); err != nil {
		return err
	}
	return p.done(w, "/me/tokens", "revoked")
}
