package admin

import (
	"math"
	"net/http"
	"runtime/debug"
	"runtime/metrics"
	"strings"

	"sett/internal/sett/accounts"
	"sett/internal/store/db"
	"sett/internal/web"
)

// systemPage is the state of the server.
type systemPage struct {
	web.Shell
	Tab     string
	Version string
	Engine  string
	Schema  web.State
	Disk    string
	Mail    bool
	Figures accounts.ServerFigures

	Pooled  bool      // a pooler stands in front of PostgreSQL
	Replica web.State // no word: there is none
	Reads   int64     // of the replica

	HasSpool bool
	Spooled  int64 // reports of this server that wait for the database

	HasObjects bool // blocks are in object storage, or are moved there
	Objects    web.State

	ObjectBytes, WaitingBytes string

	Tiles []tile
	Jobs  []jobRow
}

// tile is a figure that says at a glance how the server is.
type tile struct {
	Label, Figure, Note string
	Bad                 bool
}

func (p *pages) system(w http.ResponseWriter, r *http.Request) error {
	page := systemPage{Shell: p.Shell(r, "Server"), Tab: "system", Version: p.Version, Engine: p.DB.Engine(), Mail: p.Mail}
	current, err := p.DB.Current(r.Context())
	if err != nil {
		return err
	}
	page.Schema = web.State{Mood: web.Fine, Word: "Current"}
	if !current {
		page.Schema = web.State{Mood: web.Critical, Word: "Does not match this version"}
	}
	bytes, err := p.DB.DiskBytes(r.Context())
	if err != nil {
		return err
	}
	page.Disk = size(bytes)
	page.Spooled, page.HasSpool = p.Spooled()
	page.Pooled = p.DB.Pooled
	page.Replica, page.Reads = p.replica(r)
	if page.Figures, err = p.Store.ServerFigures(r.Context()); err != nil {
		return err
	}
	page.ObjectBytes, page.WaitingBytes = size(page.Figures.Objects.Bytes), size(page.Figures.Objects.Waiting)
	page.Objects, page.HasObjects = p.objectState(page.Figures.Objects)
	backups, err := p.Store.ListBackups(r.Context(), 1)
	if err != nil {
		return err
	}
	page.Jobs = p.jobs()
	page.Tiles = []tile{{Label: "Version", Figure: page.Version}, {Label: "Database", Figure: page.Disk, Note: page.Engine}}
	if room := p.DB.Room(bytes); room.Known {
		page.Tiles = append(page.Tiles, roomTile(room))
	}
	page.Tiles = append(page.Tiles, memoryTile(), queueTile(page), p.backupTile(page, backups), tile{Label: "Nodes", Figure: web.Number(page.Figures.Nodes)})
	return p.Show(w, r, http.StatusOK, "admin_system", page)
}

// roomTile says how much of the disk is free.
func roomTile(room db.Room) tile {
	if room.Little() {
		return tile{"Free disk space", size(room.Free), "Free more: an upgrade copies the database.", true}
	}
	return tile{Label: "Free disk space", Figure: size(room.Free), Note: "on the disk of the database"}
}

// memoryTile says how much memory the process has from the system.
func memoryTile() tile {
	all := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(all)
	t := tile{Label: "Memory", Figure: size(int64(all[0].Value.Uint64() - all[1].Value.Uint64()))}
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		t.Note = "limit " + size(limit)
	}
	return t
}

// queueTile says how many messages wait, and whether some were given up.
func queueTile(page systemPage) tile {
	f := page.Figures
	t := tile{Label: "Queue", Figure: web.Number(f.MailsWaiting + f.DeliveriesWaiting), Note: "messages to send"}
	switch {
	case page.Spooled > 0:
		t.Note, t.Bad = web.Count(page.Spooled, "report")+" wait for the database", true
	case f.MailsGivenUp > 0:
		t.Note, t.Bad = web.Count(f.MailsGivenUp, "failed email"), true
	}
	return t
}

// backupTile says when the newest backup was made. PostgreSQL has its own programs for backups, which sett does not see.
func (p *pages) backupTile(page systemPage, made []accounts.Backup) tile {
	t := tile{Label: "Last backup", Figure: "none"}
	if len(made) > 0 {
		t.Figure = web.Ago(page.Now, made[0].At)
	}
	if p.Backup == nil {
		t.Note = "by sett; pg_dump is not counted"
		return t
	}
	is := backupWords(p.Now(), made)
	t.Note, t.Bad = strings.ToLower(is.Word[:1])+is.Word[1:], is.Mood != web.Fine
	return t
}

// replica is the state of the read replica, and how often this server has read from it.
func (p *pages) replica(r *http.Request) (is web.State, reads int64) {
	if !p.DB.HasReplica() {
		return web.State{}, 0
	}
	switch u := p.DB.Replica(r.Context()); {
	case u.Err != nil:
		return web.State{Mood: web.Critical, Word: "Cannot be used"}, u.OnReplica
	default:
		return web.State{Mood: web.Fine, Word: "Follows the primary, " + size(u.Behind) + " behind"}, u.OnReplica
	}
}

// objectState says whether object storage responds; ok is false if nothing is in it and nothing will be.
func (p *pages) objectState(f accounts.ObjectFigures) (s web.State, ok bool) {
	problem, on := p.Objects()
	switch {
	case !on && f.Blocks == 0:
		return s, false
	case !on:
		return web.State{Mood: web.Critical, Word: "--blocks is not set"}, true
	case problem != "":
		return web.State{Mood: web.Critical, Word: problem}, true
	}
	return web.State{Mood: web.Fine, Word: "Responds"}, true
}
