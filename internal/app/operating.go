package app

import (
	"context"
	"sync"

	"sett/internal/app/operate"
	"sett/internal/base/loop"
	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// Jobs are the loops of this process, and how they do.
func (a *App) Jobs() []loop.Record {
	jobs := a.loops.Records()
	if a.work != nil {
		jobs = append(jobs, a.work.Records()...)
	}
	return jobs
}

// testMail returns a function that sends a test email and returns the reply of the server; nil without a mail server.
func (a *App) testMail(email *channel.Email) func(ctx context.Context, to string) (string, error) {
	if email == nil {
		return nil
	}
	return func(ctx context.Context, to string) (string, error) {
		return email.SendHeard(ctx, channel.Mail{
			ID: email.MessageID("test-" + sett.RandomString(16)), To: to, Date: a.now(), Subject: "Test email from sett",
			Text: "This is a test email from the server at " + a.cfg.BaseURL + ". Email works.",
		})
	}
}

// errBusy is the error of a backup beside another one.
var errBusy = &sett.Error{Code: sett.Conflict, Message: "Another backup is in progress. Try again when it is complete."}

// preparedBackup makes a backup of the running server's database, to be taken away. Only one is made at a time, until its Close
// or its failure.
func (a *App) preparedBackup(ctx context.Context, by string) (*accounts.PreparedBackup, error) {
	if !a.backingUp.TryLock() {
		return nil, errBusy
	}
	ctx, cancel := context.WithCancel(ctx)
	a.cancelBackup.Store(&cancel)
	release := sync.OnceFunc(func() { cancel(); a.backingUp.Unlock() })
	made := false
	defer func() {
		if !made { // also where it panicked
			release()
		}
	}()
	b, err := operate.PrepareBackup(ctx, a.store, a.now(), by)
	if err != nil {
		return nil, err
	}
	made = true
	remove := b.Close
	b.Close = func() error { defer release(); return remove() }
	return b, nil
}

// endBackup cancels the backup that is being made, if there is one.
func (a *App) endBackup() {
	if cancel := a.cancelBackup.Load(); cancel != nil {
		(*cancel)()
	}
}

// backups returns what makes them for the pages; nil where the database has programs of its own for that.
func (a *App) backups() func(ctx context.Context, by string) (*accounts.PreparedBackup, error) {
	if a.cfg.Database != "" {
		return nil
	}
	return a.preparedBackup
}
