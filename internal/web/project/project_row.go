package project

import (
	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// projectRow is a project in a list.
type projectRow struct {
	stats.ProjectLine
	Account  string // the name of its account, if the user has several
	Deployed web.Moment
	shell    web.Shell
}

func rowsOf(s web.Shell, lines []stats.ProjectLine) (rows []projectRow) {
	for _, l := range lines {
		row := projectRow{ProjectLine: l, shell: s}
		if len(s.Nav.Accounts) > 1 {
			row.Account = accountName(s.Nav, l.AccountID)
		}
		if l.LastDeploy != nil {
			row.Deployed = s.Moment(l.LastDeploy.CreatedAt)
		}
		rows = append(rows, row)
	}
	return rows
}

func accountName(n accounts.Navigation, id string) string {
	for _, a := range n.Accounts {
		if a.ID == id {
			return a.Name
		}
	}
	return ""
}

// State returns the worst state of the project's sites and check-ins.
func (r projectRow) State() web.State { return stateOf(r.Health()) }

func stateOf(h stats.Health) web.State {
	moods := map[stats.Health]web.Mood{
		stats.HealthUp: web.Fine, stats.HealthLate: web.Warning, stats.HealthMissing: web.Critical, stats.HealthFailing: web.Critical, stats.HealthDown: web.Critical, stats.HealthPaused: web.Paused,
	}
	mood, known := moods[h]
	if !known {
		mood = web.Muted
	}
	return web.State{Mood: mood, Word: h.Word()}
}

// Spark returns the chart of the last 24 hours, with the last deploy.
func (r projectRow) Spark() draw.Spark { return sparkOf(r.ProjectLine, r.shell) }

func sparkOf(l stats.ProjectLine, s web.Shell) draw.Spark {
	mark := -1.0
	if starts := stats.PastDay.Starts(s.Now); l.LastDeploy != nil {
		mark = float64(l.LastDeploy.CreatedAt.Unix()-starts[0]) / 3600
	}
	return draw.NewSpark(l.Hours, mark, "events in 24 hours")
}

// Revision returns the revision of the last deploy.
func (r projectRow) Revision() string { return web.ShortRevision(r.LastDeploy.Revision) }
