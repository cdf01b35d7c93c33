package move

// The pages of sett where people make by hand what does not come, or look at what did.
const (
	SettingsPage   = "Settings"
	KeysPage       = "Settings → API keys"
	ChannelsPage   = "Settings → Channels"
	OwnersPage     = "Settings → Access"
	RetentionPage  = "Settings → Data → Retention"
	GroupingPage   = "Settings → Data → Grouping"
	SourceMapsPage = "Settings → Data → Source maps"

	PeoplePage = "Account → People"
	TeamsPage  = "Account → Teams"

	SitesPage       = "Uptime"
	CheckInsPage    = "Check-ins"
	MaintenancePage = "Uptime → Maintenance"
	PagesPage       = "Status pages"
	ReleasesPage    = "Releases"

	MergePage  = "the error → Merge"
	AssignPage = "the error → Assign"
)
