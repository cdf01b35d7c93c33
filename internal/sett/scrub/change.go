package scrub

import "sett/internal/sett"

// ScrubbingChange is a change of Settings. What is not sent stays; null resets a field.
type ScrubbingChange struct {
	Enabled  sett.Optional[bool]     `json:"enabled,omitzero" doc:"Whether anything is removed from events before they are stored; true by default."`
	Defaults sett.Optional[bool]     `json:"defaults,omitzero" doc:"Whether what is usually secret is removed: passwords, tokens, card numbers, environment variables of shells and other credentials. True by default."`
	Names    sett.Optional[[]string] `json:"names,omitzero" doc:"Names of keys whose values are removed too, at most 50. Case and the signs between words do not matter. An asterisk at the beginning or end stands for any text."`
	Keep     sett.Optional[[]string] `json:"keep,omitzero" doc:"Names of keys whose values are not removed because of their name, at most 50."`
	Patterns sett.Optional[[]string] `json:"patterns,omitzero" doc:"Regular expressions (RE2), at most 20. What they match is removed from all texts but those of backtraces. Costly ones are refused."`
}

// Apply returns the settings with the change made, or an Invalid error that names every field that is wrong.
func (c ScrubbingChange) Apply(have Settings) (Settings, error) {
	var p sett.Problems
	enabled, defaults := !have.Off, !have.OwnOnly
	sett.SetField(&p, "enabled", c.Enabled, &enabled, true)
	sett.SetField(&p, "defaults", c.Defaults, &defaults, true)
	have.Off, have.OwnOnly = !enabled, !defaults
	sett.SetField(&p, "names", c.Names, &have.Names, nil)
	sett.SetField(&p, "keep", c.Keep, &have.Keep, nil)
	sett.SetField(&p, "patterns", c.Patterns, &have.Patterns, nil)
	have.check(&p)
	return have, p.Refusal()
}
