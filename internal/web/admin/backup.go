package admin

import (
	"context"
	"errors"
	"net/http"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/web"
)

// backupPage shows recent backups, and the form to download one.
type backupPage struct {
	web.Shell
	Tab     string
	Own     bool // sett makes the backups; false: PostgreSQL does
	Is      web.State
	Backups []backupRow
	Fields  web.Fields
}

// backupRow is one backup.
type backupRow struct {
	accounts.Backup
	Size string
}

// mostBackups is how many backups are listed.
const mostBackups = 20

func (p *pages) backupPage(w http.ResponseWriter, r *http.Request) error {
	page, err := p.newBackupPage(r)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "admin_backup", page)
}

func (p *pages) newBackupPage(r *http.Request) (*backupPage, error) {
	page := &backupPage{Shell: p.Shell(r, "Backup"), Tab: "backup", Own: p.Backup != nil}
	made, err := p.Store.ListBackups(r.Context(), mostBackups)
	if err != nil {
		return nil, err
	}
	for _, b := range made {
		page.Backups = append(page.Backups, backupRow{b, size(b.Bytes)})
	}
	page.Is = backupWords(p.Now(), made)
	page.Fields, err = p.ProofFields(r)
	return page, err
}

func backupWords(now time.Time, made []accounts.Backup) web.State {
	switch {
	case len(made) == 0:
		return web.State{Mood: web.Warning, Word: "No backup yet"}
	case now.Sub(made[0].At) > accounts.OldBackup:
		return web.State{Mood: web.Warning, Word: "Last backup is old"}
	}
	return web.State{Mood: web.Fine, Word: "Up to date"}
}

// downloadTime is how long the download of a backup may take.
const downloadTime = time.Hour

// download creates a backup and sends it. A backup contains all data of the server, so users must enter their password and
// second factor again, and the audit logs record the download.
func (p *pages) download(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if p.Backup == nil {
		return sett.Errorf(sett.Conflict, "To back up a PostgreSQL database, run sett backup or pg_dump on the server.")
	}
	err = p.CheckProof(r, form)
	if err == nil {
		err = p.Accounts.AuditDownload(r.Context(), web.Who(r).Session)
	}
	if err != nil {
		return p.backupAgain(w, r, err)
	}
	return p.sendBackup(w, r)
}

// backupAgain shows the page with the problem.
func (p *pages) backupAgain(w http.ResponseWriter, r *http.Request, err error) error {
	page, broken := p.newBackupPage(r)
	if broken != nil {
		return broken
	}
	return p.Again(w, r, err, "admin_backup", page)
}

func (p *pages) sendBackup(w http.ResponseWriter, r *http.Request) (err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), downloadTime) // the timeout of pages is short
	defer cancel()
	defer context.AfterFunc(r.Context(), func() {
		if errors.Is(r.Context().Err(), context.Canceled) { // the browser has disconnected
			cancel()
		}
	})()
	b, err := p.Backup(ctx, web.Who(r).User.Email)
	if err != nil {
		p.Log.Error("a backup could not be created", "error", err, "hint", "free disk space, or run: sett backup")
		return p.backupAgain(w, r, err)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(downloadTime)); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/zstd")
	h.Set("Content-Disposition", `attachment; filename="`+b.Name+`"`)
	h.Set("Cache-Control", "no-store")
	if err := b.Write(w); err != nil {
		p.Log.Warn("the download of a backup ended early, and its file is incomplete", "error", err, "hint", "download it again")
		panic(http.ErrAbortHandler) // so that the browser sees that the file is incomplete
	}
	return nil
}
