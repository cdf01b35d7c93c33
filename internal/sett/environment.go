package sett

import "time"

// Environment is where a project's program runs. Notices and deploys make those that they name.
type Environment struct {
	ID        int64
	ProjectID int64
	EnvironmentSettings
	CreatedAt time.Time
	UpdatedAt time.Time
}

// EnvironmentSettings are the fields of an environment that people write.
type EnvironmentSettings struct {
	Name          string // unique in the project
	Notifications bool   // false keeps what happens there silent
}

// NewEnvironmentSettings returns what an environment has when nothing is said.
func NewEnvironmentSettings() EnvironmentSettings { return EnvironmentSettings{Notifications: true} }

// EnvironmentChange is the body of an environment's create and update: only the fields that were sent change; null
// resets one to its default.
type EnvironmentChange struct {
	Name          Optional[string] `json:"name,omitzero" doc:"Required when creating; unique in the project." range:"1,255" null:"no" example:"production"`
	Notifications Optional[bool]   `json:"notifications,omitzero" doc:"False turns off its notifications; true by default."`
}

// Apply returns the settings with the change made, or an Invalid error that names every field that is wrong. A name is
// what intake leaves of the name in a notice, so that the two meet: one line without blanks around it.
func (c EnvironmentChange) Apply(s EnvironmentSettings) (EnvironmentSettings, error) {
	var p Problems
	fresh := NewEnvironmentSettings()
	setName(&p, c.Name, &s.Name)
	set(&p, "notifications", c.Notifications, &s.Notifications, fresh.Notifications)
	return s, p.Refusal()
}
