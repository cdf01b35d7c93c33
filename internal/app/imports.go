package app

import (
	"net/url"
	"strconv"
	"time"

	"sett/internal/app/movein"
	"sett/internal/app/movein/errand"
	"sett/internal/base/loop"
	"sett/internal/store/movedb"
)

// importsAtOnce is how many imports of pages this server runs at a time.
const importsAtOnce = 2

// importsEvery is the interval at which imports of dead servers are picked up; new ones wake the loops.
const importsEvery = 15 * time.Second

// importLook is how often an import looks whether people stopped it.
const importLook = 2 * time.Second

// imports are the loops that run imports which people started on a page.
func (a *App) imports() (all []*loop.Loop) {
	do, node, host := a.outbound(a.cfg.egress()).Client(errand.RequestLasts).Do, a.node(), ""
	if u, err := url.Parse(a.cfg.BaseURL); err == nil {
		host = u.Hostname()
	}
	for n := range importsAtOnce {
		name := "imports"
		if n > 0 {
			name += " " + strconv.Itoa(n+1)
		}
		asked, _ := a.store.Sleep(movedb.ImportAsked)
		w := &errand.Worker{
			Moves: a.store.Moves, Accounts: a.store.Accounts, Holder: node + " " + name, Host: host, Do: do, Now: a.now, Look: importLook, Log: a.log,
			Code: movein.Code{Uploads: a.uploads, Maps: a.maps, Stored: func() { a.maps.Forget(); a.keys.Forget() }},
		}
		all = append(all, &loop.Loop{
			Name: name, Does: "Imports what users of an account bring from another service.",
			Every: importsEvery, Jitter: 0.2, Wake: asked, Log: a.log, Work: w.Round,
		})
	}
	return all
}
