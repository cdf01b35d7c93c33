package statusadmin

import (
	"slices"

	"sett/internal/sett/status"
	"sett/internal/web"
)

// affectedChoice is a component with how an incident may affect it.
type affectedChoice struct {
	ID, Name string
	States   []choice
}

// effectsOn are the choices of an incident's effect on a component; key is that of its site or check-in.
func effectsOn(key string, chosen []string) (states []choice) {
	states = []choice{{"", "Not affected", true}, {key, componentWords(status.ComponentDegraded).Word, slices.Contains(chosen, key)}}
	for _, s := range []status.ComponentState{status.ComponentPartial, status.ComponentDown, status.ComponentUp} {
		value := key + " " + string(s)
		states = append(states, choice{value, componentWords(s).Word, slices.Contains(chosen, value)})
	}
	return states
}

// effectKeys are the values of the choices that an incident makes.
func effectKeys(i status.StatusIncident, page status.StatusPage) (keys []string) {
	for _, id := range i.ComponentIDs {
		c, _ := page.Component(id)
		key := keyOf(status.StatusChoice{SiteID: c.SiteID, CheckInID: c.CheckInID})
		if s := i.StateOf(id); s != status.ComponentDegraded {
			key += " " + string(s)
		}
		keys = append(keys, key)
	}
	return keys
}

// impactField is how bad an incident is.
func impactField(i status.StatusIncident) web.Field {
	choices := []string{"", "Automatic, from the affected components"}
	for _, impact := range status.Impacts() {
		choices = append(choices, string(impact), capital(string(impact)))
	}
	return web.Field{Name: "impact", Label: "Impact", Value: string(i.Impact), Choices: web.Choices(choices...)}
}

// affectedName is the name of a component with its state, where an incident says more of it than that it is degraded.
func affectedName(i status.StatusIncident, id int64, name string) string {
	if s := i.StateOf(id); i.Kind == status.Disruption && s != status.ComponentDegraded {
		return name + " (" + componentWords(s).Word + ")"
	}
	return name
}

// effectsOf are the choices for the components of a page.
func effectsOf(one status.WatchedStatusPage, chosen []string) (effects []affectedChoice) {
	for _, c := range one.Watched {
		key := keyOf(status.StatusChoice{SiteID: c.SiteID, CheckInID: c.CheckInID})
		effects = append(effects, affectedChoice{"component-" + formatID(c.ID), c.Name, effectsOn(key, chosen)})
	}
	return effects
}
