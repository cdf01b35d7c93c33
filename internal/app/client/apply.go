package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"sett/internal/api"
	"sett/internal/sett"
	"sett/internal/sett/ascode"
)

// Export returns the account as code.
func (a Account) Export(ctx context.Context) (*ascode.Thing, error) {
	_, state, err := a.state(ctx)
	if err != nil {
		return nil, err
	}
	root, err := a.current(ctx, nil, state)
	if err != nil {
		return nil, err
	}
	ascode.Call(root, state)
	ascode.Fill(root)
	return root, nil
}

// Plan returns what makes the account agree with files, which are checked against what this server has.
func (a Account) Plan(ctx context.Context, wanted *ascode.Thing) (*ascode.Plan, error) {
	_, state, err := a.state(ctx)
	if err != nil {
		return nil, err
	}
	return a.plan(ctx, wanted, state)
}

func (a Account) plan(ctx context.Context, wanted *ascode.Thing, state ascode.State) (*ascode.Plan, error) {
	if err := a.checkChannels(ctx, wanted); err != nil {
		return nil, err
	}
	current, err := a.current(ctx, wanted, state)
	if err != nil {
		return nil, err
	}
	plan, problems := ascode.Compare(wanted, current, state, time.Now())
	return plan, Refuse(problems)
}

// checkChannels refuses channels of which this server does not have the type or an option, and secrets that are in the files themselves.
func (a Account) checkChannels(ctx context.Context, wanted *ascode.Thing) error {
	if !slices.ContainsFunc(wanted.All(), func(t *ascode.Thing) bool { return t.Kind.Name == "channels" }) {
		return nil
	}
	var kinds []api.IntegrationKind
	if err := a.Server.call(ctx, http.MethodGet, "/v2/integration_kinds", nil, &kinds); err != nil {
		return err
	}
	types := map[string][]ascode.ChannelOption{}
	for _, k := range kinds {
		for _, o := range k.Options {
			types[k.Type] = append(types[k.Type], ascode.ChannelOption{Name: o.Name, Secret: o.Secret})
		}
	}
	return Refuse(ascode.CheckChannels(wanted, types))
}

// Refuse makes one error of problems; nil of none.
func Refuse(problems []ascode.Problem) error {
	var all []error
	for _, p := range problems {
		all = append(all, p)
	}
	return errors.Join(all...)
}

// Application applies files to an account, while no other program does.
type Application struct {
	Plan *ascode.Plan

	account Account
	state   ascode.State
	version int64
	lease   string
	salt    string // that this program chose; "" if another one did
	saved   time.Time
	steps   int // since it was saved
}

// Begin asks for the right to apply files, and finds what is to be done. The application must be ended.
func (a Account) Begin(ctx context.Context, wanted *ascode.Thing) (*Application, error) {
	var lease api.ConfigurationLease
	body := map[string]any{"lease": map[string]any{"holder": a.Holder}}
	if err := a.Server.call(ctx, http.MethodPost, a.path()+"/configuration/lease", body, &lease); err != nil {
		return nil, err
	}
	p := &Application{account: a, lease: lease.ID, saved: time.Now()}
	kept, state, err := a.state(ctx)
	if err != nil {
		return nil, err
	}
	if p.state, p.version = state, kept.Version; p.state.Salt == "" {
		p.state.Salt = sett.RandomString(32)
		p.salt = p.state.Salt
	}
	if p.Plan, err = a.plan(ctx, wanted, p.state); err != nil {
		return nil, errors.Join(err, p.save(ctx, true))
	}
	return p, nil
}

// Keep renews the right, after people were asked.
func (p *Application) Keep(ctx context.Context) error { return p.save(ctx, false) }

// End gives the right back, with nothing done.
func (p *Application) End(ctx context.Context) error { return p.save(ctx, true) }

// Run does all steps, and records what the files made. After an error, what was done is recorded, and another application goes on from there.
func (p *Application) Run(ctx context.Context) error {
	for _, t := range p.Plan.Same {
		p.state.Bind(t)
	}
	for i, s := range p.Plan.Steps {
		err := p.do(ctx, s)
		if err == nil {
			err = p.saveSometimes(ctx)
		}
		if err != nil {
			said := fmt.Errorf("%w\n%d of %d steps are done; run the command again when this is corrected, it goes on from there", ascode.Failed(s, err), i, len(p.Plan.Steps))
			return errors.Join(said, p.save(context.WithoutCancel(ctx), true))
		}
	}
	return p.save(ctx, true)
}

// do does one step.
func (p *Application) do(ctx context.Context, s ascode.Step) error {
	t, call := s.Thing, p.account.Server.call
	switch s.Verb {
	case ascode.Create:
		var made map[string]any
		if err := call(ctx, http.MethodPost, p.path(t, false), p.Plan.Body(s), &made); err != nil {
			return err
		}
		p.Plan.Done(s, made)
	case ascode.Change:
		if err := call(ctx, http.MethodPut, p.path(t, true), p.Plan.Body(s), nil); err != nil {
			return err
		}
	case ascode.Delete:
		err := call(ctx, http.MethodDelete, p.path(t, true), nil, nil)
		if err == nil {
			p.state.Forget(t)
		}
		return err
	}
	p.state.Bind(t)
	return nil
}

// path is that of a thing in the API, or of the list that it is in.
func (p *Application) path(t *ascode.Thing, itself bool) string {
	path := p.account.path() + t.Kind.Path
	if t.Parent.Parent != nil {
		path = "/v2/projects/" + t.Parent.ID + t.Kind.Path
	} else if t.Kind.Name != "status_pages" {
		path = "/v2" + t.Kind.Path
	}
	switch {
	case itself && !t.Kind.Single:
		return path + "/" + t.ID
	case !itself && t.Parent.Parent == nil:
		return p.account.listPath(t.Kind)
	}
	return path
}

// What is done between two records of it: much less than a lease lasts, and many steps, as each record is a request.
const (
	stepsToSave = 25
	timeToSave  = 30 * time.Second
)

func (p *Application) saveSometimes(ctx context.Context) error {
	if p.steps++; p.steps < stepsToSave && time.Since(p.saved) < timeToSave {
		return nil
	}
	return p.save(ctx, false)
}

// save records what the files made, and renews the lease, or gives it back.
func (p *Application) save(ctx context.Context, done bool) error {
	body := map[string]any{"lease": p.lease, "version": p.version, "things": p.state.Things, "done": done}
	if p.salt != "" {
		body["salt"] = p.salt
	}
	var answer struct{ Configuration api.AccountConfiguration }
	err := p.account.Server.call(ctx, http.MethodPut, p.account.path()+"/configuration", map[string]any{"configuration": body}, &answer)
	if err == nil {
		p.version, p.saved, p.steps = answer.Configuration.Version, time.Now(), 0
	}
	return err
}
