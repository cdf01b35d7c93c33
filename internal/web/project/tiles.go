package project

import (
	"cmp"
	"fmt"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/stats"
	"sett/internal/web"
)

// tilesOf returns the figures at the top of an overview.
func tilesOf(p stats.ProjectPulse, s web.Shell) []tile {
	at := func(rest string) string { return fmt.Sprintf("/projects/%d/%s", p.ID, rest) }
	return []tile{
		{"Unresolved", web.Number(p.Unresolved), newNote(p), at("faults")},
		{"Events, 24 h", web.Number(p.Events()), weekNote(p.Events(), p.EventsBefore), at("reports")},
		{"Uptime, 30 d", percent(p.Uptime), sitesNote(p.Watched), at("sites")},
		{"Check-ins", checkInsFigure(p.Watched), checkInsNote(p), at("check_ins")},
		deployTile(p, s, at),
	}
}

func newNote(p stats.ProjectPulse) string {
	if !p.Deployed.IsZero() {
		return web.Number(p.New) + " new since deploy"
	}
	return web.Number(p.New) + " new in 24 h"
}

// weekNote compares a day with the same day of the week before.
func weekNote(now, before int64) string {
	switch {
	case before == 0 && now == 0:
		return "same as last week"
	case before == 0:
		return "none last week"
	case now >= 10*before:
		return fmt.Sprintf("%d× last week", now/before)
	}
	switch change := (now - before) * 100 / before; {
	case change > 0:
		return fmt.Sprintf("%d%% above last week", change)
	case change < 0:
		return fmt.Sprintf("%d%% below last week", -change)
	}
	return "same as last week"
}

// percent formats a share of time. It is 100% only without any downtime.
func percent(t checks.TimeShare) string {
	share, ok := t.Percent()
	switch {
	case !ok:
		return "–"
	case share < 100 && share > 99.99:
		return "99.99%"
	case share == 100:
		return "100%"
	}
	return fmt.Sprintf("%.2f%%", share)
}

func sitesNote(w stats.Watched) string {
	switch watched := w.Sites - w.SitesPaused; {
	case w.Sites == 0:
		return "no sites"
	case watched == 0:
		return "all sites paused"
	case w.SitesDown > 0:
		return fmt.Sprintf("%d of %d sites down", w.SitesDown, watched)
	default:
		return fmt.Sprintf("%d of %d sites up", w.SitesUp, watched)
	}
}

func checkInsFigure(w stats.Watched) string {
	if w.CheckIns == 0 {
		return "–"
	}
	return fmt.Sprintf("%d / %d", w.CheckInsReporting-w.CheckInsLate, w.CheckIns)
}

// checkInsNote names the check-in that is missing, failing or late.
func checkInsNote(p stats.ProjectPulse) string {
	bad := p.CheckInsLate + p.Missing + p.CheckInsFailing
	switch {
	case p.CheckIns == 0:
		return "no check-ins"
	case bad == 0 || len(p.Worst) == 0:
		return "none late"
	}
	word := "late"
	if state := p.Worst[0].State; state != sett.CheckInReporting {
		word = string(state)
	}
	note := p.Worst[0].Name + " " + word
	if bad > 1 {
		note += fmt.Sprintf(" and %d more", bad-1)
	}
	return note
}

func deployTile(p stats.ProjectPulse, s web.Shell, at func(string) string) tile {
	d := p.LastDeploy
	if d == nil {
		return tile{"Last deploy", "–", "none recorded", at("deploys")}
	}
	note := web.Ago(s.Now, d.CreatedAt)
	if d.LocalUsername != "" {
		note += " by " + d.LocalUsername
	}
	return tile{"Last deploy", cmp.Or(web.ShortRevision(d.Revision), "–"), note, at(fmt.Sprint("deploys/", d.ID))}
}
