package sett

import "sett/internal/payload"

// What the holder of an API key may make in a project without anybody's leave. A key is often public, and every list,
// menu and page of a project shows these. What is over a cap is never lost: it is collected under one name, or keeps
// what was first. On PostgreSQL, nodes that meet new names at the same moment may each go over a cap by those names.
const (
	// MostEnvironments is how many environments a project has when notices and deploys make no more, those that people made
	// included. The payload of a notice keeps the name that it came with; see OtherEnvironment and AlwaysEnvironment.
	MostEnvironments = 200

	// OtherEnvironment is the environment of notices and deploys that name one for which there is no room.
	OtherEnvironment = "(other)"

	// MostOwnEnvironments is how many environments a project may have when a person makes one: people can go over what
	// clients may make, as they can delete it.
	MostOwnEnvironments = 1_000

	// MostEnvironmentsShown is how many environments of a project lists and menus name, and how many of them deploys and counts
	// distinguish. Projects that had more before there was a cap show the first, and all of them in the settings.
	MostEnvironmentsShown = 300

	// MostFaultTags is how many tags a fault keeps: the first. Notices keep all of theirs.
	MostFaultTags = 50

	// MostCheckIns is how many check-ins a project may have. A sync refuses the entries that are over it, and says so.
	MostCheckIns = 1_000
)

// AlwaysEnvironment reports whether an environment has room in every project: where notices go that name none, and where
// those go that name one too many.
func AlwaysEnvironment(name string) bool {
	return name == payload.DefaultEnvironment || name == OtherEnvironment
}

// Collect moves a report to OtherEnvironment. Its body still says where it came from.
func (r *Report) Collect() {
	r.Environment, r.Grouping.Environment = OtherEnvironment, OtherEnvironment
	r.Grouping.Key = r.Grouping.KeyIn(r.ProjectID)
}
