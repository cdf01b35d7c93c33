package errand

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"sett/internal/app/movein"
	"sett/internal/base/dial"
	"sett/internal/base/progress"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/sett/move"
	"sett/internal/store/accountdb"
	"sett/internal/store/movedb"
)

// Worker runs imports that people asked for on a page, one after the other. All of it is required.
type Worker struct {
	Moves    *movedb.Store
	Accounts *accountdb.Store
	Code     movein.Code
	Holder   string // names this worker among all that share the database
	Host     string // of this server
	Do       func(*http.Request) (*http.Response, error)
	Now      func() time.Time
	Look     time.Duration // how often it looks whether people stopped the import, and notes how far it is
	Log      *slog.Logger
}

const (
	leaseLife = checks.AgentSilence
	renewal   = leaseLife / 3

	// mostClaims is how often servers may take over an import that none of them brings to its end.
	mostClaims = 30
)

// Round runs the next import to its end. It reports whether there was one.
func (w *Worker) Round(ctx context.Context) (more bool, err error) {
	c, found, err := w.Moves.ClaimImport(ctx, w.Holder, w.Now(), w.Now().Add(leaseLife))
	if err != nil || !found {
		return false, err
	}
	if c.Claims > mostClaims {
		problem := fmt.Sprintf("It was interrupted %d times. The log of the server may say why.", mostClaims)
		return true, w.Moves.EndImport(ctx, w.Now(), c, w.Holder, move.ImportFailed, problem, c.Report)
	}
	report, err := w.run(ctx, c)
	kept := context.WithoutCancel(ctx)
	if ctx.Err() != nil { // the server stops: another one goes on
		return false, errors.Join(ctx.Err(), w.Moves.LeaveImport(kept, c, w.Holder))
	}
	state, problem := move.ImportDone, ""
	switch {
	case errors.Is(err, errStopped):
		runs, err := w.Moves.ImportRuns(kept, c.ID)
		if err != nil || runs { // no one stopped it: the lease was lost, and who has it goes on
			return false, errors.Join(err, w.Moves.LeaveImport(kept, c, w.Holder))
		}
		state = move.ImportStopped
	case err != nil:
		state, problem = move.ImportFailed, w.explain(c, err)
	}
	return true, w.Moves.EndImport(kept, w.Now(), c, w.Holder, state, problem, report)
}

// run runs an import until it ends, or people stop it.
func (w *Worker) run(ctx context.Context, c movedb.Claimed) (report *move.Report, err error) {
	role, err := w.allowed(ctx, c)
	if err != nil {
		return nil, err
	}
	ctx, current := progress.Follow(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		w.watch(ctx, cancel, c, current)
	}()
	report, err = w.bring(ctx, c, role)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	cancel(nil)
	<-watched
	return report, err
}

// allowed returns the role of who started an import, or a Forbidden error if they may not import any more.
func (w *Worker) allowed(ctx context.Context, c movedb.Claimed) (accounts.Role, error) {
	scope, err := w.Accounts.AccountScope(ctx, c.By.ID, c.AccountID)
	if err == nil && !scope.May(accounts.ManagePeople) {
		err = sett.Errorf(sett.Forbidden, "The user who started the import may not import any more. Go on to run it in your name.")
	}
	return scope.Role, err
}

// bring runs an import. What panics has failed: it would do so again.
func (w *Worker) bring(ctx context.Context, c movedb.Claimed, role accounts.Role) (report *move.Report, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return Errand{
		Settings: c.Settings, Token: c.Token, DryRun: c.DryRun, Moves: w.Moves, Code: w.Code, Role: role, Host: w.Host, Do: guarded(w.Do), Now: w.Now,
		Owner: movedb.Owner{AccountID: c.AccountID, UserID: c.By.ID},
		Audited: func(ctx context.Context, action, of string) context.Context {
			return accountdb.WithAudit(ctx, func() accounts.AuditEntry { return entry(c, w.Now(), action, of) })
		},
	}.Run(ctx)
}

// entry is the entry of the audit log about something that an import made.
func entry(c movedb.Claimed, now time.Time, action, of string) accounts.AuditEntry {
	return accounts.AuditEntry{
		AccountID: c.AccountID, At: now, User: c.By, Action: action, Subject: of, Target: map[string]string{}, Query: sett.MaskedFields(nil),
		Changes: sett.MaskedFields(map[string]any{"from": c.Settings.From, "url": c.Settings.URL}), UserAgent: "import",
	}
}

// watch notes how far an import is, and cancels it when it is not to go on.
func (w *Worker) watch(ctx context.Context, cancel context.CancelCauseFunc, c movedb.Claimed, current func() (progress.State, bool)) {
	look := time.NewTicker(w.Look)
	defer look.Stop()
	var noted move.Progress
	renewed := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		p := progressOf(current())
		var mine bool
		var err error
		if p != noted || time.Since(renewed) >= renewal {
			if mine, err = w.Moves.NoteImport(ctx, c, w.Holder, p, w.Now(), w.Now().Add(leaseLife)); err == nil {
				noted, renewed = p, time.Now()
			}
		} else {
			mine, err = w.Moves.ImportRuns(ctx, c.ID)
		}
		if _, err := w.allowed(ctx, c); sett.CodeOf(err) == sett.Forbidden {
			cancel(err)
			return
		}
		if err == nil && !mine || time.Since(renewed) > leaseLife-renewal {
			cancel(errStopped)
			return
		}
	}
}

func progressOf(s progress.State, ok bool) move.Progress {
	if !ok {
		return move.Progress{}
	}
	return move.Progress{Step: s.What, Done: s.Done, Total: s.Total, Left: s.Left.Truncate(time.Second).Milliseconds()}
}

// guarded says in plain words that an address may not be asked, which no further try would change.
func guarded(do func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		response, err := do(r)
		text := ""
		if e, ok := errors.AsType[*dial.ForbiddenError](err); ok {
			text = e.Error()
		}
		if e, ok := errors.AsType[*dial.OwnError](err); ok {
			text = e.Error()
		}
		if text != "" {
			return nil, sett.Errorf(sett.Forbidden, "This server may not ask %s: %s.", r.URL.Host, text)
		}
		return response, err
	}
}

// flags are the words of the command line in errors of sources, and what they are called on the page.
var flags = strings.NewReplacer("--url", "“Address”", "--org", "“Organization”", "--from-account", "“Account there”", "--project", "“Projects”",
	"Run the command again later; it goes on where it was.", "Go on later: the import continues where it was.")

// explain says in plain words why an import failed, and logs what is not for people.
func (w *Worker) explain(c movedb.Claimed, err error) string {
	if e, ok := errors.AsType[*sett.Error](err); ok && e.Code != "" {
		return flags.Replace(e.Message)
	}
	w.Log.Error("an import failed", "import_id", c.ID, "error", err, "hint", "it can go on at its page, in the settings of the account")
	return fmt.Sprintf("Something went wrong on this server. Its log says what, for import %d. Go on to try again.", c.ID)
}
