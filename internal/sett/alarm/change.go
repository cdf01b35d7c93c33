package alarm

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sett/internal/sett"
	"sett/internal/sett/insight"
)

// AlarmChange is the body of an alarm's create and update: only the fields that were sent change.
type AlarmChange struct {
	Name        sett.Optional[string]   `json:"name,omitzero" doc:"Required." range:"1,255" example:"Failing payments"`
	Description sett.Optional[string]   `json:"description,omitzero" doc:"Shown in notifications." range:"0,2000"`
	Query       sett.Optional[string]   `json:"query,omitzero" doc:"The query whose rows are counted, without a time. Required." example:"filter status::int >= 500"`
	StreamIDs   sett.Optional[[]string] `json:"stream_ids,omitzero" doc:"Ids of the streams whose events are read. Default: all streams. Unknown ids are ignored beside known ones."`
	Period      sett.Optional[Span]     `json:"evaluation_period,omitzero" doc:"How often the query is evaluated, and how much time each evaluation is about: a number and s, m, h or d, from 1m to less than a week. Required." example:"5m"`
	Lag         sett.Optional[Span]     `json:"lookback_lag,omitzero" doc:"How long to wait for events that arrive late: a number and s, m, h, d or w. Default: 0s." example:"1m"`
	Trigger     sett.Optional[Trigger]  `json:"trigger_config,omitzero" doc:"When the alarm is raised. Required, and replaced as a whole."`
}

// Trigger is a condition as the contract's clients write it.
type Trigger struct {
	Type   string        `json:"type" enum:"alert_result_count"`
	Config TriggerConfig `json:"config"`
}

// TriggerConfig compares the number of rows.
type TriggerConfig struct {
	Operator Operator `json:"operator" enum:"gt,gte,lt,lte,eq,neq"`
	Value    int64    `json:"value" doc:"A whole number, 0 or more."`
}

// triggerType is the only type of a condition.
const triggerType = "alert_result_count"

// Trigger returns the condition as the contract's clients read it.
func (s Settings) Trigger() Trigger {
	return Trigger{triggerType, TriggerConfig{s.Operator, s.Value}}
}

// countsAs reports whether other settings have the same result.
func (s Settings) countsAs(o Settings) bool {
	return s.Query == o.Query && slices.Equal(s.Streams, o.Streams) && s.Period == o.Period && s.Lag == o.Lag && s.Operator == o.Operator && s.Value == o.Value
}

// The lengths of what people write, in characters.
const longestDescription = 2_000

// Apply returns the settings with the change made, or an Invalid error that names every field that is wrong. Those of a new alarm are empty.
func (c AlarmChange) Apply(project int64, s Settings) (Settings, error) {
	var p sett.Problems
	sett.SetName(&p, c.Name, &s.Name)
	sett.SetField(&p, "description", c.Description, &s.Description, "")
	c.applyTexts(&p, &s)
	if sett.Check(&p, "stream_ids", c.StreamIDs) && c.StreamIDs.Sent {
		streams, err := insight.StreamsOf(project, c.StreamIDs.Value)
		addProblem(&p, "stream_ids", err)
		s.Streams = streams
	}
	c.applySpans(&p, &s)
	c.applyTrigger(&p, &s)
	return s, p.Refusal()
}

func (c AlarmChange) applyTexts(p *sett.Problems, s *Settings) {
	s.Description = strings.TrimSpace(s.Description)
	if utf8.RuneCountInString(s.Description) > longestDescription {
		p.Add("description", "is too long (maximum is %d characters)", longestDescription)
	}
	sett.SetField(p, "query", c.Query, &s.Query, "")
	if c.Query.Bad != "" {
		return
	}
	if strings.TrimSpace(s.Query) == "" {
		p.Add("query", "can't be blank")
	} else if c.Query.Sent {
		_, err := insight.ParseStatement(s.Query)
		addProblem(p, "query", err)
	}
	for _, text := range []struct{ field, text string }{{"description", s.Description}, {"query", s.Query}} {
		if !utf8.ValidString(text.text) || strings.ContainsRune(text.text, 0) {
			p.Add(text.field, "must be UTF-8 without NUL")
		}
	}
}

func (c AlarmChange) applySpans(p *sett.Problems, s *Settings) {
	const week = 7 * 24 * time.Hour
	sett.SetField(p, "evaluation_period", c.Period, &s.Period, "")
	sett.SetField(p, "lookback_lag", c.Lag, &s.Lag, "0s")
	if s.Lag == "" {
		s.Lag = "0s"
	}
	switch d := s.Period.Duration(); {
	case c.Period.Bad != "":
	case s.Period == "":
		p.Add("evaluation_period", "can't be blank")
	case d < 0 || strings.HasSuffix(string(s.Period), "w"):
		p.Add("evaluation_period", "format is invalid. Write a number and s, m, h or d, such as 5m")
	case d < time.Minute || d >= week:
		p.Add("evaluation_period", "must be at least 1m and less than a week")
	}
	switch d := s.Lag.Duration(); {
	case c.Lag.Bad != "":
	case d < 0:
		p.Add("lookback_lag", "format is invalid. Write a number and s, m, h, d or w, such as 1m")
	case d+max(s.Period.Duration(), 0) > insight.Keep:
		p.Add("lookback_lag", "must leave, with the period, some of the %d days for which events are kept", int(insight.Keep/(24*time.Hour)))
	}
}

func (c AlarmChange) applyTrigger(p *sett.Problems, s *Settings) {
	const field = "trigger_config"
	if !c.Trigger.Filled() {
		if c.Trigger.Sent || s.Operator == "" {
			p.Add(field, "can't be blank")
		}
		return
	}
	if !sett.Check(p, field, c.Trigger) {
		return
	}
	t := c.Trigger.Value
	if t.Type != triggerType {
		p.Add(field, "must have the type %s", triggerType)
	}
	if !slices.Contains(Operators(), t.Config.Operator) {
		p.Add(field, "must have one of these operators: gt, gte, lt, lte, eq, neq")
	}
	if t.Config.Value < 0 {
		p.Add(field, "must have a value that is a whole number, 0 or more")
	}
	s.Operator, s.Value = t.Config.Operator, t.Config.Value
}

// addProblem notes what another package says about fields.
func addProblem(p *sett.Problems, field string, err error) {
	if err == nil {
		return
	}
	if problems := sett.ProblemsOf(err); problems != nil {
		*p = append(*p, problems...)
	} else {
		p.Add(field, "%s", err)
	}
}
